/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The summaries of several recordings as one: rows, tasks, findings and disks stand beside each other and say whose
 * they are by their host; only counts of completeness are added up. Times are those of the hosts' wall clocks.
 */
#ifndef IOLAT_STATS_SEVERAL_H
#define IOLAT_STATS_SEVERAL_H

#include "stats/snapshot.h"
#include "stats/timeline.h"

struct several {
	struct snapshot joined;
	const struct row **rows;
	struct task *tasks;
	struct stuck *stuck;
	struct finding *findings;
	struct coverage_disk *disks;
	struct timeline timeline;
};

/* n summaries, at least one, which must outlive `s`. 0 or -ENOMEM; several_free() in any case. */
int several_join(struct several *s, const struct snapshot *parts, size_t n);
void several_free(struct several *s);

#endif
