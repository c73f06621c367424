/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two runs side by side, by what their rows are called: pids and numbers of disks differ from run to run, names
 * do not. A difference counts only where the histogram's resolution and the number of requests bear it out.
 */
#ifndef IOLAT_STATS_COMPARE_H
#define IOLAT_STATS_COMPARE_H

#include "stats/snapshot.h"

enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

enum compare_measure {
	COMPARE_IOS,
	COMPARE_BYTES,
	COMPARE_P50,
	COMPARE_P90,
	COMPARE_P99,
	COMPARE_MAX,
	COMPARE_BLOCKED,	/* share of the tasks' lives that they were blocked, in percent */
	COMPARE_MEASURES
};
const char *compare_measure_name(enum compare_measure m);	/* "ios", "p50_ns", ... */

/* Nobody can say for the slowest request alone: unless it is the same, its change is CHANGE_UNKNOWN. */
enum compare_change { CHANGE_UNKNOWN, CHANGE_SAME, CHANGE_LESS, CHANGE_MORE };
const char *compare_change_name(enum compare_change c);		/* NULL: unknown */

struct compare_sums {
	bool there;
	uint64_t ios, bytes;
	struct hist total;
	uint64_t wall_ns, blocked_ns;	/* of tasks */
};

/* What has the same names in both, or in one of them. */
struct compare_group {
	char *names[BY_MAX];	/* by row key; NULL: not among the keys */
	struct compare_sums sums[COMPARE_SIDES];
};

struct compare_list {
	struct by by;
	struct compare_group *groups;	/* the most waited for first */
	size_t n;
};

struct comparison {
	const struct snapshot *runs[COMPARE_SIDES];
	struct compare_group all;	/* every row together */
	struct compare_list rows;
	struct compare_list tasks;	/* by those of the keys that tasks have; n 0: none */
};

/* Both snapshots must outlive the comparison. 0 or -ENOMEM; compare_free() in any case. */
int compare_runs(struct comparison *c, const struct snapshot *before, const struct snapshot *after);
void compare_free(struct comparison *c);

/* Not known: false. */
bool compare_value(const struct compare_sums *s, enum compare_measure m, double *out);
enum compare_change compare_change(const struct compare_group *g, enum compare_measure m);

#endif
