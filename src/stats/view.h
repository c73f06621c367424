/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of one frame as a list for the renderers. What was only made for the frame
 * lives until the next one.
 */
#ifndef IOLAT_STATS_VIEW_H
#define IOLAT_STATS_VIEW_H

#include "stats/rows.h"

struct view {
	const struct row **list;
	size_t n, room;
	struct row_slot *left;	/* rows that stand in no table */
	struct row_slot *other; /* one of them: what is folded together */
};

void view_free(struct view *v);

/* Lists an interval's rows and folds them into the run's, if there is one; `interval` is to be cleared
 * then. 0 or -ENOMEM. */
int view_interval(struct view *v, struct rows *interval, struct rows *whole);

/* Lists the sums of both tables and leaves them as they are. 0 or -ENOMEM. */
int view_whole(struct view *v, const struct rows *interval, const struct rows *whole);

#endif
