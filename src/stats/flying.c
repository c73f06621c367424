// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps one look's worth of events. A task that is held back by its cgroup's limit has no request yet: it is
 * listed with what its call and the limit tell, as inferred.
 */
#include "stats/flying.h"

#include <errno.h>
#include <stdlib.h>

/* A thread is made when it is asked for, and may then push out another that is listed: each is held. */
static void let_go(struct flying *f)
{
	for (size_t i = 0; i < f->n_listed; i++)
		if (f->stuck[i].subject.thread && !f->stuck[i].inferred)
			proc_thread_unref(list_entry(f->stuck[i].subject.thread, struct proc_thread, pub));
	f->n_stuck = f->n_listed = 0;
}

void flying_free(struct flying *f)
{
	let_go(f);
	free(f->list);
	free(f->stuck);
}

void flying_look(struct flying *f, const struct iolat_look *e)
{
	f->known |= e->inflight;
	f->n = 0;
}

int flying_add(struct flying *f, const struct iolat_inflight *e)
{
	struct iolat_inflight *list;
	size_t room = f->room ? 2 * f->room : 64;

	if (f->n == FLYING_MAX)
		return 0;
	if (f->n == f->room) {
		list = realloc(f->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		f->list = list;
		f->room = room;
	}
	f->list[f->n++] = *e;
	return 0;
}

static struct stuck *next_stuck(struct flying *f)
{
	struct stuck *list;
	size_t room = f->stuck_room ? 2 * f->stuck_room : 16;

	if (f->n_listed == f->stuck_room) {
		list = realloc(f->stuck, room * sizeof(*list));
		if (!list)
			return NULL;
		f->stuck = list;
		f->stuck_room = room;
	}
	f->stuck[f->n_listed] = (struct stuck){0};
	return &f->stuck[f->n_listed++];
}

static void name_places(struct stuck *s, struct model *m, uint64_t cgroup)
{
	s->subject.container = cgroups_container_of(&m->cgroups, cgroup);
	s->subject.pod = cgroups_pod_of(&m->cgroups, cgroup);
	s->subject.job = cgroups_job_of(&m->cgroups, cgroup);
}

static int name_owner(struct model *m, const struct iolat_inflight *e, struct stuck *s)
{
	struct via_source from = {.queue = e->via, .copy = e->flags & IOLAT_RQ_COPY};
	struct proc *p = proc_at(&m->procs, e->tgid ? e->tgid : e->tid, e->start_ns).proc;
	struct proc_thread *th;

	if (e->earlier)
		return 0;
	if (!e->tgid || !p || p->kthread) {
		from.thread = p;
		return model_via(m, &from, &s->via);
	}
	if (from.copy && model_via(m, &from, &s->via))
		return -ENOMEM;
	th = proc_thread_get(&m->procs, p, e->tid);
	if (!th)
		return -ENOMEM;
	proc_thread_ref(th);
	s->subject.process = &p->pub;
	s->subject.thread = &th->pub;
	return 0;
}

static int add_request(struct flying *f, struct model *m, const struct iolat_inflight *e,
		       uint64_t now_ns)
{
	struct known_disk *d = lru_get(&m->disks, &e->disk); /* one more might push out another that is listed */
	struct stuck *s = next_stuck(f);

	if (!s)
		return -ENOMEM;
	s->subject.disk = d ? &d->pub : NULL;
	name_places(s, m, e->cgroup);
	s->subject.op = e->op;
	s->stage = e->issue_ns ? STAGE_DEVICE : STAGE_QUEUE;
	s->has_sector = e->sector != ~0ULL;
	s->sector = e->sector;
	s->bytes = e->bytes;
	s->age_ns = now_ns - e->start_ns;
	return name_owner(m, e, s);
}

static const struct disk *disk_by_numbers(struct model *m, const struct iolat_limit *limit)
{
	for (struct list *l = m->disks.order.next; limit && l != &m->disks.order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);
		struct known_disk *d = list_entry(node, struct known_disk, node);

		if (d->pub.major == limit->major && d->pub.minor == limit->minor)
			return &d->pub;
	}
	return NULL;
}

static int add_waiter(struct flying *f, struct tasks *t, const struct task_slot *s, uint64_t now_ns)
{
	bool writes = s->waited_call == IOLAT_CALL_WRITE || s->waited_call == IOLAT_CALL_SYNC;
	struct stuck *k = next_stuck(f);

	if (!k)
		return -ENOMEM;
	k->subject.process = &s->proc->pub;
	k->subject.thread = &s->thread->pub;
	name_places(k, t->model, s->cgroup);
	k->subject.disk = disk_by_numbers(t->model, limited_disk(&t->limited, s->cgroup, !writes, writes));
	k->subject.op = writes ? IOLAT_OP_WRITE : IOLAT_OP_READ;
	k->stage = STAGE_BEFORE_REQUEST;
	k->inferred = true;
	k->age_ns = now_ns - s->waited_ns;
	return 0;
}

static int oldest_first(const void *a, const void *b)
{
	const struct stuck *x = a, *y = b;

	return (x->age_ns < y->age_ns) - (x->age_ns > y->age_ns);
}

static bool is_old(uint64_t start_ns, uint64_t now_ns, uint64_t stuck_ns)
{
	return start_ns && now_ns > start_ns && now_ns - start_ns >= stuck_ns;
}

/* Whether the analysis itself selects the owner: by name, user or container. */
static bool wanted(struct model *m, const struct iolat_inflight *e)
{
	struct proc *p = e->tgid ? proc_at(&m->procs, e->tgid, e->start_ns).proc : NULL;

	return model_wants_io(m, &(struct model_io){e->disk, e->part, e->op, UINT64_MAX}) &&
	       proc_wanted(&m->procs, p) &&
	       cgroups_wanted(&m->cgroups, cgroups_find(&m->cgroups, e->cgroup));
}

int flying_view(struct flying *f, struct tasks *t, uint64_t now_ns, uint64_t stuck_ns, bool all)
{
	uint64_t least_ns = all ? 0 : stuck_ns;
	int err = 0;

	let_go(f);
	/* What has become of it since the last look is not known. */
	if (t->look_ns && now_ns > t->look_ns)
		now_ns = t->look_ns;
	for (size_t i = 0; !err && i < f->n; i++)
		if (is_old(f->list[i].start_ns, now_ns, least_ns) && wanted(t->model, &f->list[i]))
			err = add_request(f, t->model, &f->list[i], now_ns);
	for (struct list *l = t->order.next; !err && l != &t->order; l = l->next) {
		const struct task_slot *s = list_entry(l, struct task_slot, order);

		if (s->waited_reason == REASON_THROTTLE && is_old(s->waited_ns, now_ns, stuck_ns) &&
		    tasks_wanted(t, s))
			err = add_waiter(f, t, s, now_ns);
	}
	if (f->n_listed)
		qsort(f->stuck, f->n_listed, sizeof(*f->stuck), oldest_first);
	while (f->n_stuck < f->n_listed && f->stuck[f->n_stuck].age_ns >= stuck_ns)
		f->n_stuck++;
	return err;
}
