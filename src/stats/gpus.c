// SPDX-License-Identifier: GPL-2.0
/* Waits are kept in slots of a quarter second, GPUs in samples; view brings the two together. */
#include "stats/gpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LATE_NS 1000000000ull /* waits are counted by then */
#define GAP_NS	10000000000ull /* a longer time between two samples is not one's */

void gpus_init(struct gpus_known *g, struct model *m)
{
	*g = (struct gpus_known){.model = m};
}

static void forget_processes(struct gpu_slot *s)
{
	for (size_t i = 0; i < s->n_processes; i++)
		proc_unref(s->procs[i]);
	s->n_processes = 0;
}

void gpus_free(struct gpus_known *g)
{
	for (size_t i = 0; i < g->n; i++) {
		if (!g->slots[i])
			continue;
		forget_processes(g->slots[i]);
		free(g->slots[i]);
	}
	free(g->waits);
	free(g->list);
}

/* --- samples ---------------------------------------------------------------------------- */

static struct gpu_slot *get(struct gpus_known *g, uint32_t number)
{
	if (number >= GPUS_MAX)
		return NULL;
	if (!g->waits)
		g->waits = calloc(GPU_SLOTS, sizeof(*g->waits));
	if (!g->slots[number])
		g->slots[number] = calloc(1, sizeof(*g->slots[number]));
	if (!g->waits || !g->slots[number])
		return NULL;
	g->slots[number]->pub.number = number;
	if (number >= g->n)
		g->n = number + 1;
	return g->slots[number];
}

/* The course for graphs, coarser and coarser. */
static void keep(struct gpu_slot *s, const struct gpu_period *p)
{
	struct gpu_period *last = s->n_samples ? &s->samples[s->n_samples - 1] : NULL;

	if (last && last->to_ns - last->from_ns < s->least_ns) {
		uint64_t a = last->to_ns - last->from_ns, b = p->to_ns - p->from_ns;

		last->busy_pct = (uint32_t)((last->busy_pct * a + p->busy_pct * b) / (a + b));
		last->to_ns = p->to_ns;
		return;
	}
	if (s->n_samples < GPU_SAMPLES) {
		s->samples[s->n_samples++] = *p;
		return;
	}
	for (size_t i = 0; i < GPU_SAMPLES / 2; i++) {
		const struct gpu_period *a = &s->samples[2 * i], *b = a + 1;
		uint64_t na = a->to_ns - a->from_ns, nb = b->to_ns - b->from_ns;

		s->samples[i] = (struct gpu_period){a->from_ns, b->to_ns,
						    (uint32_t)((a->busy_pct * na + b->busy_pct * nb) / (na + nb))};
	}
	s->n_samples = GPU_SAMPLES / 2;
	s->least_ns = 2 * (s->least_ns > p->to_ns - p->from_ns ? s->least_ns : p->to_ns - p->from_ns);
	s->samples[s->n_samples++] = *p;
}

static void add_period(struct gpu_slot *s, const struct gpu_period *p)
{
	uint64_t ns = p->to_ns - p->from_ns;

	s->busy_wall_ns += ns;
	s->busy_ns += ns * p->busy_pct / 100;
	keep(s, p);
	if (s->n_open == GPU_OPEN)
		memmove(s->open, s->open + 1, --s->n_open * sizeof(s->open[0]));
	s->open[s->n_open++] = *p;
}

int gpus_sampled(struct gpus_known *g, const struct iolat_gpu *e)
{
	struct gpu_slot *s = get(g, e->number);

	if (!s)
		return e->number < GPUS_MAX ? -ENOMEM : 0;
	forget_processes(s);
	memcpy(s->pub.name, e->name, sizeof(s->pub.name));
	s->pub.memory_used = e->memory_used;
	s->pub.memory_total = e->memory_total;
	s->pub.busy_known |= e->busy_pct != IOLAT_GPU_UNKNOWN;
	if (s->last_ns && e->ts_ns > s->last_ns && e->ts_ns - s->last_ns < GAP_NS && e->busy_pct != IOLAT_GPU_UNKNOWN)
		add_period(s, &(struct gpu_period){s->last_ns, e->ts_ns, e->busy_pct});
	s->last_ns = e->ts_ns;
	return 0;
}

int gpus_process(struct gpus_known *g, const struct iolat_gpu_process *e)
{
	struct gpu_slot *s = get(g, e->number);
	struct proc *p = proc_at(&g->model->procs, e->tgid, e->ts_ns).proc;

	if (!s)
		return e->number < GPUS_MAX ? -ENOMEM : 0;
	if (!p || s->n_processes == GPU_PROCESSES)
		return 0; /* nothing that is traced */
	proc_ref(p);
	if (e->number < 32)
		p->pub.gpus |= 1u << e->number;
	s->procs[s->n_processes] = p;
	s->processes[s->n_processes++] = (struct gpu_process){&p->pub, e->memory};
	return 0;
}

/* --- waits -------------------------------------------------------------------------------- */

static void add_wait(struct gpu_wait_slot *slot, uint64_t process, uint64_t ns)
{
	for (size_t i = 0; i < slot->n; i++) {
		if (slot->waits[i].process == process) {
			slot->waits[i].ns += ns;
			return;
		}
	}
	if (slot->n < GPU_SLOT_WAITERS)
		slot->waits[slot->n++] = (struct gpu_wait){process, ns};
}

void gpus_spent(struct gpus_known *g, const struct task_slot *s, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t most = GPU_SLOTS * GPU_SLOT_NS;

	if (!g->waits)
		return;
	if (to_ns - from_ns > most)
		from_ns = to_ns - most;
	while (from_ns < to_ns) {
		uint64_t number = from_ns / GPU_SLOT_NS, edge = (number + 1) * GPU_SLOT_NS;
		struct gpu_wait_slot *slot = &g->waits[number % GPU_SLOTS];
		uint64_t end = edge < to_ns ? edge : to_ns;

		if (slot->number < number)
			*slot = (struct gpu_wait_slot){.number = number};
		if (slot->number == number)
			add_wait(slot, s->proc->serial, end - from_ns);
		from_ns = end;
	}
}

static uint64_t waited_in(const struct gpu_wait_slot *slot, uint64_t process)
{
	for (size_t i = 0; i < slot->n; i++)
		if (slot->waits[i].process == process)
			return slot->waits[i].ns < GPU_SLOT_NS ? slot->waits[i].ns : GPU_SLOT_NS;
	return 0;
}

/* What part of a time a process was blocked. */
static double blocked_share(const struct gpus_known *g, const struct gpu_period *p, uint64_t process)
{
	uint64_t first = p->from_ns / GPU_SLOT_NS, last = (p->to_ns - 1) / GPU_SLOT_NS, ns = 0;

	if (last - first >= GPU_SLOTS)
		return 0;
	for (uint64_t number = first; number <= last; number++) {
		const struct gpu_wait_slot *slot = &g->waits[number % GPU_SLOTS];

		if (slot->number == number)
			ns += waited_in(slot, process);
	}
	return (double)ns / (double)((last - first + 1) * GPU_SLOT_NS);
}

/* --- both --------------------------------------------------------------------------------- */

static bool lived_in(const struct task_slot *t, const struct gpu_period *p)
{
	return t->born_ns < p->to_ns && (!t->died_ns || t->died_ns > p->from_ns);
}

/* The workers that lived then; where there are none, the processes that use the GPU. Their mean share. */
static double starving(const struct gpus_known *g, const struct gpu_slot *s, const struct tasks *t, const struct gpu_period *p)
{
	double workers = 0, users = 0;
	size_t n_workers = 0, n_users = 0;

	for (struct list *l = t->order.next; l != &t->order; l = l->next) {
		const struct task_slot *task = list_entry(l, struct task_slot, order);

		if (task->tid != task->proc->pub.pid || !lived_in(task, p))
			continue;
		if (task->worker) {
			workers += blocked_share(g, p, task->proc->serial);
			n_workers++;
		} else if (s->pub.number < 32 && task->proc->pub.gpus & 1u << s->pub.number) {
			users += blocked_share(g, p, task->proc->serial);
			n_users++;
		}
	}
	return n_workers ? workers / (double)n_workers : n_users ? users / (double)n_users : 0;
}

static void compare(const struct gpus_known *g, struct gpu_slot *s, const struct tasks *t, uint64_t until_ns)
{
	size_t done = 0;

	for (; done < s->n_open && s->open[done].to_ns <= until_ns; done++) {
		const struct gpu_period *p = &s->open[done];
		uint64_t ns = p->to_ns - p->from_ns, idle = ns * (100 - p->busy_pct) / 100;

		s->now.wall_ns += ns;
		s->now.idle_ns += idle;
		s->now.starved_ns += (uint64_t)((double)idle * starving(g, s, t, p));
	}
	s->n_open -= done;
	memmove(s->open, s->open + done, s->n_open * sizeof(s->open[0]));
}

static struct gpu_sums sums_of(const struct gpu_slot *s, bool whole)
{
	struct gpu_sums sums = s->now;

	if (whole) {
		sums.wall_ns += s->before.wall_ns;
		sums.idle_ns += s->before.idle_ns;
		sums.starved_ns += s->before.starved_ns;
	}
	return sums;
}

static void view(struct gpu_slot *s, bool whole)
{
	struct gpu_sums sums = sums_of(s, whole);
	uint64_t wall = s->busy_wall_ns + (whole ? s->whole_wall_ns : 0);
	uint64_t busy = s->busy_ns + (whole ? s->whole_busy_ns : 0);

	s->pub.sampled = wall;
	s->pub.busy_pct = wall ? 100.0 * (double)busy / (double)wall : 0;
	s->pub.compared_ns = sums.wall_ns;
	s->pub.idle_ns = sums.idle_ns;
	s->pub.starved_ns = sums.starved_ns;
	s->pub.processes = s->processes;
	s->pub.n_processes = s->n_processes;
	s->pub.samples = s->samples;
	s->pub.n_samples = s->n_samples;
}

int gpus_view(struct gpus_known *g, const struct tasks *t, bool whole, uint64_t now_ns)
{
	g->n_list = 0;
	if (!g->n)
		return 0;
	free(g->list);
	g->list = calloc(g->n, sizeof(*g->list));
	if (!g->list)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++) {
		struct gpu_slot *s = g->slots[i];

		if (!s)
			continue;
		if (t->on)
			compare(g, s, t, whole ? UINT64_MAX : now_ns > LATE_NS ? now_ns - LATE_NS : 0);
		view(s, whole);
		g->list[g->n_list++] = s->pub;
	}
	return 0;
}

void gpus_turn(struct gpus_known *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct gpu_slot *s = g->slots[i];

		if (!s)
			continue;
		s->before = sums_of(s, true);
		s->now = (struct gpu_sums){0};
		s->whole_wall_ns += s->busy_wall_ns;
		s->whole_busy_ns += s->busy_ns;
		s->busy_wall_ns = s->busy_ns = 0;
	}
}
