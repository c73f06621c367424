/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of --log: read as far as it goes, followed while it grows, also when it is made later, cut, or replaced. What
 * is said about it to the person is said here.
 */
#ifndef IOLAT_CLI_LOGFILE_H
#define IOLAT_CLI_LOGFILE_H

#include <stdbool.h>

#include "trainlog/trainlog.h"

struct logfile;

enum logfile_how {
	LOGFILE_WHOLE,	/* from its first line on */
	LOGFILE_FOLLOW,	/* its last part tells where the training is */
	LOGFILE_COMES,	/* ... and it may not be there yet */
};

/* EXIT_OK, or the exit status of an error that was said. Never waits for a pipe; takes regular files only. */
int logfile_open(struct logfile **out, const char *path, const char *pattern, enum logfile_how how);
void logfile_close(struct logfile *l);

/* Reads what there is by now. 0, or what the sink returned. */
int logfile_read(struct logfile *l, uint64_t wall_ns, const struct mark_sink *to);
int logfile_finish(struct logfile *l, uint64_t wall_ns, const struct mark_sink *to); /* the last time */

/* A warning if it told nothing about the time of the run (wall clock). */
void logfile_judge(const struct logfile *l, uint64_t from_ns, uint64_t to_ns);

#endif
