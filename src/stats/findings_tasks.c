// SPDX-License-Identifier: GPL-2.0
/*
 * Findings about who waits: workers against their siblings, all of them together, nobody, and the causes that show
 * in the tasks' own time (limits, fsync, dirty pages, swap).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/findings.h"
#include "stats/thresholds.h"

#define WAITERS_MAX 1024 /* those that were blocked the longest */

/* A process by the one of its tasks that waited longest. */
struct waiter {
	const struct task_slot *slot;
	double blocked_pct;	/* for whatever reason */
	double disk_pct;	/* for the disk: requests and page faults */
};

struct waiters {
	struct waiter *list;
	size_t n;
};

static double pct(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static struct waiter waiter_of(const struct task_slot *s)
{
	const struct task *t = &s->pub;

	return (struct waiter){
		.slot = s,
		.blocked_pct = pct(t->blocked_ns, t->wall_ns),
		.disk_pct = pct(t->reasons[REASON_DISK] + t->reasons[REASON_PAGE_FAULT], t->wall_ns),
	};
}

/* The list of tasks starts with those that were blocked the longest, so a process's first one is it. */
static bool listed(const struct waiters *w, const struct task_slot *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].slot->proc == s->proc)
			return true;
	return false;
}

static int collect(struct waiters *w, const struct tasks *t)
{
	w->n = 0;
	w->list = calloc(t->n_list + 1, sizeof(*w->list));
	if (!w->list)
		return -1;
	for (size_t i = 0; i < t->n_list && w->n < WAITERS_MAX; i++) {
		const struct task_slot *s = t->slots[i];

		if (s->pub.wall_ns >= T_WALL_MS * 1000000ull && !listed(w, s))
			w->list[w->n++] = waiter_of(s);
	}
	return 0;
}

/* --- siblings ---------------------------------------------------------------------- */

/* Children of one parent that go by one name: a loader's workers. */
static bool siblings(const struct waiter *a, const struct waiter *b)
{
	const struct process *x = &a->slot->proc->pub, *y = &b->slot->proc->pub;

	return x->ppid && x->ppid == y->ppid && !strcmp(x->comm, y->comm);
}

static int by_pct(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Disk shares of the siblings of `w`, itself included or not, sorted; the number of them. */
static size_t shares_of(const struct waiters *all, const struct waiter *w, bool itself, double *out)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (&all->list[i] == w ? itself : siblings(&all->list[i], w))
			out[n++] = all->list[i].disk_pct;
	qsort(out, n, sizeof(*out), by_pct);
	return n;
}

static double median(const double *sorted, size_t n)
{
	size_t half = n / 2;

	return n % 2 || !half ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/* The disk on which a process waited longest; NULL: none known. */
static const struct usage *worst_disk(const struct known *k, const struct proc *p)
{
	const struct usage *worst = NULL;
	uint64_t most = 0;

	for (struct usage *g = NULL; (g = usages_next(k->usages, g));) {
		struct usage_sums s = usage_sums(g, k->whole);
		uint64_t ns = s.queue_ns + s.device_ns + s.flush_ns;

		if (g->proc == p && g->disk && ns > most) {
			most = ns;
			worst = g;
		}
	}
	return worst;
}

static void add_disk(struct finding *g, const struct known *k, const struct usage *u)
{
	struct usage_sums s;

	if (!u)
		return;
	s = usage_sums(u, k->whole);
	finding_evidence(g, "device_ios", s.ios);
	if (s.queued)
		finding_evidence(g, "device_mean_ns", (double)((s.queue_ns + s.device_ns) / s.queued));
}

/* "worker 2 of rank 0, pid 4242 (pt_data_worker)"; siblings that are no loader's workers go by pid and name. */
static void waiter_words(char *buf, size_t size, const struct waiter *w)
{
	const struct worker *worker = w->slot->pub.subject.worker;
	const struct process *p = &w->slot->proc->pub;
	char rank[32] = "";

	if (worker && worker->rank_known)
		snprintf(rank, sizeof(rank), " of rank %" PRIu32, worker->rank);
	if (worker)
		snprintf(buf, size, "worker %" PRIu32 "%s, pid %" PRIu32 " (%s)", worker->index, rank, p->pid, p->comm);
	else
		snprintf(buf, size, "pid %" PRIu32 " (%s)", p->pid, p->comm);
}

/* Would more memory help? */
static void add_cache(struct finding *g, const struct known *k, const struct proc *p)
{
	const struct cache_use cached = finding_cache_use(k, p);

	finding_cache(g, &cached);
}

static void say_stuck(struct findings *f, const struct known *k, const struct waiters *all,
		      const struct waiter *w, double others, size_t n)
{
	struct finding *g = findings_add(f, "worker-stuck", w->disk_pct / 100);
	const struct process *p = &w->slot->proc->pub;
	const struct usage *u = worst_disk(k, w->slot->proc);
	const struct worker *worker = w->slot->pub.subject.worker;
	char who[128];

	if (!g)
		return;
	waiter_words(who, sizeof(who), w);
	finding_about(g, "%s", who);
	finding_say(g, "%s%s waits for I/O %.0f %% of its time%s%s; its %zu sibling%s %.0f %%", who,
		    worker ? "," : "", w->disk_pct, u ? " on " : "", u ? u->disk->pub.name : "", n,
		    n == 1 ? "" : "s", others);
	finding_evidence(g, "pid", p->pid);
	if (worker)
		finding_evidence(g, "worker", worker->index);
	finding_evidence(g, "blocked_pct", w->disk_pct);
	finding_evidence(g, "siblings", n);
	finding_evidence(g, "siblings_blocked_pct", others);
	add_disk(g, k, u);
	add_cache(g, k, w->slot->proc);
	finding_files(g, k, &(struct waited_search){.reason = REASON_DISK,
						    .whole = k->whole,
						    .process = w->slot->proc->serial});
}

static bool is_stuck(const struct waiter *w, double others)
{
	return w->disk_pct >= T_STUCK_PCT && w->disk_pct >= T_STUCK_TIMES * others &&
	       w->disk_pct >= others + T_STUCK_MORE_PCT;
}

static void find_stuck(struct findings *f, const struct known *k, struct waiters *all, double *room)
{
	size_t named = 0;

	for (size_t i = 0; i < all->n && named < T_STUCK_NAMED; i++) {
		struct waiter *w = &all->list[i];
		size_t n = shares_of(all, w, false, room);

		if (!n || !is_stuck(w, median(room, n)))
			continue;
		say_stuck(f, k, all, w, median(room, n), n);
		named++;
	}
}

/* --- all of them -------------------------------------------------------------------- */

static bool is_first_of_group(const struct waiters *all, const struct waiter *w)
{
	for (const struct waiter *v = all->list; v < w; v++)
		if (siblings(v, w))
			return false;
	return true;
}

static bool all_bound(const double *sorted, size_t n)
{
	size_t bound = 0;

	for (size_t i = 0; i < n; i++)
		bound += sorted[i] >= T_BOUND_LEAST_PCT;
	return median(sorted, n) >= T_BOUND_PCT && 100 * bound >= T_BOUND_WORKERS_PCT * n;
}

static void say_bound(struct findings *f, const struct known *k, const struct waiter *w, const double *sorted,
		      size_t n)
{
	struct finding *g = findings_add(f, "all-workers-io-bound", median(sorted, n) / 100);
	const struct process *p = &w->slot->proc->pub;
	const struct usage *u = worst_disk(k, w->slot->proc);
	const char *on = u ? " on " : "", *disk = u ? u->disk->pub.name : "";

	if (!g)
		return;
	if (n > 1) {
		const struct proc *parent = proc_parent(&k->model->procs, w->slot->proc);
		const char *comm = parent ? parent->pub.comm : "?";

		finding_about(g, "%zu workers of pid %u (%s)", n, p->ppid, comm);
		finding_say(g, "the %zu workers of pid %u (%s) wait for I/O %.0f %% of their time%s%s: it sets "
			    "the pace, not their CPU time", n, p->ppid, comm, median(sorted, n), on, disk);
	} else {
		finding_about(g, "pid %u (%s)", p->pid, p->comm);
		finding_say(g, "pid %u (%s) waits for I/O %.0f %% of its time%s%s: it sets the pace, not CPU "
			    "time", p->pid, p->comm, median(sorted, n), on, disk);
	}
	finding_evidence(g, "workers", n);
	finding_evidence(g, "blocked_pct", median(sorted, n));
	finding_evidence(g, "least_blocked_pct", sorted[0]);
	add_disk(g, k, u);
	add_cache(g, k, NULL);
	finding_files(g, k, &(struct waited_search){.reason = REASON_DISK, .whole = k->whole});
}

static void find_bound(struct findings *f, const struct known *k, const struct waiters *all, double *room)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct waiter *w = &all->list[i];
		size_t n = shares_of(all, w, true, room);

		if (is_first_of_group(all, w) && all_bound(room, n)) {
			say_bound(f, k, w, room, n);
			return;
		}
	}
}

/* --- nobody ------------------------------------------------------------------------- */

static const struct waiter *most_blocked(const struct waiters *all)
{
	const struct waiter *most = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (!most || all->list[i].blocked_pct > most->blocked_pct)
			most = &all->list[i];
	return most;
}

#define CACHED_WORDS 120

/* What they read, if anything, and where that came from. */
static void cached_words(char out[CACHED_WORDS], const struct cache_use *c)
{
	char asked[UNITS_LEN], read[UNITS_LEN];

	out[0] = '\0';
	if (!c->known)
		return;
	if (c->ios || c->read_bytes >= T_READ_MIB << 20)
		snprintf(out, CACHED_WORDS, "; system calls read %s, disks %s in %" PRIu64 " request%s",
			 fmt_bytes(asked, c->read_bytes), fmt_bytes(read, c->device_bytes), c->ios,
			 c->ios == 1 ? "" : "s");
	else
		snprintf(out, CACHED_WORDS, "; they hardly read at all");
}

static void find_innocent(struct findings *f, const struct known *k, const struct waiters *all)
{
	const struct cache_use cached = finding_cache_use(k, NULL);
	const struct waiter *most = most_blocked(all);
	char words[CACHED_WORDS];
	const struct process *p;
	struct finding *g;

	if (!most || most->blocked_pct >= T_HARDLY_PCT || k->flying->n_stuck)
		return;
	g = findings_add(f, "not-the-disk", 1 - most->blocked_pct / 100);
	if (!g)
		return;
	p = &most->slot->proc->pub;
	cached_words(words, &cached);
	finding_about(g, all->n == 1 ? "pid %u (%s)" : "pid %u (%s) and the others", p->pid, p->comm);
	finding_say(g, "it is not the disk: %s %zu process%s waited for I/O %.1f %% of its time at most (pid "
		    "%u, %s)%s; look at CPU, network, locks", all->n == 1 ? "the" : "each of the", all->n,
		    all->n == 1 ? "" : "es", most->blocked_pct, p->pid, p->comm, words);
	finding_evidence(g, "processes", all->n);
	finding_evidence(g, "blocked_pct", most->blocked_pct);
	finding_evidence(g, "blocked_ns", most->slot->pub.blocked_ns);
	finding_evidence(g, "ios", cached.ios);
	finding_cache(g, &cached);
}

/* --- causes ------------------------------------------------------------------------- */

static const char *cgroup_name(const struct known *k, uint64_t cgroup)
{
	const struct known_cgroup *c = cgroup ? cgroups_get(&k->model->cgroups, cgroup) : NULL;

	return c && c->pub.path ? c->pub.path : "";
}

static double throttled_pct(const struct task_slot *s)
{
	return pct(s->pub.reasons[REASON_THROTTLE], s->pub.wall_ns);
}

static void find_throttled(struct findings *f, const struct known *k, const struct waiters *all)
{
	const struct task_slot *worst = NULL;
	struct finding *g;
	char ns[UNITS_LEN];

	for (size_t i = 0; i < all->n; i++)
		if (!worst || throttled_pct(all->list[i].slot) > throttled_pct(worst))
			worst = all->list[i].slot;
	if (!worst || throttled_pct(worst) < T_CAUSE_PCT)
		return;
	g = findings_add(f, "cgroup-throttled", throttled_pct(worst) / 100);
	if (!g)
		return;
	finding_about(g, "cgroup %s", cgroup_name(k, worst->cgroup));
	finding_say(g, "pid %u (%s) is held back by the I/O limit of its own cgroup %s for %s, %.0f %% of its time: "
		    "raise io.max or blkio.throttle, not the disk", worst->proc->pub.pid,
		    worst->proc->pub.comm, cgroup_name(k, worst->cgroup),
		    fmt_duration(ns, worst->pub.reasons[REASON_THROTTLE]), throttled_pct(worst));
	finding_evidence(g, "pid", worst->proc->pub.pid);
	finding_evidence(g, "throttle_ns", worst->pub.reasons[REASON_THROTTLE]);
	finding_evidence(g, "throttle_pct", throttled_pct(worst));
	finding_evidence(g, "disk_ns", worst->pub.reasons[REASON_DISK]);
}

/* Time in one kind of call, and how often. */
struct stall {
	const char *code, *what, *advice;
	uint64_t ns, times;
	enum spent_on spent;
};

/* In which phase of the training most of such time passed; NULL: not known. */
static const struct phase_slot *worst_phase(const struct known *k, enum spent_on spent, uint64_t *ns)
{
	const struct phase_slot *worst = NULL;

	*ns = 0;
	for (size_t i = 0; i < k->phases->n; i++) {
		const struct phase_slot *s = &k->phases->slots[i];
		uint64_t of = spent == SPENT_SYNC ? s->sync_ns : s->dirty_ns;

		if (s->name[0] && of > *ns) {
			worst = s;
			*ns = of;
		}
	}
	return worst;
}

static struct stall sync_of(const struct task_slot *s, bool whole)
{
	struct task_sums sums = tasks_sums(s, whole);

	return (struct stall){"sync-stall", "in fsync and its like",
			      "sync less often, or off the path that others wait for", sums.sync_ns,
			      sums.syncs, SPENT_SYNC};
}

static struct stall dirty_of(const struct task_slot *s, bool whole)
{
	struct task_sums sums = tasks_sums(s, whole);

	return (struct stall){"writeback-stall", "in writes that wait for dirty pages to be written",
			      "the disk takes less than is written", sums.dirty_ns, sums.dirties, SPENT_DIRTY};
}

static void find_stall(struct findings *f, const struct known *k, const struct waiters *all,
		       struct stall (*of)(const struct task_slot *s, bool whole))
{
	const struct task_slot *worst = NULL;
	const struct phase_slot *phase;
	struct stall most = {0}, s;
	char ns[UNITS_LEN];
	uint64_t phase_ns;
	struct finding *g;

	for (size_t i = 0; i < all->n; i++) {
		s = of(all->list[i].slot, k->whole);
		if (s.ns > most.ns) {
			most = s;
			worst = all->list[i].slot;
		}
	}
	if (!worst || pct(most.ns, worst->pub.wall_ns) < T_CAUSE_PCT)
		return;
	g = findings_add(f, most.code, pct(most.ns, worst->pub.wall_ns) / 100);
	if (!g)
		return;
	finding_about(g, "pid %u (%s)", worst->proc->pub.pid, worst->proc->pub.comm);
	phase = worst_phase(k, most.spent, &phase_ns);
	finding_say(g, "pid %u (%s) spent %s, %.0f %% of its time, %s%s%s: %s", worst->proc->pub.pid,
		    worst->proc->pub.comm, fmt_duration(ns, most.ns), pct(most.ns, worst->pub.wall_ns),
		    most.what, phase ? ", most in " : "", phase ? phase->name : "", most.advice);
	finding_evidence(g, "pid", worst->proc->pub.pid);
	finding_evidence(g, "wait_ns", most.ns);
	finding_evidence(g, "waits", most.times);
	finding_evidence(g, "wait_pct", pct(most.ns, worst->pub.wall_ns));
	if (phase)
		finding_evidence(g, "phase_wait_ns", phase_ns);
}

static void find_swap(struct findings *f, const struct known *k)
{
	const struct usage *worst = NULL;
	struct usage_sums most = {0}, s;
	char ns[UNITS_LEN];
	struct finding *g;

	for (struct usage *u = NULL; (u = usages_next(k->usages, u));) {
		s = usage_sums(u, k->whole);
		if (u->proc && s.swap_ns > most.swap_ns) {
			most = s;
			worst = u;
		}
	}
	if (!worst || pct(most.swap_ns, k->duration_ns) < T_CAUSE_PCT ||
	    2 * most.swap_ns < most.queue_ns + most.device_ns)
		return;
	g = findings_add(f, "swap", pct(most.swap_ns, k->duration_ns) / 100);
	if (!g)
		return;
	finding_about(g, "pid %u (%s)", worst->proc->pub.pid, worst->proc->pub.comm);
	finding_say(g, "pid %u (%s) waits for swap: %" PRIu64 " requests, %s; it lacks memory, the data set is not to blame",
		    worst->proc->pub.pid, worst->proc->pub.comm, most.swaps, fmt_duration(ns, most.swap_ns));
	finding_evidence(g, "pid", worst->proc->pub.pid);
	finding_evidence(g, "swap_ios", most.swaps);
	finding_evidence(g, "swap_ns", most.swap_ns);
}

void findings_of_tasks(struct findings *f, const struct known *k)
{
	struct waiters all;
	double *room;

	find_swap(f, k);
	if (!k->tasks->on || collect(&all, k->tasks))
		return;
	room = calloc(all.n + 1, sizeof(*room));
	if (room) {
		find_stuck(f, k, &all, room);
		find_bound(f, k, &all, room);
		find_innocent(f, k, &all);
		find_throttled(f, k, &all);
		find_stall(f, k, &all, sync_of);
		find_stall(f, k, &all, dirty_of);
	}
	free(room);
	free(all.list);
}
