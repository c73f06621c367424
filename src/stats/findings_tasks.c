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

/* --- siblings ---------------------------------------------------------------------- */

/* Children of one parent that go by one name: a loader's workers. */
static bool siblings(const struct waiter *a, const struct waiter *b)
{
	const struct process *x = &a->slot->proc->pub, *y = &b->slot->proc->pub;

	return a->n == 1 && b->n == 1 && x->ppid && x->ppid == y->ppid && !strcmp(x->comm, y->comm);
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
			out[n++] = waiter_disk_pct(&all->list[i]);
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
static void sibling_words(char *buf, size_t size, const struct waiter *w)
{
	const struct worker *worker = w->slot->pub.subject.worker;
	char rank[32] = "", name[WAITER_NAME];

	waiter_name(name, w);
	if (worker && worker->rank_known)
		snprintf(rank, sizeof(rank), " of rank %" PRIu32, worker->rank);
	if (worker)
		snprintf(buf, size, "worker %" PRIu32 "%s, %s", worker->index, rank, name);
	else
		snprintf(buf, size, "%s", name);
}

static void say_stuck(struct findings *f, const struct known *k, const struct waiters *all,
		      const struct waiter *w, double others, size_t n)
{
	struct finding *g = findings_add(f, "worker-stuck", waiter_disk_pct(w) / 100);
	const struct process *p = &w->slot->proc->pub;
	const struct usage *u = worst_disk(k, w->slot->proc);
	const struct worker *worker = w->slot->pub.subject.worker;
	const struct cache_use cached = finding_cache_use(k, w->slot->proc);
	char who[128];

	if (!g)
		return;
	sibling_words(who, sizeof(who), w);
	finding_about(g, "%s", who);
	finding_say(g, "%s%s waits for I/O %.0f %% of its time%s%s; its %zu sibling%s %.0f %%%s", who,
		    worker ? "," : "", waiter_disk_pct(w), u ? " on " : "", u ? u->disk->pub.name : "", n,
		    n == 1 ? "" : "s", others, finding_advice(&cached));
	finding_evidence(g, "pid", p->pid);
	if (worker)
		finding_evidence(g, "worker", worker->index);
	finding_evidence(g, "blocked_pct", waiter_disk_pct(w));
	finding_evidence(g, "siblings", n);
	finding_evidence(g, "siblings_blocked_pct", others);
	add_disk(g, k, u);
	finding_cache(g, &cached);
	finding_files(g, k, &(struct waited_search){.kinds = WAITED_DISK,
						    .whole = k->whole,
						    .process = w->slot->proc->serial});
}

static bool is_stuck(const struct waiter *w, double others)
{
	double share = waiter_disk_pct(w);

	return share >= T_STUCK_PCT && share >= T_STUCK_TIMES * others && share >= others + T_STUCK_MORE_PCT;
}

static void find_stuck(struct findings *f, const struct known *k, const struct waiters *all, double *room)
{
	size_t named = 0;

	for (size_t i = 0; i < all->n && named < T_STUCK_NAMED; i++) {
		const struct waiter *w = &all->list[i];
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
	const struct cache_use cached = finding_cache_use(k, NULL);
	char who[WAITER_NAME];

	if (!g)
		return;
	if (n > 1) {
		const struct proc *parent = proc_parent(&k->model->procs, w->slot->proc);
		const char *comm = parent ? parent->pub.comm : "?";

		finding_about(g, "%zu workers of pid %u (%s)", n, p->ppid, comm);
		finding_say(g, "the %zu workers of pid %u (%s) wait for I/O %.0f %% of their time%s%s: it sets "
			    "the pace, not their CPU time%s", n, p->ppid, comm, median(sorted, n), on, disk,
			    finding_advice(&cached));
	} else {
		waiter_name(who, w);
		finding_about(g, "%s", who);
		finding_say(g, "%s wait%s for I/O %.0f %% of %s time%s%s: it sets the pace, not CPU time%s", who,
			    w->n > 1 ? "" : "s", median(sorted, n), w->n > 1 ? "their" : "its", on, disk,
			    finding_advice(&cached));
	}
	finding_evidence(g, "workers", (double)(n > 1 ? n : w->n));
	finding_evidence(g, "blocked_pct", median(sorted, n));
	finding_evidence(g, "least_blocked_pct", sorted[0]);
	add_disk(g, k, u);
	finding_cache(g, &cached);
	finding_files(g, k, &(struct waited_search){.kinds = WAITED_DISK, .whole = k->whole});
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

static const struct waiter *most_blocked(const struct waiters *all, size_t *processes)
{
	const struct waiter *most = NULL;

	*processes = 0;
	for (size_t i = 0; i < all->n; i++) {
		*processes += all->list[i].n;
		if (!most || waiter_blocked_pct(&all->list[i]) > waiter_blocked_pct(most))
			most = &all->list[i];
	}
	return most;
}

#define CACHED_WORDS 120

/* What they read, if anything, and where that came from. */
static void cached_words(char out[CACHED_WORDS], const struct cache_use *c, size_t n)
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
		snprintf(out, CACHED_WORDS, "; %s hardly read at all", n == 1 ? "it" : "they");
}

static void find_innocent(struct findings *f, const struct known *k, const struct waiters *all)
{
	const struct cache_use cached = finding_cache_use(k, NULL);
	size_t n;
	const struct waiter *most = most_blocked(all, &n);
	char words[CACHED_WORDS], who[WAITER_NAME];
	double share = most ? waiter_blocked_pct(most) : 100;
	struct finding *g;

	if (share >= T_HARDLY_PCT || finding_pct(all->rest_ns, k->duration_ns) >= T_HARDLY_PCT || k->flying->n_stuck)
		return;
	g = findings_add(f, "not-the-disk", 1 - share / 100);
	if (!g)
		return;
	cached_words(words, &cached, n);
	waiter_name(who, most);
	finding_about(g, all->n == 1 ? "%s" : "%s and the others", who);
	if (n == 1)
		finding_say(g, "it is not the disk: %s waited for I/O %.1f %% of its time%s; look at CPU, network, locks", who,
			    share, words);
	else
		finding_say(g, "it is not the disk: each of the %zu processes waited for I/O %.1f %% of its time at most, "
			    "%s most%s; look at CPU, network, locks", n, share, who, words);
	finding_evidence(g, "processes", (double)n);
	finding_evidence(g, "blocked_pct", share);
	finding_evidence(g, "blocked_ns", (double)most->blocked_ns);
	finding_evidence(g, "ios", cached.ios);
	finding_cache(g, &cached);
}

/* --- causes ------------------------------------------------------------------------- */

static void find_throttled(struct findings *f, const struct known *k)
{
	char ns[UNITS_LEN], place[PLACE_WORDS], who[WAITER_NAME];
	struct finding *g;
	struct waiter w;
	double share;

	if (!waiters_worst(&k->waiters, REASON_THROTTLE, &w) || waiter_pct(&w, REASON_THROTTLE) < T_CAUSE_PCT)
		return;
	share = waiter_pct(&w, REASON_THROTTLE);
	g = findings_add(f, "cgroup-throttled", share / 100);
	if (!g)
		return;
	waiter_name(who, &w);
	finding_place(place, k, w.slot->cgroup, "");
	finding_about(g, "%s", *place ? place : "a cgroup");
	finding_say(g, "%s %s held back by the I/O limit of %s own %s for %s, %.0f %% of %s time: raise io.max or "
		    "blkio.throttle, not the disk", who, w.n > 1 ? "are" : "is", w.n > 1 ? "their" : "its",
		    *place ? place : "cgroup", fmt_duration(ns, w.sums.reasons[REASON_THROTTLE]), share,
		    w.n > 1 ? "their" : "its");
	finding_evidence(g, "pid", w.slot->proc->pub.pid);
	finding_evidence(g, "processes", (double)w.n);
	finding_evidence(g, "throttle_ns", (double)w.sums.reasons[REASON_THROTTLE]);
	finding_evidence(g, "throttle_pct", share);
	finding_evidence(g, "disk_ns", (double)w.sums.reasons[REASON_DISK]);
	finding_files(g, k, &(struct waited_search){.kinds = 1u << REASON_THROTTLE, .whole = k->whole});
}

/* Time in one kind of call, and how often. */
struct stall {
	const char *code, *what, *advice;
	uint64_t ns, times;
	enum spent_on spent;
	unsigned int kind; /* waited.h */
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

static struct stall sync_of(const struct task_sums *sums)
{
	return (struct stall){"sync-stall", "in fsync and its like",
			      "sync less often, or off the path that others wait for", sums->sync_ns,
			      sums->syncs, SPENT_SYNC, WAITED_SYNC};
}

static struct stall dirty_of(const struct task_sums *sums)
{
	return (struct stall){"writeback-stall", "in writes that wait for dirty pages to be written",
			      "the disk takes less than is written", sums->dirty_ns, sums->dirties, SPENT_DIRTY,
			      WAITED_DIRTY};
}

static void find_stall(struct findings *f, const struct known *k, struct stall (*of)(const struct task_sums *sums))
{
	const struct waiter *worst = NULL;
	char ns[UNITS_LEN], who[WAITER_NAME];
	const struct phase_slot *phase;
	struct stall most = {0}, s;
	uint64_t phase_ns;
	struct finding *g;
	double share;

	for (size_t i = 0; i < k->waiters.n; i++) {
		s = of(&k->waiters.list[i].sums);
		if (s.ns > most.ns) {
			most = s;
			worst = &k->waiters.list[i];
		}
	}
	share = worst ? finding_pct((double)most.ns, (double)worst->wall_ns) : 0;
	if (share < T_CAUSE_PCT)
		return;
	g = findings_add(f, most.code, share / 100);
	if (!g)
		return;
	waiter_name(who, worst);
	finding_about(g, "%s", who);
	phase = worst_phase(k, most.spent, &phase_ns);
	finding_say(g, "%s spent %s, %.0f %% of %s time, %s%s%s: %s", who, fmt_duration(ns, most.ns), share,
		    worst->n > 1 ? "their" : "its", most.what, phase ? ", most in " : "", phase ? phase->name : "",
		    most.advice);
	finding_evidence(g, "pid", worst->slot->proc->pub.pid);
	finding_evidence(g, "wait_ns", most.ns);
	finding_evidence(g, "waits", most.times);
	finding_evidence(g, "wait_pct", share);
	if (phase)
		finding_evidence(g, "phase_wait_ns", phase_ns);
	finding_files(g, k, &(struct waited_search){.kinds = 1u << most.kind, .whole = k->whole});
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
	if (!worst || finding_pct(most.swap_ns, k->duration_ns) < T_CAUSE_PCT ||
	    2 * most.swap_ns < most.queue_ns + most.device_ns)
		return;
	g = findings_add(f, "swap", finding_pct(most.swap_ns, k->duration_ns) / 100);
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
	double *room;

	find_swap(f, k);
	if (!k->tasks->on)
		return;
	room = calloc(k->waiters.n + 1, sizeof(*room));
	if (!room)
		return;
	find_stuck(f, k, &k->waiters, room);
	find_bound(f, k, &k->waiters, room);
	find_innocent(f, k, &k->waiters);
	find_throttled(f, k);
	find_stall(f, k, sync_of);
	find_stall(f, k, dirty_of);
	free(room);
}
