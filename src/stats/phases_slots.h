/* SPDX-License-Identifier: GPL-2.0 */
/* Inside of phases*.c only: slots, in the order of time. */
#ifndef IOLAT_STATS_PHASES_SLOTS_H
#define IOLAT_STATS_PHASES_SLOTS_H

#include "stats/phases.h"

struct phase_wait_key {
	uint64_t process; /* serial */
	uint64_t tid;
};

struct phase_wait {
	struct phase_wait_key key;
	uint64_t blocked_ns;
};

/* Counts the longest held ones, as far as they ended by `until_ns`. 0 or -ENOMEM. */
int phases_settle(struct phases *p, uint64_t until_ns);

int phase_slots_begin(struct phases *p); /* the time from the start on, without a name */
void phase_slots_free(struct phases *p);

struct phase_slot *phase_slot_at(struct phases *p, uint64_t ns); /* NULL: before the first */
struct phase_slot *phase_slot_last(struct phases *p);

/* Ends the last one, and begins another (as named by `e`, or without a name: NULL). 0 or -ENOMEM. */
int phase_slot_turn(struct phases *p, uint64_t ns, const struct iolat_mark *e);
void phase_slot_name(struct phase_slot *s, const struct iolat_mark *e);

/* The last one, which has no name, turns out to be the end of the one before. 0 or -ENOMEM. */
int phase_slot_rejoin(struct phases *p);

#endif
