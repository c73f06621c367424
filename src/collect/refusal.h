/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libbpf has to say. Loading is all or nothing, and only its complaints tell which program the kernel refused:
 * all that are about a program begin with the same format. Its words are for developers; what a user needs is
 * said by those who call it.
 */
#ifndef IOLAT_COLLECT_REFUSAL_H
#define IOLAT_COLLECT_REFUSAL_H

/* Takes libbpf's messages from now on; they are printed with IOLAT_DEBUG set. */
void refusal_listen(void);

/* The program that the last complaint was about, NULL if there was none since refusal_forget(). Good until the next. */
const char *refusal_program(void);
void refusal_forget(void);

#endif
