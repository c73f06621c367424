/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who waits, for the findings: each process by the one of its tasks that waited longest; and what is over too soon to
 * matter alone (a shell's commands, a loader's pipes), together with others of its name and cgroup.
 */
#ifndef IOLAT_STATS_WAITERS_H
#define IOLAT_STATS_WAITERS_H

#include "stats/tasks.h"

enum waiters_limits {
	WAITERS_MAX = 1024, /* those that were blocked the longest */
};

struct waiter {
	const struct task_slot *slot;	/* the task; of several the one that waited longest */
	size_t n;			/* tasks that it stands for; more than one: they are over */
	uint64_t wall_ns, blocked_ns;
	struct task_sums sums;
};

struct waiters {
	const struct tasks *tasks;
	bool whole;
	struct waiter *list;
	size_t n;
	uint64_t rest_ns;	/* how long those that say nothing, even together, were blocked */
};

/* Of the tasks as viewed, for the interval or the `whole` run of that length. 0 or -ENOMEM; then the list is empty. */
int waiters_collect(struct waiters *w, const struct tasks *t, bool whole, uint64_t duration_ns);
void waiters_free(struct waiters *w);

/* Shares of the time that they were there, in percent. */
double waiter_blocked_pct(const struct waiter *w);
double waiter_disk_pct(const struct waiter *w);	/* for the disk: requests and page faults */
double waiter_pct(const struct waiter *w, enum wait_reason reason);

/* Who waited the largest part of its time for that, any task of a process. False: nobody did. */
bool waiters_worst(const struct waiters *w, enum wait_reason reason, struct waiter *out);

/* "pid 4242 (cat)", "37 short-lived processes (cat)". */
#define WAITER_NAME 64
void waiter_name(char out[WAITER_NAME], const struct waiter *w);

#endif
