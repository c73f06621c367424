/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was in flight at the last look, and the list of what is stuck made of it and of tasks that wait for
 * I/O which nobody can see.
 */
#ifndef IOLAT_STATS_FLYING_H
#define IOLAT_STATS_FLYING_H

#include "stats/tasks.h"

#define FLYING_MAX 65536 /* of one look */

struct flying {
	bool known;			/* there was a look that could see it */
	struct iolat_inflight *list;
	size_t n, room;
	struct stuck *stuck;		/* of the last view */
	size_t n_stuck, n_listed, stuck_room;
};

void flying_free(struct flying *f);
void flying_look(struct flying *f, const struct iolat_look *e);		/* starts anew */
int flying_add(struct flying *f, const struct iolat_inflight *e);	/* 0 or -ENOMEM */

/* Lists what was at least that old at the last look before `now_ns`, the oldest first, into stuck and n_stuck; with `all`, younger
 * requests follow, up to n_listed. 0 or -ENOMEM. */
int flying_view(struct flying *f, struct tasks *t, uint64_t now_ns, uint64_t stuck_ns, bool all);

#endif
