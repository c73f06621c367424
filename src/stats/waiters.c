// SPDX-License-Identifier: GPL-2.0
/* The list of tasks starts with those that were blocked the longest, so a process's first one is it. */
#include "stats/waiters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/findings.h"
#include "stats/thresholds.h"

static void add(struct waiter *w, const struct task_slot *s, bool whole)
{
	struct task_sums sums = tasks_sums(s, whole);

	w->n++;
	w->wall_ns += s->pub.wall_ns;
	w->blocked_ns += s->pub.blocked_ns;
	for (size_t i = 0; i < REASON_MAX; i++)
		w->sums.reasons[i] += sums.reasons[i];
	w->sums.sync_ns += sums.sync_ns;
	w->sums.syncs += sums.syncs;
	w->sums.dirty_ns += sums.dirty_ns;
	w->sums.dirties += sums.dirties;
}

static bool is_short(const struct task_slot *s)
{
	return s->pub.wall_ns < T_WALL_MS * 1000000ull;
}

/* Those that stand together have one name, and are in one cgroup. */
static bool is_like(const struct waiter *w, const struct task_slot *s)
{
	return is_short(w->slot) && w->slot->cgroup == s->cgroup &&
	       !strcmp(w->slot->proc->pub.comm, s->proc->pub.comm);
}

static struct waiter *find(const struct waiters *w, const struct task_slot *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (is_short(s) ? is_like(&w->list[i], s) : !is_short(w->list[i].slot) && w->list[i].slot->proc == s->proc)
			return &w->list[i];
	return NULL;
}

/* One that is short because it has only just begun says nothing yet; threads come and go. */
static void take(struct waiters *w, const struct task_slot *s, bool whole)
{
	struct waiter *there;

	if (is_short(s) && (!s->died_ns || s->tid != s->proc->pub.pid))
		return;
	there = find(w, s);
	if (!there && w->n < WAITERS_MAX) {
		w->list[w->n] = (struct waiter){.slot = s};
		add(&w->list[w->n++], s, whole);
	} else if (there && is_short(s)) {
		add(there, s, whole);
	}
}

/* Several count if they were there for a while, and for a part of the time. */
static bool counts(const struct waiter *w, uint64_t duration_ns)
{
	return w->wall_ns >= T_WALL_MS * 1000000ull &&
	       (w->n == 1 || finding_pct((double)w->wall_ns, (double)duration_ns) >= T_CAUSE_PCT);
}

int waiters_collect(struct waiters *w, const struct tasks *t, bool whole, uint64_t duration_ns)
{
	size_t n = 0;

	*w = (struct waiters){.tasks = t, .whole = whole, .list = calloc(WAITERS_MAX, sizeof(*w->list))};
	if (!w->list)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_list; i++)
		take(w, t->slots[i], whole);
	for (size_t i = 0; i < w->n; i++)
		if (counts(&w->list[i], duration_ns))
			w->list[n++] = w->list[i];
		else
			w->rest_ns += w->list[i].blocked_ns;
	w->n = n;
	return 0;
}

void waiters_free(struct waiters *w)
{
	free(w->list);
	*w = (struct waiters){0};
}

/* A sleep that a recording tells of at its end alone may have begun before the frame. */
static double share(const struct waiter *w, uint64_t ns)
{
	return finding_pct((double)(ns < w->wall_ns ? ns : w->wall_ns), (double)w->wall_ns);
}

double waiter_blocked_pct(const struct waiter *w)
{
	return share(w, w->blocked_ns);
}

double waiter_disk_pct(const struct waiter *w)
{
	return waiter_pct(w, REASON_DISK) + waiter_pct(w, REASON_PAGE_FAULT);
}

double waiter_pct(const struct waiter *w, enum wait_reason reason)
{
	return share(w, w->sums.reasons[reason]);
}

static void keep_worse(struct waiter *worst, const struct waiter *w, enum wait_reason reason)
{
	if (waiter_pct(w, reason) > waiter_pct(worst, reason))
		*worst = *w;
}

bool waiters_worst(const struct waiters *w, enum wait_reason reason, struct waiter *out)
{
	*out = (struct waiter){0};
	for (size_t i = 0; i < w->n; i++)
		keep_worse(out, &w->list[i], reason);
	for (size_t i = 0; i < w->tasks->n_list; i++) {
		struct waiter one = {.slot = w->tasks->slots[i]};

		if (is_short(one.slot))
			continue;
		add(&one, one.slot, w->whole);
		keep_worse(out, &one, reason);
	}
	return out->slot;
}

void waiter_name(char out[WAITER_NAME], const struct waiter *w)
{
	const struct process *p = &w->slot->proc->pub;
	const char *comm = p->comm_known ? p->comm : "?";

	if (w->n > 1)
		snprintf(out, WAITER_NAME, "%zu short-lived processes (%s)", w->n, comm);
	else
		snprintf(out, WAITER_NAME, "pid %u (%s)", p->pid, comm);
}
