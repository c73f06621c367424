/* SPDX-License-Identifier: GPL-2.0 */
/* A recording being written: events in, blocks out. */
#ifndef IOLAT_CAPTURE_WRITER_H
#define IOLAT_CAPTURE_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct capture_writer;

/* Starts a recording on `fd` (owned from now on, also on failure). 0, -ENOMEM or -errno. */
int capture_create(struct capture_writer **out, int fd);

/* Adds an event; one that only tells of a process waits until the process matters (held.h). Errors are negative errnos; after one nothing more is written, and what was written is
 * whole blocks (the last one may be cut if the device itself failed). */
int capture_add(struct capture_writer *w, const void *event, size_t size);

/* Puts what was added so far on disk as a block; a process killed later leaves it readable. */
int capture_flush(struct capture_writer *w);

uint64_t capture_bytes(const struct capture_writer *w);	/* on disk so far */
uint64_t capture_requests(const struct capture_writer *w);

/* Ends the recording properly at `mono_ns` (CLOCK_MONOTONIC) and closes. 0 or -errno; w is gone. */
int capture_close(struct capture_writer *w, uint64_t mono_ns);

#endif
