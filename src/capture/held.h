/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds back what nobody will ask for: births, names and ends of processes that never do I/O, wait or are selected. Most
 * processes of a busy host are of that kind. Once anything else names a process, all that was held back of it is
 * passed on, in its order, and so is what was of its ancestors, and of their children, among which it has its place (a
 * worker's number is told by those born before it).
 */
#ifndef IOLAT_CAPTURE_HELD_H
#define IOLAT_CAPTURE_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "attrib/list.h"
#include "base/map.h"

/* Beyond that the ones that ended longest ago are forgotten. */
#define HELD_DEAD   4096u  /* processes */
#define HELD_EVENTS 16384u /* of all of them */

struct held {
	int (*event)(void *ctx, const void *data, size_t size); /* 0 or a negative errno */
	void *ctx;
	struct map processes; /* by tgid */
	struct list dead;     /* processes that have ended, in that order */
	size_t n_dead, n_events;
	uint64_t serial; /* of the last event */
	uint32_t last;	 /* process named last, of which nothing is held back; 0: none */
};

/* What is to be passed on goes to `event`. */
void held_init(struct held *h, int (*event)(void *ctx, const void *data, size_t size), void *ctx);
void held_free(struct held *h);

/* Takes an event that decode.c takes. 0, -ENOMEM, or what `event` said. */
int held_take(struct held *h, const void *event, size_t size);

#endif
