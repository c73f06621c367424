// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of processes: a name a tid, kept only where rows are made by thread. A thread
 * that exits stays for a while, since its last requests may still be on their way, but
 * not longer than its process.
 */
#include "attrib/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void proc_thread_ref(struct proc_thread *th)
{
	th->refs++;
}

void proc_thread_unref(struct proc_thread *th)
{
	if (--th->refs == 0)
		free(th);
}

static struct shelf *shelf_of(struct proc_table *t, const struct proc_thread *th)
{
	return th->dead ? &t->threads_dead : &t->threads_live;
}

static void shelve(struct proc_table *t, struct proc_thread *th)
{
	struct shelf *s = shelf_of(t, th);

	list_add(&s->items, &th->order);
	s->n++;
}

static void unshelve(struct proc_table *t, struct proc_thread *th)
{
	list_del(&th->order);
	shelf_of(t, th)->n--;
}

/* Where somebody else refers to it, a tid has led to it. */
static void drop(struct proc_table *t, struct proc_thread *th)
{
	t->generation += th->refs > 1;
	map_del(&t->threads, th->key);
	unshelve(t, th);
	list_del(&th->siblings);
	proc_thread_unref(th);
}

static void trim(struct proc_table *t, struct shelf *s, size_t limit)
{
	while (s->n > limit)
		drop(t, list_entry(s->items.next, struct proc_thread, order));
}

static void die(struct proc_table *t, struct proc_thread *th)
{
	if (th->dead)
		return;
	unshelve(t, th);
	th->dead = true;
	shelve(t, th);
}

void proc_threads_die(struct proc_table *t, struct proc *p)
{
	for (struct list *l = p->threads.next; l != &p->threads; l = l->next)
		die(t, list_entry(l, struct proc_thread, siblings));
	trim(t, &t->threads_dead, THREAD_DEAD);
}

void proc_threads_drop(struct proc_table *t, struct proc *p)
{
	while (!list_empty(&p->threads))
		drop(t, list_entry(p->threads.next, struct proc_thread, siblings));
}

static struct proc_thread *find(const struct proc_table *t, const struct proc *p, uint32_t tid)
{
	uint64_t key[2] = {p->serial, tid};

	return map_get(&t->threads, key);
}

static struct proc_thread *make(struct proc_table *t, struct proc *p, uint32_t tid)
{
	struct proc_thread *th = calloc(1, sizeof(*th));

	if (!th)
		return NULL;
	th->pub.tid = tid;
	th->key[0] = p->serial;
	th->key[1] = tid;
	th->serial = ++t->serial;
	th->refs = 1;
	th->dead = p->dead;
	if (map_put(&t->threads, th->key, th)) {
		free(th);
		return NULL;
	}
	list_add(&p->threads, &th->siblings);
	shelve(t, th);
	trim(t, &t->threads_live, THREAD_LIVE);
	trim(t, &t->threads_dead, THREAD_DEAD);
	return th;
}

static void name(struct proc_thread *th, const char *comm, uint64_t ts_ns)
{
	memcpy(th->pub.comm, comm, sizeof(th->pub.comm));
	th->pub.comm_known = true;
	th->comm_ns = ts_ns;
}

/* A leader's name is its process's. */
struct proc_thread *proc_thread_get(struct proc_table *t, struct proc *p, uint32_t tid)
{
	struct proc_thread *th = find(t, p, tid);

	if (th)
		return th;
	th = make(t, p, tid);
	if (th && tid == p->pub.pid && p->pub.comm_known)
		name(th, p->pub.comm, p->comm_ns);
	return th;
}

/* A tid that is born again within its process is another thread. */
static void forget_former(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	struct proc_thread *th = find(t, p, e->tid);

	if (e->what == IOLAT_TASK_NEW && th && th->dead)
		drop(t, th);
}

int proc_thread_event(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	struct proc_thread *th;

	if (!t->want_threads)
		return 0;
	forget_former(t, p, e);
	th = proc_thread_get(t, p, e->tid);
	if (!th)
		return -ENOMEM;
	if (e->ts_ns >= th->comm_ns)
		name(th, e->comm, e->ts_ns);
	if (e->what == IOLAT_TASK_EXIT)
		die(t, th);
	trim(t, &t->threads_dead, THREAD_DEAD);
	return 0;
}
