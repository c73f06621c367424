// SPDX-License-Identifier: GPL-2.0
/*
 * Every process that a stream tells of has an entry here. What was there at the start is told of anyway: it is not much,
 * and a selection may name it.
 */
#include "capture/held.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "iolat/wire.h"

enum state {
	HELD,	/* back */
	TOLD,	/* it is told of, its threads and children are not */
	NEEDED, /* all of it is told, and what its children are */
};

struct kept {
	struct list order; /* in its process */
	uint64_t serial;
	size_t size;
	_Alignas(8) char event[];
};

struct process {
	uint32_t tgid;
	enum state state;
	bool ended;
	struct process *parent;	 /* NULL: not known (any more) */
	struct list siblings;	 /* place among the parent's children */
	struct list children;
	struct list order;	 /* place among the dead */
	struct list kept;	 /* struct kept */
};

void held_init(struct held *h, int (*event)(void *ctx, const void *data, size_t size), void *ctx)
{
	*h = (struct held){.event = event, .ctx = ctx};
	map_init(&h->processes, sizeof(uint32_t));
	list_init(&h->dead);
}

/* --- processes ---------------------------------------------------------------------- */

static struct process *find(const struct held *h, uint32_t tgid)
{
	return map_get(&h->processes, &tgid);
}

static struct process *make(struct held *h, uint32_t tgid, uint32_t ppid, enum state state)
{
	struct process *p = calloc(1, sizeof(*p)), *parent = find(h, ppid);

	if (!p || map_put(&h->processes, &tgid, p)) {
		free(p);
		return NULL;
	}
	p->tgid = tgid;
	p->state = state;
	p->parent = parent;
	list_init(&p->siblings);
	list_init(&p->children);
	list_init(&p->order);
	list_init(&p->kept);
	if (parent)
		list_add(&parent->children, &p->siblings);
	return p;
}

static void drop_kept(struct held *h, struct kept *k)
{
	list_del(&k->order);
	free(k);
	h->n_events--;
}

static void forget(struct held *h, struct process *p)
{
	while (!list_empty(&p->kept))
		drop_kept(h, list_entry(p->kept.next, struct kept, order));
	while (!list_empty(&p->children)) {
		list_entry(p->children.next, struct process, siblings)->parent = NULL;
		list_del(p->children.next);
	}
	list_del(&p->siblings);
	list_del(&p->order);
	h->n_dead -= p->ended;
	map_del(&h->processes, &p->tgid);
	free(p);
}

static void set_ended(struct held *h, struct process *p, bool ended)
{
	if (p->ended == ended)
		return;
	p->ended = ended;
	list_del(&p->order);
	if (ended)
		list_add(&h->dead, &p->order);
	h->n_dead += ended ? 1 : -1;
}

static void clear(struct held *h)
{
	struct process *p;

	for (size_t i = 0; (p = map_next(&h->processes, &i, NULL));)
		forget(h, p);
	h->last = 0;
}

void held_free(struct held *h)
{
	clear(h);
	map_free(&h->processes);
}

/* --- what is needed ----------------------------------------------------------------- */

static bool is_of_thread(const struct kept *k)
{
	const struct iolat_task *e = (const void *)k->event;

	return e->head.kind == IOLAT_EV_TASK && e->tid != e->tgid;
}

/* Descendants, in fact. */
static bool has_living(const struct process *p)
{
	const struct process *child;

	for (struct list *l = p->children.next; l != &p->children; l = l->next) {
		child = list_entry(l, struct process, siblings);
		if (!child->ended || has_living(child))
			return true;
	}
	return false;
}

static size_t gather(struct process *p, struct list *to, bool threads)
{
	size_t n = 0;

	for (struct list *l = p->kept.next, *next; l != &p->kept; l = next) {
		next = l->next;
		if (!threads && is_of_thread(list_entry(l, struct kept, order)))
			continue;
		list_del(l);
		list_add(to, l);
		n++;
	}
	return n;
}

/* What is told of a process that others live under comes before what becomes of it. */
static size_t gather_family(struct process *p, struct list *to)
{
	size_t n = gather(p, to, true);

	p->state = NEEDED;
	for (struct list *l = p->children.next; l != &p->children; l = l->next) {
		struct process *child = list_entry(l, struct process, siblings);

		if (child->state != HELD)
			continue;
		child->state = TOLD;
		n += has_living(child) ? gather_family(child, to) : gather(child, to, false);
	}
	return n;
}

static int older_first(const void *left, const void *right)
{
	const struct kept *a = *(struct kept *const *)left, *b = *(struct kept *const *)right;

	return (a->serial > b->serial) - (a->serial < b->serial);
}

/* In the order in which they came. */
static int tell_all(struct held *h, struct list *gathered, size_t n)
{
	struct kept **all = calloc(n, sizeof(struct kept *));
	int err = all ? 0 : -ENOMEM;
	struct list *l = gathered;

	for (size_t i = 0; !err && i < n; i++) {
		l = l->next;
		all[i] = list_entry(l, struct kept, order);
	}
	if (all)
		qsort(all, n, sizeof(struct kept *), older_first);
	for (size_t i = 0; !err && i < n; i++)
		err = h->event(h->ctx, all[i]->event, all[i]->size);
	while (!list_empty(gathered))
		drop_kept(h, list_entry(gathered->next, struct kept, order));
	free(all);
	return err;
}

static int need_process(struct held *h, struct process *p)
{
	struct list gathered;
	size_t n = 0;

	list_init(&gathered);
	for (; p && p->state != NEEDED; p = p->parent)
		n += gather_family(p, &gathered);
	return n ? tell_all(h, &gathered, n) : 0;
}

static int need(struct held *h, uint32_t tgid)
{
	struct process *p;

	if (!tgid || tgid == h->last)
		return 0;
	h->last = tgid;
	p = find(h, tgid) ?: make(h, tgid, 0, NEEDED);
	return p ? need_process(h, p) : -ENOMEM;
}

/* Those it leaves are told by it. */
static int leave(struct held *h, struct process *p)
{
	int err = has_living(p) ? need_process(h, p) : 0;

	forget(h, p);
	return err;
}

static int trim(struct held *h)
{
	int err = 0;

	while (!err && (h->n_dead > HELD_DEAD || (h->n_dead && h->n_events > HELD_EVENTS)))
		err = leave(h, list_entry(h->dead.next, struct process, order));
	return err;
}

/* --- events --------------------------------------------------------------------------- */

static int pass(struct held *h, const void *event, size_t size)
{
	return h->event(h->ctx, event, size);
}

/* A process that has too much to be kept is told of. */
static int keep(struct held *h, struct process *p, const void *event, size_t size)
{
	struct kept *k;

	if (h->n_events > HELD_EVENTS)
		return need_process(h, p) ?: pass(h, event, size);
	k = malloc(sizeof(*k) + size);
	if (!k)
		return -ENOMEM;
	k->serial = ++h->serial;
	k->size = size;
	memcpy(k->event, event, size);
	list_add(&p->kept, &k->order);
	h->n_events++;
	return 0;
}

/* What was kept of a thread is of no use to anybody when it has ended. */
static void end_thread(struct held *h, struct process *p, uint32_t tid)
{
	const struct iolat_task *e;

	for (struct list *l = p->kept.next, *next; l != &p->kept; l = next) {
		struct kept *k = list_entry(l, struct kept, order);

		next = l->next;
		e = (const void *)k->event;
		if (e->head.kind == IOLAT_EV_TASK && e->tid == tid)
			drop_kept(h, k);
	}
}

static int born(struct held *h, const struct iolat_task *e, struct process **out)
{
	struct process *old = find(h, e->tgid), *parent;
	int err = old ? leave(h, old) : 0;

	if (h->last == e->tgid)
		h->last = 0;
	parent = find(h, e->ppid);
	*out = make(h, e->tgid, e->ppid, parent && parent->state == NEEDED ? TOLD : HELD);
	return err ?: *out ? 0 : -ENOMEM;
}

static int find_or_make(struct held *h, const struct iolat_task *e, struct process **out)
{
	if (e->tid == e->tgid && e->what == IOLAT_TASK_NEW)
		return born(h, e, out);
	*out = find(h, e->tgid) ?: make(h, e->tgid, e->ppid, TOLD);
	return *out ? 0 : -ENOMEM;
}

static int take_thread(struct held *h, struct process *p, const struct iolat_task *e, size_t size)
{
	if (p->state == NEEDED)
		return pass(h, e, size);
	if (e->what != IOLAT_TASK_EXIT)
		return keep(h, p, e, size);
	end_thread(h, p, e->tid);
	return 0;
}

/* What may change how its children are seen. */
static int take_own(struct held *h, struct process *p, const void *event, size_t size)
{
	int err = 0;

	if (p->state == HELD)
		return keep(h, p, event, size);
	if (p->state == TOLD && has_living(p))
		err = need_process(h, p);
	return err ?: pass(h, event, size);
}

static int take_task(struct held *h, const struct iolat_task *e, size_t size)
{
	struct process *p;
	int err = find_or_make(h, e, &p);

	if (!err && e->flags & (IOLAT_TASK_SELECTED | IOLAT_TASK_TRACED))
		err = need_process(h, p);
	if (err)
		return err;
	if (e->tid != e->tgid)
		return take_thread(h, p, e, size);
	set_ended(h, p, e->what == IOLAT_TASK_EXIT);
	return take_own(h, p, e, size);
}

/* Who an event is about that makes a process worth to be told of. A kernel thread has a tid only. */
static uint32_t named_by(const void *event, size_t size)
{
	const struct iolat_head *head = event;
	uint32_t tgid = 0;

#define OWNED(KIND, name)                                                                          \
	if (head->kind == IOLAT_EV_##KIND && size >= sizeof(struct iolat_##name)) {                \
		const struct iolat_##name *e = event;                                              \
                                                                                                   \
		tgid = e->tgid ?: e->tid;                                                          \
	}
#define NAMED(KIND, name)                                                                          \
	if (head->kind == IOLAT_EV_##KIND && size >= sizeof(struct iolat_##name))                  \
		tgid = ((const struct iolat_##name *)event)->tgid;
	OWNED(REQUEST, request)
	OWNED(SHARE, share)
	OWNED(AGGREGATE, aggregate)
	OWNED(OTHER, other)
	OWNED(INFLIGHT, inflight)
	NAMED(WAIT, wait)
	NAMED(CALLED, called)
	NAMED(GPU_PROCESS, gpu_process)
#undef OWNED
#undef NAMED
	return tgid;
}

static int take_facts(struct held *h, const struct iolat_process_facts *e, size_t size)
{
	struct process *p = find(h, e->tgid);

	return p ? take_own(h, p, e, size) : pass(h, e, size);
}

int held_take(struct held *h, const void *event, size_t size)
{
	const struct iolat_head *head = event;
	const struct iolat_task *task = event;
	int err;

	if (head->kind == IOLAT_EV_RUN)
		clear(h);
	err = trim(h);
	if (err)
		return err;
	if (head->kind == IOLAT_EV_TASK && size >= sizeof(*task) && task->tgid)
		return take_task(h, event, size);
	if (head->kind == IOLAT_EV_PROCESS_FACTS && size >= sizeof(struct iolat_process_facts))
		return take_facts(h, event, size);
	return need(h, named_by(event, size)) ?: pass(h, event, size);
}
