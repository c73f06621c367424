/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of a recording as a stream of its own: what happened outside of it is left out, what was known by
 * then stays. What the kernel counted is known for the whole run only and is left out, too.
 */
#ifndef IOLAT_CAPTURE_WINDOW_H
#define IOLAT_CAPTURE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/moment.h"
#include "iolat/wire.h"

struct window {
	struct moment from, to;
	/* the rest is window.c's */
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	struct iolat_clock clock; /* size 0: as the start of the run tells it */
	uint64_t start_ns, start_wall_ns; /* of the whole run, on both clocks */
	uint64_t now_ns;	 /* the newest time seen */
	bool looked;		 /* the last LOOK is inside */
	struct iolat_counters base;
	union {
		uint64_t aligned;
		struct iolat_run run;
		struct iolat_wait wait;
		struct iolat_counters counters;
		struct iolat_disk_facts facts;
		struct iolat_end end;
	} changed;
};

/* Both moments MOMENT_NONE: everything. */
void window_init(struct window *w, const struct moment *from, const struct moment *to);

/* Whether times of day are to be judged, and by the clock as it is told last. */
bool window_wants_clock(const struct window *w);
void window_clock(struct window *w, const struct iolat_clock *clock);

/* The event, or another one in its place that is valid until the next call, or NULL: it is outside. Events need
 * not be well-formed. */
const void *window_take(struct window *w, const void *event, size_t size);

/* Whether nothing of what was taken, from *from_wall to *to_wall (CLOCK_REALTIME), is inside. */
bool window_missed(const struct window *w, uint64_t *from_wall, uint64_t *to_wall);

/* When an event happened, 0 if it does not tell. */
uint64_t window_time_of(const void *event, size_t size);

#endif
