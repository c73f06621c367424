/* SPDX-License-Identifier: GPL-2.0 */
/* The compiled BPF object inside the program, in its forms (see VARIANTS in the Makefile). */
#ifndef IOLAT_COLLECT_EMBEDDED_H
#define IOLAT_COLLECT_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *name;
	const char *data;
	const char *end;	/* behind the last byte */
};

/* In the order in which they are tried; NULL behind the last. */
const struct embedded *embedded_at(size_t i);

#endif
