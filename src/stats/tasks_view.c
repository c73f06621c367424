// SPDX-License-Identifier: GPL-2.0
/* Tasks as a frame shows them: those that lived or waited in it, each with its subjects and its time, the longest
 * blocked first. */
#include <errno.h>
#include <stdlib.h>

#include "stats/tasks.h"

struct task_sums tasks_sums(const struct task_slot *s, bool whole)
{
	struct task_sums sums = s->now;

	if (!whole)
		return sums;
	for (size_t i = 0; i < REASON_MAX; i++)
		sums.reasons[i] += s->before.reasons[i];
	sums.sync_ns += s->before.sync_ns;
	sums.syncs += s->before.syncs;
	sums.dirty_ns += s->before.dirty_ns;
	sums.dirties += s->before.dirties;
	return sums;
}

static uint64_t overlap(const struct task_slot *s, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = s->born_ns > from_ns ? s->born_ns : from_ns;
	uint64_t to = s->died_ns && s->died_ns < to_ns ? s->died_ns : to_ns;

	return to > from ? to - from : 0;
}

bool tasks_wanted(struct tasks *t, const struct task_slot *s)
{
	return proc_wanted(&t->model->procs, s->proc) &&
	       cgroups_wanted(&t->model->cgroups, cgroups_find(&t->model->cgroups, s->cgroup));
}

/* A process is settled as a worker some time after its birth, and remains the one that it was. */
static int find_worker(struct tasks *t, struct task_slot *s)
{
	struct known_worker *w;
	int err;

	if (s->died_ns && s->worker)
		return 0;
	err = worker_of(&t->model->workers, &t->model->procs, s->proc, &w);
	if (err || w == s->worker)
		return err;
	if (s->worker)
		worker_unref(s->worker);
	if (w)
		worker_ref(w);
	s->worker = w;
	return 0;
}

static void fill(struct tasks *t, struct task_slot *s, bool whole, uint64_t wall_ns)
{
	const struct known_cgroup *c = cgroups_find(&t->model->cgroups, s->cgroup);
	struct task_sums sums = tasks_sums(s, whole);

	s->pub = (struct task){
		.subject = {.process = &s->proc->pub,
			    .thread = &s->thread->pub,
			    .cgroup = c ? &c->pub : NULL,
			    .container = cgroups_container_of(&t->model->cgroups, s->cgroup),
			    .pod = cgroups_pod_of(&t->model->cgroups, s->cgroup),
			    .job = cgroups_job_of(&t->model->cgroups, s->cgroup)},
		.wall_ns = wall_ns,
	};
	for (size_t i = 0; i < REASON_MAX; i++) {
		s->pub.reasons[i] = sums.reasons[i];
		s->pub.blocked_ns += sums.reasons[i];
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct task_slot *const *pa = a, *const *pb = b;
	const struct task *x = &(*pa)->pub, *y = &(*pb)->pub;

	if (x->blocked_ns != y->blocked_ns)
		return x->blocked_ns < y->blocked_ns ? 1 : -1;
	if (x->subject.process->pid != y->subject.process->pid)
		return x->subject.process->pid < y->subject.process->pid ? -1 : 1;
	return x->subject.thread->tid < y->subject.thread->tid ? -1 : 1;
}

static int make_room(struct tasks *t)
{
	struct task *list;
	const struct task_slot **slots;

	if (t->n < t->room)
		return 0;
	list = realloc(t->list, (t->n + 1) * sizeof(*list));
	if (list)
		t->list = list;
	slots = realloc(t->slots, (t->n + 1) * sizeof(*slots));
	if (slots)
		t->slots = slots;
	if (!list || !slots)
		return -ENOMEM;
	t->room = t->n + 1;
	return 0;
}

/* Waits may have been counted a little further than the frame's end. */
static uint64_t end_of(const struct tasks *t, uint64_t now_ns)
{
	return now_ns > t->counted_ns ? now_ns : t->counted_ns;
}

int tasks_view(struct tasks *t, bool whole, uint64_t now_ns)
{
	uint64_t from = whole ? t->start_ns : t->interval_ns, to = end_of(t, now_ns);
	int err;

	tasks_trim(t); /* not behind a view, whose tasks are still being shown */
	err = make_room(t);
	if (err)
		return err;
	for (struct list *l = t->order.next; l != &t->order; l = l->next) {
		struct task_slot *s = list_entry(l, struct task_slot, order);
		uint64_t wall = overlap(s, from, to);

		fill(t, s, whole, wall);
		if (!(wall || s->pub.blocked_ns) || !tasks_wanted(t, s))
			continue;
		err = find_worker(t, s);
		if (err)
			return err;
		s->pub.subject.worker = s->worker ? &s->worker->pub : NULL;
		t->slots[t->n_list++] = s;
	}
	qsort(t->slots, t->n_list, sizeof(*t->slots), longest_first);
	for (size_t i = 0; i < t->n_list; i++)
		t->list[i] = t->slots[i]->pub;
	return 0;
}

void tasks_turn(struct tasks *t, uint64_t now_ns)
{
	for (struct list *l = t->order.next; l != &t->order; l = l->next) {
		struct task_slot *s = list_entry(l, struct task_slot, order);

		s->before = tasks_sums(s, true);
		s->now = (struct task_sums){0};
		s->disk_ns = 0;
	}
	waited_turn(&t->waited);
	if (end_of(t, now_ns) > t->interval_ns)
		t->interval_ns = end_of(t, now_ns);
}
