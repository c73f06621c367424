/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A training log, byte by byte as it is written: its lines become MARK events where they tell both a time and an epoch
 * or step. Pure: whoever reads the file feeds it. Any bytes may come; memory is bounded.
 */
#ifndef IOLAT_TRAINLOG_TRAINLOG_H
#define IOLAT_TRAINLOG_TRAINLOG_H

#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

struct trainlog;

/* `pattern`: as of --log-pattern, or NULL. 0, -ENOMEM, or -EINVAL with the reason in `why`. */
int trainlog_new(struct trainlog **out, const char *pattern, char *why, size_t why_size);
void trainlog_free(struct trainlog *l);

struct mark_sink {
	int (*mark)(void *ctx, const struct iolat_mark *e);	/* 0 or a negative errno, which ends the reading */
	void *ctx;
};

/* `near_ns`, wall clock: about when it was written, for stamps without a year. 0, or what the sink returned. */
int trainlog_feed(struct trainlog *l, const char *data, size_t size, uint64_t near_ns, const struct mark_sink *to);
/* The last line may lack its end. */
int trainlog_finish(struct trainlog *l, uint64_t near_ns, const struct mark_sink *to);
/* What comes is another file's: the rest of a line is nobody's. */
void trainlog_restart(struct trainlog *l);

/* What was found; when `marks` is 0, `failed` is the first line that should have been one ("": there was no line). */
struct trainlog_found {
	uint64_t marks;
	uint64_t first_ns, last_ns;	/* wall clock, of the marks */
	uint64_t failed_line;
	const char *failed;		/* printable, cut */
	const char *lacks;		/* what it lacks, in words */
};
struct trainlog_found trainlog_found(const struct trainlog *l);

#endif
