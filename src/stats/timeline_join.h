/* SPDX-License-Identifier: GPL-2.0 */
/* The timelines of several hosts as one, side by side by their wall clocks: a disk's line is "HOST: DISK". */
#ifndef IOLAT_STATS_TIMELINE_JOIN_H
#define IOLAT_STATS_TIMELINE_JOIN_H

#include "stats/snapshot.h"
#include "stats/timeline.h"

/* Of n snapshots, those with a timeline, which begin at `start_wall_ns` or later and end by `end_wall_ns`. 0 or -ENOMEM;
 * timeline_free() in any case. */
int timeline_join(struct timeline *out, const struct snapshot *parts, size_t n, uint64_t start_wall_ns,
		  uint64_t end_wall_ns);

#endif
