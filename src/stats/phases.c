// SPDX-License-Identifier: GPL-2.0
/*
 * What a mark does to the list of phases, and the ring of what is held back until it is counted to one.
 */
#include "stats/phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/phases_slots.h"
#include "stats/rows.h"

/* Without `proc` a request, which took from start to end; else what a task spent. */
struct held {
	uint64_t start_ns, end_ns;
	struct proc *proc; /* referenced */
	uint32_t tid;
	enum spent_on spent;
	uint32_t bytes, read_bytes;
	struct reread_answer reread;
};

void phases_init(struct phases *p, struct model *m)
{
	*p = (struct phases){.model = m};
}

static struct held *oldest(struct phases *p)
{
	return &p->held[p->first];
}

static void pop(struct phases *p)
{
	if (oldest(p)->proc)
		proc_unref(oldest(p)->proc);
	p->first = (p->first + 1) % PHASES_HELD;
	p->n_held--;
}

void phases_free(struct phases *p)
{
	while (p->n_held)
		pop(p);
	free(p->held);
	phase_slots_free(p);
	free(p->list);
	free(p->workers);
}

/* --- marks ----------------------------------------------------------------------------- */

static int begin(struct phases *p)
{
	int err;

	if (p->on)
		return 0;
	p->held = calloc(PHASES_HELD, sizeof(*p->held));
	p->workers = calloc(PHASE_WORKERS, sizeof(*p->workers));
	err = p->held && p->workers ? phase_slots_begin(p) : -ENOMEM;
	p->on = !err;
	return err;
}

/* What is older than the run tells where it began. */
static uint64_t when(const struct phases *p, uint64_t wall_ns)
{
	uint64_t ago = p->wall_ns > wall_ns ? p->wall_ns - wall_ns : 0;
	uint64_t ns = ago ? (ago < p->mono_ns ? p->mono_ns - ago : 0) : p->mono_ns + (wall_ns - p->wall_ns);

	return ns > p->start_ns ? ns : p->start_ns;
}

static bool is_named(const struct phase_slot *s, const struct iolat_mark *e)
{
	return s->kind == e->kind && !strcmp(s->name, e->name);
}

/* The time since the last phase belongs to what a mark names if that has ended, or is well under way. */
static bool reaches_back(const struct iolat_mark *e)
{
	return e->what == IOLAT_MARK_END || (e->what == IOLAT_MARK_INSIDE && e->step > 1);
}

static int enter(struct phases *p, const struct iolat_mark *e, uint64_t ns)
{
	struct phase_slot *last = phase_slot_last(p);

	if (last->name[0] && is_named(last, e))
		return 0;
	if (!last->name[0] && p->n > 1 && is_named(last - 1, e))
		return phase_slot_rejoin(p);
	if (last->name[0] || !reaches_back(e))
		return phase_slot_turn(p, ns, e);
	phase_slot_name(last, e);
	return 0;
}

int phases_mark(struct phases *p, const struct iolat_mark *e)
{
	uint64_t ns = when(p, e->wall_ns);
	int err = begin(p);

	if (err || e->what == IOLAT_MARK_LOG || !e->name[0] || ns < phase_slot_last(p)->start_ns)
		return err;
	err = enter(p, e, ns);
	if (!err && e->what == IOLAT_MARK_END)
		err = phase_slot_turn(p, ns, NULL);
	return err;
}

/* --- counting ---------------------------------------------------------------------------- */

static int count_request(struct phases *p, const struct held *h)
{
	struct phase_slot *s = phase_slot_at(p, h->end_ns);

	if (!s)
		return 0;
	s->ios++;
	s->bytes += h->bytes;
	s->read_bytes += h->read_bytes;
	s->followed += h->reread.followed;
	s->again += h->reread.again;
	return hist_add(&s->latency, h->end_ns - h->start_ns);
}

static int count_blocked(struct phase_slot *s, const struct held *h, uint64_t ns)
{
	struct phase_wait_key key = {h->proc->serial, h->tid};
	struct phase_wait *w = map_get(&s->waits, &key);

	if (!w && s->waits.count >= PHASE_TASKS)
		return 0;
	if (!w) {
		w = calloc(1, sizeof(*w));
		if (!w || map_put(&s->waits, &key, w)) {
			free(w);
			return -ENOMEM;
		}
		w->key = key;
	}
	w->blocked_ns += ns;
	return 0;
}

static int count_spent(struct phase_slot *s, const struct held *h, uint64_t ns)
{
	if (h->spent == SPENT_BLOCKED)
		return count_blocked(s, h, ns);
	if (h->spent == SPENT_SYNC)
		s->sync_ns += ns;
	else
		s->dirty_ns += ns;
	return 0;
}

/* A wait over the end of a phase is in both. */
static int count_wait(struct phases *p, const struct held *h)
{
	uint64_t from = h->start_ns > p->start_ns ? h->start_ns : p->start_ns;
	int err = 0;

	for (struct phase_slot *s = phase_slot_at(p, from); !err && s && s < p->slots + p->n && from < h->end_ns; s++) {
		uint64_t to = h->end_ns < s->end_ns ? h->end_ns : s->end_ns;

		err = count_spent(s, h, to - from);
		from = to;
	}
	return err;
}

int phases_settle(struct phases *p, uint64_t until_ns)
{
	int err = 0;

	while (!err && p->n_held && oldest(p)->end_ns <= until_ns) {
		err = oldest(p)->proc ? count_wait(p, oldest(p)) : count_request(p, oldest(p));
		pop(p);
	}
	return err;
}

static int hold(struct phases *p, const struct held *h)
{
	int err = p->n_held == PHASES_HELD ? phases_settle(p, oldest(p)->end_ns) : 0;

	p->held[(p->first + p->n_held++) % PHASES_HELD] = *h;
	return err;
}

int phases_request(struct phases *p, const struct iolat_request *e, const struct reread_answer *again)
{
	struct held h = {
		.start_ns = e->end_ns - e->queue_ns - e->device_ns,
		.end_ns = e->end_ns,
		.bytes = e->bytes,
		.reread = *again,
	};

	if (!p->on || e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	if (e->op == IOLAT_OP_READ && !e->error && e->sector != ~0ull)
		h.read_bytes = e->bytes;
	return hold(p, &h);
}

/* Counted in the kernel over a while: all of it goes to the phase of the while's middle. */
int phases_aggregate(struct phases *p, const struct iolat_aggregate *e)
{
	struct phase_slot *s;

	if (!p->on || e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	s = phase_slot_at(p, e->start_ns + (e->end_ns - e->start_ns) / 2);
	if (!s)
		return 0;
	s->ios += e->ios;
	s->bytes += e->bytes;
	if (e->op == IOLAT_OP_READ)
		s->read_bytes += e->bytes;
	return row_aggregate_latency(&s->latency, e);
}

void phases_spent(struct phases *p, const struct task_slot *s, const struct spent *what)
{
	if (!p->on || what->to_ns <= what->from_ns)
		return;
	proc_ref(s->proc);
	p->failed |= hold(p, &(struct held){
				     .start_ns = what->from_ns,
				     .end_ns = what->to_ns,
				     .proc = s->proc,
				     .tid = s->tid,
				     .spent = what->on,
			     });
}
