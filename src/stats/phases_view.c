// SPDX-License-Identifier: GPL-2.0
/* Phases as they are shown: with the workers that lived in them, and what part of that time each waited. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/phases.h"
#include "stats/phases_slots.h"

#define HELD_NS 2000000000ull /* a log that is flushed is read by then */

static double pct(uint64_t part, uint64_t whole)
{
	double v = whole ? 100.0 * (double)part / (double)whole : 0;

	return v > 100 ? 100 : v;
}

static uint64_t life_in(const struct task_slot *t, uint64_t from, uint64_t to)
{
	if (t->born_ns > from)
		from = t->born_ns;
	if (t->died_ns && t->died_ns < to)
		to = t->died_ns;
	return to > from ? to - from : 0;
}

static struct phase_worker *find_worker(struct phase_worker *list, size_t n, const struct process *process)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].process == process)
			return &list[i];
	return NULL;
}

/* A process waits as much as the one of its tasks that waits most. */
static size_t add_task(const struct phase_slot *s, const struct task_slot *t, uint64_t wall, struct phase_worker *list,
		       size_t n)
{
	struct phase_wait_key key = {t->proc->serial, t->tid};
	const struct phase_wait *wait = map_get(&s->waits, &key);
	struct phase_worker *w = find_worker(list, n, &t->proc->pub);
	uint64_t blocked = wait ? wait->blocked_ns : 0;

	if (!w && n == PHASE_WORKERS)
		return n;
	if (!w) {
		w = &list[n++];
		*w = (struct phase_worker){.process = &t->proc->pub, .worker = t->worker ? &t->worker->pub : NULL};
	}
	if (blocked > w->blocked_ns || !w->wall_ns) {
		w->blocked_ns = blocked < wall ? blocked : wall;
		w->wall_ns = wall;
	}
	return n;
}

static size_t tasks_of(const struct phase_slot *s, struct tasks *t, uint64_t end_ns, struct phase_worker *list)
{
	size_t n = 0;

	for (struct list *l = t->order.next; l != &t->order; l = l->next) {
		struct task_slot *slot = list_entry(l, struct task_slot, order);
		uint64_t wall = life_in(slot, s->start_ns, end_ns);

		if (wall && tasks_wanted(t, slot))
			n = add_task(s, slot, wall, list, n);
	}
	return n;
}

/* A loader's workers, where there are any; else whoever waited. */
static size_t keep_those_that_count(struct phase_worker *list, size_t n)
{
	bool workers = false;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		workers |= list[i].worker != NULL;
	for (size_t i = 0; i < n; i++)
		if (workers ? list[i].worker != NULL : list[i].blocked_ns > 0)
			list[kept++] = list[i];
	return kept;
}

/* Into the phase's own array: those of other phases stay as they are. */
static int view_workers(struct phases *p, struct phase_slot *s, struct tasks *t)
{
	uint64_t blocked = 0, wall = 0;
	size_t n;

	if (!t->on)
		return 0;
	n = keep_those_that_count(p->workers, tasks_of(s, t, s->start_ns + s->pub.duration_ns, p->workers));
	for (size_t i = 0; i < n; i++) {
		blocked += p->workers[i].blocked_ns;
		wall += p->workers[i].wall_ns;
	}
	s->pub.blocked_known = true;
	s->pub.blocked_pct = pct(blocked, wall);
	free(s->workers);
	s->workers = n ? malloc(n * sizeof(*s->workers)) : NULL;
	if (n && !s->workers)
		return -ENOMEM;
	if (n)
		memcpy(s->workers, p->workers, n * sizeof(*s->workers));
	s->pub.workers = s->workers;
	s->pub.n_workers = n;
	return 0;
}

static int view(struct phases *p, struct phase_slot *s, struct tasks *t, uint64_t now_ns)
{
	uint64_t end = s->end_ns < now_ns ? s->end_ns : now_ns;

	s->pub = (struct phase){
		.name = s->name,
		.start_wall_ns = p->wall_ns + (s->start_ns - p->mono_ns),
		.end_wall_ns = p->wall_ns + (end - p->mono_ns),
		.duration_ns = end - s->start_ns,
		.open = s->end_ns > now_ns,
		.ios = s->ios,
		.bytes = s->bytes,
		.reread_known = s->followed || !s->read_bytes,
		.p50_ns = hist_percentile(&s->latency, 0.5),
		.p99_ns = hist_percentile(&s->latency, 0.99),
	};
	if (s->followed)
		s->pub.reread_bytes = s->followed == s->read_bytes
					      ? s->again
					      : (uint64_t)((double)s->again / (double)s->followed * (double)s->read_bytes);
	return view_workers(p, s, t);
}

int phases_view(struct phases *p, struct tasks *t, uint64_t from_ns, uint64_t now_ns, bool all)
{
	int err;

	p->n_list = 0;
	if (!p->on)
		return 0;
	err = phases_settle(p, all ? UINT64_MAX : now_ns > HELD_NS ? now_ns - HELD_NS : 0) ?: p->failed;
	free(p->list);
	p->list = calloc(p->n, sizeof(*p->list));
	if (!p->list)
		return -ENOMEM;
	for (size_t i = 0; !err && i < p->n; i++) {
		struct phase_slot *s = &p->slots[i];

		if (!s->name[0] || s->start_ns >= now_ns || s->end_ns <= from_ns)
			continue;
		err = view(p, s, t, now_ns);
		p->list[p->n_list++] = s->pub;
	}
	return err;
}
