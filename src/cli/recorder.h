/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording that `record` makes beside the analysis: opened with what the analysis selects, fed with every
 * event, closed with a line about it. It stops the run before the file system is full or the file too large, or goes on
 * in the next file.
 */
#ifndef IOLAT_CLI_RECORDER_H
#define IOLAT_CLI_RECORDER_H

#include <stdbool.h>

#include "capture/anonymize.h"
#include "capture/writer.h"
#include "cli/output.h"
#include "cli/session.h"
#include "stats/snapshot.h"

#define RECORDER_DISKS 64

struct recorder {
	struct session *session;
	struct output output;
	char *path;
	struct capture_writer *writer; /* NULL: not recording */
	const char *stop;	       /* why it has to end, or NULL */
	uint64_t checked;	       /* bytes at the last look at the file system */
	bool full;		       /* the next file is due */
	unsigned int files;
	uint64_t first_ns;	       /* when the first one began */
	uint64_t requests, bytes;      /* of the files before */
	struct facts *facts;	       /* of a file that is not the first: says again what is known. NULL */
	struct anonymizer *names;      /* NULL: they stay */
	int err;		       /* of writing, the first; 0: none */
	struct iolat_disk_filter disks[RECORDER_DISKS]; /* that the file is on */
	int n_disks;
	uint32_t numbers[RECORDER_DISKS]; /* theirs in events */
	size_t n_numbers;
	bool in_the_way;	       /* it was written to a disk that was traced */
};

/* Opens the file of `s`'s options and starts. An exit status, the reason said. */
int recorder_open(struct recorder *r, struct session *s);

/* A sink's function; ctx is the recorder. */
int recorder_event(void *ctx, const void *data, size_t size);

/* Writes what came so far. 0 or -errno; `stop` or `full` may be set then. */
int recorder_flush(struct recorder *r);

/* Ends a file that is full and goes on in the next, which knows all that the first has been told of what still is. What
 * has come by now is in the one before. An exit status, the reason said. */
int recorder_rotate(struct recorder *r);

/* Notes whether a frame has a disk that the file is on. */
void recorder_check_disk(struct recorder *r, const struct snapshot *s);

/* Ends it at that moment (CLOCK_MONOTONIC) and says what it is: a line on standard output, unless a summary stands
 * there, and maybe a warning. 0 or -errno. */
int recorder_finish(struct recorder *r, uint64_t mono_ns);

/* Of a recording that was not finished; also of none. */
void recorder_discard(struct recorder *r);

#endif
