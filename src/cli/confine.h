/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives away what is not needed any more: whoever gets the better of a parser, or of the metrics server, has little in
 * hand, and nothing more in a program that it starts. All of it is as far as the kernel goes along (without seccomp none of it);
 * nothing fails for that.
 */
#ifndef IOLAT_CLI_CONFINE_H
#define IOLAT_CLI_CONFINE_H

#include <stdbool.h>

/* For what only reads files and writes others: no capabilities and no system calls beside those for files. */
void confine_reader(void);

/* Once everything is attached, or could be: the capabilities that reading maps, names of the host and, unless `serves`, writing files
 * and ending COMMAND take. */
void confine_tracer(bool serves);

/* For what reads the user's files and starts a program that does: of a user's none (files are opened as that user), of root's the
 * capabilities for files, which the program gets, too. */
void confine_measurer(void);

/* For what strangers talk to: no system calls that start programs or change the machine. */
void confine_server(void);

#endif
