// SPDX-License-Identifier: GPL-2.0
/*
 * Processes: found or made by the event that tells of them, described by it, retired
 * when they exit, and forgotten oldest first. Who belongs to a selection is member.c's,
 * threads are thread.c's.
 */
#include "attrib/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attrib/identity.h"
#include "attrib/member.h"

#define CLOCK_TICK_NS 10000000u /* what /proc/PID/stat rounds a start down to */

void proc_table_init(struct proc_table *t, const struct selection *s, bool want_threads)
{
	*t = (struct proc_table){.selection = s, .want_threads = want_threads};
	map_init(&t->by_pid, sizeof(uint32_t));
	map_init(&t->threads, sizeof(((struct proc_thread *)0)->key));
	list_init(&t->live.items);
	list_init(&t->dead.items);
	list_init(&t->threads_live.items);
	list_init(&t->threads_dead.items);
}

void proc_ref(struct proc *p)
{
	p->refs++;
}

void proc_unref(struct proc *p)
{
	if (--p->refs == 0)
		free(p);
}

static struct shelf *shelf_of(struct proc_table *t, const struct proc *p)
{
	return p->dead ? &t->dead : &t->live;
}

static void shelve(struct proc_table *t, struct proc *p)
{
	struct shelf *s = shelf_of(t, p);

	list_add(&s->items, &p->order);
	s->n++;
}

static void unshelve(struct proc_table *t, struct proc *p)
{
	list_del(&p->order);
	shelf_of(t, p)->n--;
}

static struct proc *chain(const struct proc_table *t, uint32_t pid)
{
	return map_get(&t->by_pid, &pid);
}

static void unchain(struct proc_table *t, struct proc *p)
{
	struct proc *first = chain(t, p->pub.pid);
	struct proc *before = first;

	if (first == p && !p->next) {
		map_del(&t->by_pid, &p->pub.pid);
		return;
	}
	if (first == p) { /* replacing a value allocates nothing */
		map_put(&t->by_pid, &p->pub.pid, p->next);
		return;
	}
	while (before->next != p)
		before = before->next;
	before->next = p->next;
}

/* Forgets a process; rows that name it keep it. Its pid may come again, and nothing will tell that it had been another's. */
static void drop(struct proc_table *t, struct proc *p)
{
	t->generation += p->asked;
	unchain(t, p);
	unshelve(t, p);
	brood_leave(p);
	proc_threads_drop(t, p);
	proc_unref(p);
}

static void trim(struct proc_table *t, struct shelf *s, size_t limit)
{
	while (s->n > limit)
		drop(t, list_entry(s->items.next, struct proc, order));
}

void proc_table_free(struct proc_table *t)
{
	trim(t, &t->live, 0);
	trim(t, &t->dead, 0);
	map_free(&t->by_pid);
	map_free(&t->threads);
}

static void retire(struct proc_table *t, struct proc *p)
{
	if (p->dead)
		return;
	unshelve(t, p);
	p->dead = true;
	shelve(t, p);
	proc_threads_die(t, p);
	trim(t, &t->dead, PROC_DEAD);
}

/* An exec from another thread than the leader makes the leader exit first. */
static void revive(struct proc_table *t, struct proc *p)
{
	if (!p->dead)
		return;
	unshelve(t, p);
	p->dead = false;
	shelve(t, p);
}

static struct proc *chain_last(struct proc *p, size_t *n)
{
	for (*n = 1; p->next; ++*n)
		p = p->next;
	return p;
}

static void limit_chain(struct proc_table *t, struct proc *p)
{
	size_t n;
	struct proc *last = chain_last(p, &n);

	if (n > PROC_SAME_PID)
		drop(t, last);
}

static struct proc *find_outlived(const struct proc_table *t, uint32_t pid)
{
	struct proc *youngest = proc_at(t, pid, UINT64_MAX).proc;

	for (struct proc *p = chain(t, pid); p; p = p->next)
		if (p != youngest && !p->dead)
			return p;
	return NULL;
}

/* A pid has one living process, the last one born: the exits of others got lost. */
static void retire_outlived(struct proc_table *t, uint32_t pid)
{
	struct proc *p;

	while ((p = find_outlived(t, pid)))
		retire(t, p);
}

static struct proc *proc_new(struct proc_table *t, uint32_t pid, uint64_t born_ns)
{
	struct proc *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pub.pid = pid;
	p->pub.uid = UINT32_MAX;
	p->born_ns = p->seen_ns = born_ns;
	p->serial = ++t->serial;
	p->refs = 1;
	list_init(&p->threads);
	brood_init(p);
	p->next = chain(t, pid);
	if (map_put(&t->by_pid, &pid, p)) {
		free(p);
		return NULL;
	}
	shelve(t, p);
	if (p->next)
		t->generation++;
	limit_chain(t, p);
	trim(t, &t->live, PROC_LIVE);
	return p;
}

struct proc *proc_guess(struct proc_table *t, uint32_t pid, uint64_t at_ns)
{
	struct proc *p = proc_new(t, pid, at_ns);

	if (p)
		p->guessed = true;
	return p;
}

struct proc_span proc_at(const struct proc_table *t, uint32_t pid, uint64_t at_ns)
{
	struct proc_span found = {.from = 0, .until = UINT64_MAX};
	struct proc *first = chain(t, pid);
	struct proc *oldest = first;

	for (struct proc *p = first; p; p = p->next) {
		if (p->born_ns < oldest->born_ns)
			oldest = p;
		if (p->born_ns > at_ns) {
			if (p->born_ns - 1 < found.until)
				found.until = p->born_ns - 1;
		} else if (!found.proc || p->born_ns > found.proc->born_ns) {
			found.proc = p;
		}
	}
	if (!found.proc)
		found.proc = oldest;
	else if (found.proc != oldest)
		found.from = found.proc->born_ns;
	return found;
}

/* Two words on a process's start mean the same one; one of them may come from /proc. */
static bool same_start(uint64_t a, uint64_t b)
{
	if (a == b)
		return true;
	return (a % CLOCK_TICK_NS == 0 || b % CLOCK_TICK_NS == 0) &&
	       a / CLOCK_TICK_NS == b / CLOCK_TICK_NS;
}

struct proc *proc_by_start(const struct proc_table *t, uint32_t pid, uint64_t start_ns)
{
	struct proc *p = chain(t, pid);

	while (p && !(p->pub.start_ns && same_start(p->pub.start_ns, start_ns)))
		p = p->next;
	return p;
}

struct proc *proc_parent(const struct proc_table *t, const struct proc *p)
{
	struct proc *parent = p->pub.ppid ? proc_at(t, p->pub.ppid, p->born_ns).proc : NULL;

	return parent == p ? NULL : parent;
}

static bool is_leader(const struct iolat_task *e)
{
	return e->tid == e->tgid;
}

/* Whether a process known by its I/O only may be the one that the event tells of: a new
 * one cannot have done I/O before its birth. */
static bool may_be(const struct proc *p, const struct iolat_task *e)
{
	bool birth = e->what == IOLAT_TASK_NEW && is_leader(e);

	return p->guessed && !p->dead && (!birth || e->ts_ns <= p->born_ns);
}

static struct proc *find(const struct proc_table *t, const struct iolat_task *e)
{
	struct proc *first = chain(t, e->tgid), *known;

	if (!e->start_ns && !(e->what == IOLAT_TASK_NEW && is_leader(e)))
		return proc_at(t, e->tgid, e->ts_ns).proc;
	known = e->start_ns ? proc_by_start(t, e->tgid, e->start_ns) : NULL;
	if (known)
		return known;
	for (struct proc *p = first; p; p = p->next)
		if (may_be(p, e))
			return p;
	return NULL;
}

static struct proc *find_or_make(struct proc_table *t, const struct iolat_task *e)
{
	struct proc *p = find(t, e);

	if (p) {
		if (p->guessed)
			t->generation++;
		p->guessed = false;
		return p;
	}
	p = proc_new(t, e->tgid, e->ts_ns);
	if (p)
		retire_outlived(t, e->tgid);
	return p;
}

static void learn_birth(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	bool finer = e->start_ns % CLOCK_TICK_NS != 0;

	if (e->start_ns && (!p->pub.start_ns || finer))
		p->pub.start_ns = e->start_ns;
	if (e->what != IOLAT_TASK_NEW && e->what != IOLAT_TASK_SEEN)
		return;
	if (e->ns_pid)
		p->pub.ns_pid = e->ns_pid;
	if (!is_leader(e))
		return;
	p->begun_ns = e->begun_ns;
	if (e->what == IOLAT_TASK_NEW || !p->pub.ppid)
		p->pub.ppid = e->ppid; /* a scan sees orphans' new parents */
	if (e->ts_ns < p->born_ns) {
		p->born_ns = e->ts_ns;
		t->generation++;
	}
}

static void learn_comm(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	if (!is_leader(e) || e->ts_ns < p->comm_ns)
		return;
	if (p->kthread)
		t->generation++; /* `via` is made of it */
	memcpy(p->pub.comm, e->comm, sizeof(p->pub.comm));
	p->pub.comm_known = true;
	p->comm_ns = e->ts_ns;
}

static void learn_uid(struct proc *p, const struct iolat_task *e)
{
	bool tells = e->what == IOLAT_TASK_SEEN || e->what == IOLAT_TASK_NEW ||
		     e->what == IOLAT_TASK_EXEC;

	if (!tells || e->ts_ns < p->uid_ns)
		return;
	p->pub.uid = e->uid;
	p->uid_ns = e->ts_ns;
}

static void describe(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	if (e->flags & IOLAT_TASK_KTHREAD)
		p->kthread = true;
	if (e->flags & IOLAT_TASK_SELECTED)
		p->selected = true;
	if (e->ts_ns > p->seen_ns)
		p->seen_ns = e->ts_ns;
	learn_birth(t, p, e);
	learn_comm(t, p, e);
	learn_uid(p, e);
}

/* Those whose exits got lost: all that are thought alive and were not in a complete list. */
static void retire_unlisted(struct proc_table *t, uint64_t listed_ns)
{
	struct list *next;

	for (struct list *l = t->live.items.next; l != &t->live.items; l = next) {
		struct proc *p = list_entry(l, struct proc, order);

		next = l->next;
		if (p->seen_ns < listed_ns)
			retire(t, p);
	}
}

int proc_event(struct proc_table *t, const struct iolat_task *e)
{
	struct proc *p;
	int err;

	if (e->what == IOLAT_TASK_LISTED)
		retire_unlisted(t, e->ts_ns);
	if (!e->tgid) /* the idle tasks */
		return 0;
	p = find_or_make(t, e);
	if (!p)
		return -ENOMEM;
	describe(t, p, e);
	member_event(t, p, e);
	identity_event(t, p, e);
	if (e->what == IOLAT_TASK_EXEC)
		revive(t, p);
	err = proc_thread_event(t, p, e);
	if (e->what == IOLAT_TASK_EXIT && is_leader(e))
		retire(t, p);
	return err;
}
