// SPDX-License-Identifier: GPL-2.0
/*
 * Batches of siblings. A child is placed when it is asked for or exits, and before it all
 * that were born earlier, so that whatever tells a worker from a helper is known by then;
 * each is looked at once.
 */
#include "attrib/batch.h"

#include "attrib/identity.h"
#include "attrib/proc.h"

/* Between two starts of a batch: a fork copies page tables, the others wait for an interpreter
 * that imports, if what it is given does not fit into a pipe. */
static const uint64_t pause_ns[BATCH_KINDS] = {
	[BATCH_FORK] = 1000000000u,
	[BATCH_SPAWN] = 10000000000u,
	[BATCH_SERVED] = 10000000000u,
};

void brood_init(struct proc *p)
{
	list_init(&p->brood.young);
	list_init(&p->brood.place);
}

void brood_leave(struct proc *p)
{
	list_del(&p->brood.place);
	while (!list_empty(&p->brood.young))
		list_del(p->brood.young.next);
}

static struct proc *youngest(const struct proc *parent)
{
	const struct list *young = &parent->brood.young;

	return list_empty(young) ? NULL : list_entry(young->prev, struct proc, brood.place);
}

static void close_all(struct proc *parent)
{
	for (int kind = 0; kind < BATCH_KINDS; kind++)
		parent->brood.batches[kind].closed = true;
}

/* A thread of the loader began. It may be told of twice, and late. */
static void thread_began(struct proc *parent, uint64_t at_ns)
{
	struct proc *last = youngest(parent);

	if (last) {
		last->brood.closes |= at_ns > last->begun_ns;
		return;
	}
	for (int kind = 0; kind < BATCH_KINDS; kind++)
		if (at_ns > parent->brood.batches[kind].last_ns)
			parent->brood.batches[kind].closed = true;
}

static void note_thread(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	struct proc *server = p->brood.server ? proc_at(t, p->brood.server, e->ts_ns).proc : NULL;

	if (!e->begun_ns)
		return;
	thread_began(p, e->begun_ns);
	if (server)
		thread_began(server, e->begun_ns);
}

static void note_birth(struct proc_table *t, struct proc *p)
{
	struct proc *parent = proc_parent(t, p);

	if (p->brood.adopted)
		return;
	p->brood.adopted = true;
	if (parent && !p->kthread)
		list_add(&parent->brood.young, &p->brood.place);
}

static enum batch_kind kind_of(const struct proc *p, const struct proc *parent)
{
	if (!p->forked)
		return BATCH_SPAWN;
	return parent->pub.role == ROLE_MP_FORKSERVER ? BATCH_SERVED : BATCH_FORK;
}

static bool starts_another(const struct batch *b, enum batch_kind kind, const struct proc *p)
{
	if (!b->n || b->closed)
		return true;
	if (!b->alive && b->emptied_ns <= p->begun_ns)
		return true;
	return p->begun_ns > b->last_ns + pause_ns[kind];
}

/* With a fork server the workers' parent is not who wants them. */
static const struct proc *loader_of(const struct proc_table *t, const struct proc *parent)
{
	const struct proc *above =
		parent->pub.role == ROLE_MP_FORKSERVER ? proc_parent(t, parent) : NULL;

	return above ? above : parent;
}

static void count_in(const struct proc_table *t, struct proc *parent, struct proc *p)
{
	enum batch_kind kind = kind_of(p, parent);
	struct batch *b = &parent->brood.batches[kind];

	if (starts_another(b, kind, p))
		*b = (struct batch){.number = b->number + 1};
	p->pub.index_known = true;
	p->pub.index = b->n++;
	b->alive++;
	b->last_ns = p->begun_ns;
	p->brood.counted = true;
	p->brood.kind = kind;
	p->brood.number = b->number;
	p->brood.loader = loader_of(t, parent)->serial;
}

static void place(struct proc_table *t, struct proc *parent, struct proc *p)
{
	identity_settle(t, p);
	list_del(&p->brood.place);
	if (role_is_worker(p->pub.role) && !p->brood.counted)
		count_in(t, parent, p);
	if (p->brood.closes)
		close_all(parent);
	p->brood.closes = false;
}

void brood_place(struct proc_table *t, struct proc *p)
{
	struct proc *parent = proc_parent(t, p), *child = NULL;

	if (!parent)
		return;
	for (struct list *l = parent->brood.young.next, *next;
	     !list_empty(&p->brood.place) && l != &parent->brood.young && child != p; l = next) {
		next = l->next;
		child = list_entry(l, struct proc, brood.place);
		place(t, parent, child);
	}
	/* Known for what it is too late for its turn. */
	if (role_is_worker(p->pub.role) && !p->brood.counted)
		count_in(t, parent, p);
}

static struct batch *batch_of(const struct proc_table *t, const struct proc *p)
{
	struct proc *parent = p->brood.counted ? proc_parent(t, p) : NULL;
	struct batch *b = parent ? &parent->brood.batches[p->brood.kind] : NULL;

	return b && b->number == p->brood.number ? b : NULL;
}

void brood_displace(struct proc_table *t, struct proc *p)
{
	struct batch *b = batch_of(t, p);

	if (b) {
		b->alive--;
		if (b->n == p->pub.index + 1)
			b->n--;
	}
	p->brood.counted = false;
	p->pub.index_known = false;
}

static void note_end(struct proc_table *t, struct proc *p, uint64_t at_ns)
{
	struct batch *b;

	brood_place(t, p);
	list_del(&p->brood.place);
	b = batch_of(t, p);
	if (b && --b->alive == 0)
		b->emptied_ns = at_ns;
}

void brood_event(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	bool leader = e->tid == e->tgid;
	bool birth = e->what == IOLAT_TASK_NEW || e->what == IOLAT_TASK_SEEN;

	if (birth && leader)
		note_birth(t, p);
	else if (birth)
		note_thread(t, p, e);
	else if (e->what == IOLAT_TASK_EXIT && leader && !p->dead)
		note_end(t, p, e->ts_ns);
}
