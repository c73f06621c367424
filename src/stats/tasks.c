// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks by their tid, their processes (families) by their tgid. A wait becomes time of its reason when it ends,
 * or at a look while it goes on; one for asynchronous I/O may have to wait for the request that
 * tells what it was.
 */
#include "stats/tasks.h"

#include <errno.h>
#include <stdlib.h>

/* A wait that was for I/O if a request ran in it. */
struct pending {
	struct task_slot *slot;
	uint64_t from_ns, to_ns;
};

struct family {
	unsigned int refs;
	uint32_t tgid;
	struct list members;
	uint64_t request_ns, flying_ns; /* as in struct task_slot */
	struct pending pending[TASKS_PENDING];
	size_t n_pending;
};

void tasks_init(struct tasks *t, struct model *m)
{
	*t = (struct tasks){.model = m};
	limited_init(&t->limited, m);
	waited_init(&t->waited, &m->files);
	map_init(&t->by_tid, sizeof(uint32_t));
	map_init(&t->families, sizeof(uint32_t));
	list_init(&t->order);
}

/* The table's own reference goes with the last task's. */
static void family_unref(struct tasks *t, struct family *f)
{
	if (--f->refs > 1)
		return;
	if (map_get(&t->families, &f->tgid) == f)
		map_del(&t->families, &f->tgid);
	free(f);
}

static void forget_pending(struct family *f, const struct task_slot *s)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_pending; i++)
		if (f->pending[i].slot != s)
			f->pending[n++] = f->pending[i];
	f->n_pending = n;
}

static void slot_free(struct tasks *t, struct task_slot *s)
{
	list_del(&s->order);
	list_del(&s->siblings);
	t->n--;
	if (map_get(&t->by_tid, &s->tid) == s)
		map_del(&t->by_tid, &s->tid);
	forget_pending(s->family, s);
	family_unref(t, s->family);
	proc_unref(s->proc);
	proc_thread_unref(s->thread);
	if (s->worker)
		worker_unref(s->worker);
	free(s);
}

void tasks_free(struct tasks *t)
{
	struct family *f;

	while (!list_empty(&t->order))
		slot_free(t, list_entry(t->order.next, struct task_slot, order));
	for (size_t i = 0; (f = map_next(&t->families, &i, NULL));)
		free(f); /* nobody's: makes no task when memory is short */
	map_free(&t->by_tid);
	map_free(&t->families);
	limited_free(&t->limited);
	waited_free(&t->waited);
	free(t->list);
	free(t->slots);
}

/* --- memory ---------------------------------------------------------------------- */

static uint64_t blocked(const struct task_slot *s)
{
	struct task_sums sums = tasks_sums(s, true);
	uint64_t ns = 0;

	for (size_t i = 0; i < REASON_MAX; i++)
		ns += sums.reasons[i];
	return ns;
}

/* The dead that ended before `died_ns` and waited less than `ns` make room, until there are `kept` tasks. */
static void trim(struct tasks *t, size_t kept, uint64_t died_ns, uint64_t ns)
{
	for (struct list *l = t->order.next, *next; l != &t->order && t->n > kept; l = next) {
		struct task_slot *s = list_entry(l, struct task_slot, order);

		next = l->next;
		if (s->died_ns && s->died_ns < died_ns && blocked(s) < ns)
			slot_free(t, s);
	}
}

void tasks_trim(struct tasks *t)
{
	t->n_list = 0; /* its slots may go */
	if (t->forgets && t->interval_ns > TASKS_TRAIL_NS)
		trim(t, 0, t->interval_ns - TASKS_TRAIL_NS, UINT64_MAX);
	for (uint64_t ns = 1000000; t->n > TASKS_KEPT && ns < 1ull << 62; ns *= 64)
		trim(t, TASKS_KEPT, UINT64_MAX, ns);
}

/* --- who there is ---------------------------------------------------------------- */

static struct family *get_family(struct tasks *t, uint32_t tgid)
{
	struct family *f = map_get(&t->families, &tgid);

	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->tgid = tgid;
	f->refs = 1;
	list_init(&f->members);
	if (map_put(&t->families, &tgid, f)) {
		free(f);
		return NULL;
	}
	return f;
}

static struct task_slot *find(const struct tasks *t, uint32_t tid)
{
	return map_get(&t->by_tid, &tid);
}

/* Waits of a dead task may still be on their way, so it is found until another one has its tid. */
static void bury(struct task_slot *s, uint64_t when_ns)
{
	if (s->died_ns)
		return;
	s->died_ns = when_ns > s->born_ns ? when_ns : s->born_ns;
	s->waited_ns = 0;
}

/* A tid that is born again is another task, and a pid another process. */
static void forget(struct tasks *t, const struct iolat_task *e)
{
	struct task_slot *s = map_del(&t->by_tid, &e->tid);

	if (s)
		bury(s, e->ts_ns);
	if (e->tid == e->tgid)
		map_del(&t->families, &e->tgid);
}

static void refer(struct task_slot *s, struct proc *p, struct proc_thread *th, struct family *f)
{
	proc_ref(p);
	proc_thread_ref(th);
	f->refs++;
	list_add(&f->members, &s->siblings);
	s->proc = p;
	s->thread = th;
	s->family = f;
}

static struct task_slot *make(struct tasks *t, uint32_t tgid, uint32_t tid, uint64_t born_ns)
{
	struct proc *p = proc_at(&t->model->procs, tgid, born_ns).proc;
	struct task_slot *s = calloc(1, sizeof(*s));
	struct proc_thread *th;
	struct family *f;

	if (t->n > 2 * TASKS_KEPT)
		tasks_trim(t); /* a family goes with its last task */
	f = get_family(t, tgid);
	if (!p)
		p = proc_guess(&t->model->procs, tgid, born_ns);
	th = p ? proc_thread_get(&t->model->procs, p, tid) : NULL;
	if (!th || !f || !s || map_put(&t->by_tid, &tid, s)) {
		free(s);
		return NULL;
	}
	refer(s, p, th, f);
	s->tid = tid;
	s->born_ns = born_ns;
	s->accounted_ns = born_ns > t->start_ns ? born_ns : t->start_ns;
	list_add(&t->order, &s->order);
	t->n++;
	if (p->dead) /* one that was forgotten, whose last waits come late */
		bury(s, p->seen_ns);
	return s;
}

/* The task, made when it is new; a tid that belongs to another process by now is another task. */
static struct task_slot *get(struct tasks *t, uint32_t tgid, uint32_t tid, uint64_t born_ns)
{
	struct task_slot *s = find(t, tid);

	if (s && s->family->tgid == tgid)
		return s;
	if (s)
		bury(s, born_ns);
	return make(t, tgid, tid, born_ns);
}

static void ends(struct tasks *t, const struct iolat_task *e)
{
	struct family *f = map_get(&t->families, &e->tgid);
	struct task_slot *s = find(t, e->tid);

	if (e->tid != e->tgid) {
		if (s && s->family == f)
			bury(s, e->ts_ns);
		return;
	}
	for (struct list *l = f ? f->members.next : NULL; f && l != &f->members; l = l->next)
		bury(list_entry(l, struct task_slot, siblings), e->ts_ns);
}

/* A task that was there at the start has lived since then, as far as this run goes. */
int tasks_task(struct tasks *t, const struct iolat_task *e)
{
	struct task_slot *s;

	if (!t->on || !e->tgid)
		return 0;
	if (e->what == IOLAT_TASK_EXIT)
		ends(t, e);
	if (e->what == IOLAT_TASK_NEW)
		forget(t, e);
	if (e->what == IOLAT_TASK_EXIT || !(e->flags & IOLAT_TASK_TRACED))
		return 0;
	s = get(t, e->tgid, e->tid, e->what == IOLAT_TASK_SEEN ? t->start_ns : e->ts_ns);
	if (!s)
		return -ENOMEM;
	if (e->cgroup)
		s->cgroup = e->cgroup;
	return 0;
}

/* --- what they wait for ------------------------------------------------------------ */

static void tell(struct tasks *t, const struct task_slot *s, enum spent_on on, uint64_t from_ns, uint64_t to_ns,
		 enum wait_reason reason)
{
	if (t->spent)
		t->spent(t->spent_ctx, s, &(struct spent){on, reason, from_ns, to_ns});
}

/* The part of a sleep that has not been counted yet; returns how much it is. */
static uint64_t count(struct tasks *t, struct task_slot *s, uint64_t from_ns, uint64_t to_ns,
		      enum wait_reason reason)
{
	if (from_ns < s->accounted_ns)
		from_ns = s->accounted_ns;
	if (to_ns <= from_ns)
		return 0;
	s->accounted_ns = to_ns;
	s->now.reasons[reason] += to_ns - from_ns;
	tell(t, s, SPENT_BLOCKED, from_ns, to_ns, reason);
	return to_ns - from_ns;
}

/* Where that was. `kind` as in waited.h. */
static int count_place(struct tasks *t, struct task_slot *s, const struct iolat_wait *e, unsigned int kind,
		       uint64_t ns)
{
	struct waited_part part = {
		.place = {FS_DEV(e->fs_major, e->fs_minor), e->inode},
		.process = s->proc->serial,
		.disk = s->disk,
		.kind = kind,
		.ns = ns,
		.ended = kind < REASON_MAX && !(e->flags & IOLAT_WAIT_OPEN),
	};

	s->place = part.place;
	return ns && tasks_wanted(t, s) ? waited_add(&t->waited, &part) : 0;
}

/* What a limit held back goes to the disk in the end; that part is the disk's. */
static int count_throttled(struct tasks *t, struct task_slot *s, const struct iolat_wait *e)
{
	const struct held_back *h =
		limited_released(&t->limited, e->cgroup, e->start_ns, e->end_ns);
	uint64_t until = h ? h->start_ns : e->end_ns;
	uint64_t throttled = count(t, s, e->start_ns, until, REASON_THROTTLE);

	return count_place(t, s, e, REASON_THROTTLE, throttled) ?:
	       count_place(t, s, e, REASON_DISK, count(t, s, until, e->end_ns, REASON_DISK));
}

/* What the sleep's call is told by, whatever its reason. */
static int count_call(struct tasks *t, struct task_slot *s, const struct iolat_wait *e, bool own, uint64_t ns)
{
	bool closed = !(e->flags & IOLAT_WAIT_OPEN);
	bool local = iolat_fs_kind(e->fs_magic) == IOLAT_FS_LOCAL;

	if (e->call == IOLAT_CALL_SYNC) {
		s->now.sync_ns += ns;
		s->now.syncs += closed;
		tell(t, s, SPENT_SYNC, e->end_ns - ns, e->end_ns, REASON_OTHER);
		return count_place(t, s, e, WAITED_SYNC, ns);
	}
	if (e->call == IOLAT_CALL_WRITE && !own && local && e->flags & IOLAT_WAIT_IOWAIT) {
		s->now.dirty_ns += ns;
		s->now.dirties += closed;
		tell(t, s, SPENT_DIRTY, e->end_ns - ns, e->end_ns, REASON_OTHER);
		return count_place(t, s, e, WAITED_DIRTY, ns);
	}
	return 0;
}

/* More major faults than before the last sleep: that one was in a fault, inside a system call (a write
 * from a mapped file). */
static void learn_faults(struct tasks *t, struct task_slot *s, const struct iolat_wait *e)
{
	if (e->major_faults > s->faults && s->disk_ns && s->now.reasons[REASON_DISK] >= s->disk_ns) {
		s->now.reasons[REASON_DISK] -= s->disk_ns;
		s->now.reasons[REASON_PAGE_FAULT] += s->disk_ns;
		waited_move(&t->waited, &s->place, REASON_DISK, REASON_PAGE_FAULT, s->disk_ns);
	}
	s->faults = e->major_faults;
	s->disk_ns = 0;
}

static void put_off(struct family *f, struct task_slot *s, const struct iolat_wait *e)
{
	struct pending p = {s, e->start_ns > s->accounted_ns ? e->start_ns : s->accounted_ns,
			    e->end_ns};

	if (p.from_ns >= p.to_ns)
		return;
	if (f->n_pending == TASKS_PENDING) {
		for (size_t i = 1; i < TASKS_PENDING; i++)
			f->pending[i - 1] = f->pending[i];
		f->n_pending--;
	}
	s->accounted_ns = e->end_ns;
	f->pending[f->n_pending++] = p;
}

/* A request decides what was put off, if it ran then. */
static void decide(struct tasks *t, struct family *f, uint64_t start_ns, uint64_t end_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_pending; i++) {
		struct pending *p = &f->pending[i];

		if (start_ns >= p->to_ns || end_ns <= p->from_ns) {
			f->pending[n++] = *p;
			continue;
		}
		p->slot->now.reasons[REASON_DISK] += p->to_ns - p->from_ns;
		tell(t, p->slot, SPENT_BLOCKED, p->from_ns, p->to_ns, REASON_DISK);
	}
	f->n_pending = n;
}

static bool limited(struct tasks *t, const struct iolat_wait *e)
{
	bool writes = e->call == IOLAT_CALL_WRITE || e->call == IOLAT_CALL_SYNC;

	return limited_for(&t->limited, e->cgroup, !writes, writes || e->call == IOLAT_CALL_AIO);
}

static struct wait_facts facts_of(struct tasks *t, const struct task_slot *s,
				  const struct iolat_wait *e)
{
	bool open = e->flags & IOLAT_WAIT_OPEN, held_back = limited(t, e);
	/* What no request tells the kernel may: it counts the sleep as one for I/O. */
	bool likely = t->unseen && e->flags & IOLAT_WAIT_IOWAIT && !held_back;

	return (struct wait_facts){
		.call = e->call,
		.flags = e->flags,
		.fs_magic = e->fs_magic,
		.fs_on_disk = IOLAT_FS_MAJOR(e->fs_major),
		.own = likely || s->request_ns > e->start_ns || (open && s->flying_ns == t->look_ns),
		.process = s->family->request_ns > e->start_ns ||
			   (open && s->family->flying_ns == t->look_ns),
		.limited = held_back,
	};
}

static void note_open(struct task_slot *s, const struct iolat_wait *e, int reason)
{
	s->waited_ns = e->start_ns;
	s->waited_call = e->call;
	s->waited_reason = reason;
}

static int count_wait(struct tasks *t, struct task_slot *s, const struct iolat_wait *e)
{
	struct wait_facts facts = facts_of(t, s, e);
	int reason = reason_of(&facts), err = 0;
	uint64_t ns = 0, before = s->accounted_ns;

	if (e->end_ns > t->counted_ns)
		t->counted_ns = e->end_ns;
	if (s->died_ns && e->end_ns > s->died_ns) /* it sleeps on its way out, too */
		s->died_ns = e->end_ns;
	learn_faults(t, s, e);
	s->cgroup = e->cgroup;
	if (reason == REASON_THROTTLE)
		err = count_throttled(t, s, e);
	else if (reason < REASON_MAX)
		ns = count(t, s, e->start_ns, e->end_ns, reason);
	else if (reason == REASON_UNDECIDED && !(e->flags & IOLAT_WAIT_OPEN))
		put_off(s->family, s, e);
	if (reason == REASON_DISK && e->call != IOLAT_CALL_AIO)
		s->disk_ns = ns;
	if (!err && reason < REASON_MAX)
		err = count_call(t, s, e, facts.own, e->end_ns - (before > e->start_ns ? before : e->start_ns));
	s->waited_ns = 0;
	if (e->flags & IOLAT_WAIT_OPEN)
		note_open(s, e, reason);
	return err || !ns ? err : count_place(t, s, e, reason, ns);
}

int tasks_wait(struct tasks *t, const struct iolat_wait *e)
{
	struct task_slot *s = get(t, e->tgid, e->tid, e->start_ns);

	if (!s)
		return -ENOMEM;
	return e->end_ns > s->accounted_ns ? count_wait(t, s, e) : 0;
}

void tasks_io(struct tasks *t, const struct ended_io *io)
{
	struct task_slot *s;
	struct family *f;

	limited_io(&t->limited, io->via, io->cgroup, io->start_ns, io->end_ns);
	if (!t->on || !io->tgid)
		return;
	s = find(t, io->tid);
	f = s ? s->family : map_get(&t->families, &io->tgid);
	if (s && io->end_ns > s->request_ns)
		s->request_ns = io->end_ns;
	if (s && io->disk)
		s->disk = io->disk;
	if (!f)
		return;
	if (io->end_ns > f->request_ns)
		f->request_ns = io->end_ns;
	if (f->n_pending)
		decide(t, f, io->start_ns, io->end_ns);
}

/* Who waits is told anew. */
void tasks_look(struct tasks *t, uint64_t ts_ns)
{
	t->look_ns = ts_ns;
	for (struct list *l = t->order.next; l != &t->order; l = l->next)
		list_entry(l, struct task_slot, order)->waited_ns = 0;
}

void tasks_inflight(struct tasks *t, const struct iolat_inflight *e)
{
	struct task_slot *s = find(t, e->tid);
	struct family *f = s ? s->family : map_get(&t->families, &e->tgid);

	if (s)
		s->flying_ns = t->look_ns;
	if (s && !(e->flags & IOLAT_RQ_COPY))
		s->disk = e->disk;
	if (f)
		f->flying_ns = t->look_ns;
	if (f && f->n_pending)
		decide(t, f, e->start_ns, t->look_ns);
}
