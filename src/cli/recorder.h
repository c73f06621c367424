/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording that `record` makes beside the analysis: opened with what the analysis selects, fed with every
 * event, closed with a line about it. It stops the run before the file system is full or the file too large.
 */
#ifndef IOLAT_CLI_RECORDER_H
#define IOLAT_CLI_RECORDER_H

#include <stdbool.h>

#include "attrib/select.h"
#include "capture/anonymize.h"
#include "capture/writer.h"
#include "cli/options.h"
#include "stats/snapshot.h"

struct recorder {
	const struct options *o;
	struct capture_writer *writer; /* NULL: not recording */
	const char *stop;	       /* why it has to end, or NULL */
	uint64_t checked;	       /* bytes at the last look at the file system */
	int fd;			       /* the writer's */
	struct anonymizer *names;      /* NULL: they stay */
	int err;		       /* of writing, the first; 0: none */
	bool in_the_way;	       /* it was written to a disk that was traced */
};

/* Takes a descriptor of its own of the file. 0 or -errno; -E2BIG: an entry of the selection is too much. */
int recorder_start(struct recorder *r, const struct options *o, const struct selection *s, int fd);

/* A sink's function; ctx is the recorder. */
int recorder_event(void *ctx, const void *data, size_t size);

/* Writes what came so far. 0 or -errno; `stop` may be set then. */
int recorder_flush(struct recorder *r);

/* Notes whether the summary has the disk that the file is on. */
void recorder_check_disk(struct recorder *r, const struct snapshot *s);

/* Ends it at that moment (CLOCK_MONOTONIC) and says what it is: a line on standard output, unless a summary stands
 * there, and maybe a warning. 0 or
 * -errno. */
int recorder_finish(struct recorder *r, uint64_t mono_ns);

#endif
