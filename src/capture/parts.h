/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in several files as one stream: each file begins with all that was known by then, and counts from its
 * own beginning.
 */
#ifndef IOLAT_CAPTURE_PARTS_H
#define IOLAT_CAPTURE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "iolat/wire.h"

struct parts {
	bool later; /* it is not the first */
	bool last;  /* none follows */
	/* the rest is parts.c's */
	struct iolat_counters before, now; /* at the end of the parts before, and as of now */
	struct map disks;
	union {
		uint64_t aligned;
		struct iolat_counters counters;
		struct iolat_disk_facts facts;
	} changed;
};

/* Whether that file, told by its RUN event, is behind the other one in the same recording. */
bool parts_follow(const struct iolat_run *before, const struct iolat_run *e);

void parts_init(struct parts *p, bool last);
void parts_free(struct parts *p);
void parts_next(struct parts *p, bool last); /* another file begins */

/* The event, or another one in its place that is valid until the next call, or NULL: it was told before. Events need
 * not be well-formed. */
const void *parts_take(struct parts *p, const void *event, size_t size);

#endif
