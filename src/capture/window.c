// SPDX-License-Identifier: GPL-2.0
/* Judges events by their times; sizes are checked before anything is read, the rest is decode.c's. */
#include "capture/window.h"

#include <string.h>

void window_init(struct window *w, const struct moment *from, const struct moment *to)
{
	*w = (struct window){.from = *from, .to = *to, .to_ns = UINT64_MAX};
}

uint64_t window_time_of(const void *event, size_t size)
{
	const struct iolat_head *head = event;
	uint64_t at = 0;

#define TIME_AT(KIND, name, field)                                                                 \
	if (head->kind == IOLAT_EV_##KIND && size >= sizeof(struct iolat_##name))                  \
	at = ((const struct iolat_##name *)event)->field
	TIME_AT(REQUEST, request, end_ns);
	TIME_AT(SHARE, share, end_ns);
	TIME_AT(OTHER, other, end_ns);
	TIME_AT(AGGREGATE, aggregate, end_ns);
	TIME_AT(RUN, run, mono_ns);
	TIME_AT(LOOK, look, ts_ns);
	TIME_AT(GPU, gpu, ts_ns);
	TIME_AT(GPU_PROCESS, gpu_process, ts_ns);
#undef TIME_AT
	return at;
}

static bool inside(const struct window *w, uint64_t at)
{
	return at >= w->from_ns && at < w->to_ns;
}

bool window_wants_clock(const struct window *w)
{
	const struct moment *m[] = {&w->from, &w->to};
	bool wants = false;

	for (int i = 0; i < 2; i++)
		wants |= m[i]->kind == MOMENT_WALL || m[i]->kind == MOMENT_CLOCK;
	return wants;
}

void window_clock(struct window *w, const struct iolat_clock *clock)
{
	w->clock = *clock;
}

/* The wall clock at the start, as it was known best. */
static uint64_t start_wall(const struct window *w, const struct iolat_run *run)
{
	return w->clock.head.size ? w->clock.wall_ns - (w->clock.mono_ns - run->mono_ns) : run->wall_ns;
}

static uint64_t mono_of(const struct window *w, const struct moment *m, const struct iolat_run *run, uint64_t none)
{
	uint64_t start = start_wall(w, run), wall = moment_resolve(m, start);

	if (m->kind == MOMENT_NONE)
		return none;
	return wall > start ? run->mono_ns + (wall - start) : run->mono_ns;
}

static const void *take_run(struct window *w, const struct iolat_run *e)
{
	struct iolat_run *run = &w->changed.run;

	w->start_ns = w->now_ns = e->mono_ns;
	w->start_wall_ns = start_wall(w, e);
	w->from_ns = mono_of(w, &w->from, e, e->mono_ns);
	w->to_ns = mono_of(w, &w->to, e, UINT64_MAX);
	if (w->from.kind == MOMENT_CLOCK && w->from_ns > w->to_ns)
		w->from_ns = e->mono_ns; /* a time of day that was over when the run began */
	*run = *e;
	run->head.size = sizeof(*run);
	run->wall_ns += w->from_ns - run->mono_ns;
	run->mono_ns = w->from_ns;
	return run;
}

/* The part of a sleep that is inside. */
static const void *take_wait(struct window *w, const struct iolat_wait *e)
{
	struct iolat_wait *wait = &w->changed.wait;

	if (e->end_ns <= w->from_ns || e->start_ns >= w->to_ns)
		return NULL;
	*wait = *e;
	wait->head.size = sizeof(*wait);
	if (wait->start_ns < w->from_ns)
		wait->start_ns = w->from_ns;
	if (wait->end_ns > w->to_ns)
		wait->end_ns = w->to_ns;
	return wait;
}

static void subtract(__u64 *now, __u64 before)
{
	*now = *now > before ? *now - before : 0;
}

/* They only grow, and come every second or so. */
static const void *take_counters(struct window *w, const struct iolat_counters *e)
{
	struct iolat_counters *c = &w->changed.counters;

	if (w->now_ns < w->from_ns)
		w->base = *e;
	if (!inside(w, w->now_ns))
		return NULL;
	*c = *e;
	c->head.size = sizeof(*c);
	for (size_t i = 0; i < IOLAT_COUNTERS; i++)
		subtract(&c->all[i], w->base.all[i]);
	return c;
}

static const void *take_facts(struct window *w, const struct iolat_disk_facts *e)
{
	struct iolat_disk_facts *facts = &w->changed.facts;

	*facts = *e;
	facts->head.size = sizeof(*facts);
	facts->incomparable = 1;
	facts->kernel_ios = 0;
	facts->unselected = 0;
	return facts;
}

static const void *take_end(struct window *w, const struct iolat_end *e)
{
	struct iolat_end *end = &w->changed.end;

	if (e->mono_ns > w->now_ns)
		w->now_ns = e->mono_ns;
	*end = *e;
	end->head.size = sizeof(*end);
	if (end->mono_ns > w->to_ns)
		end->mono_ns = w->to_ns;
	return end;
}

/* What is in flight belongs to the look before it. */
static const void *take_timed(struct window *w, const void *event, uint64_t at)
{
	const struct iolat_head *head = event;
	bool in = inside(w, at);

	if (at > w->now_ns)
		w->now_ns = at;
	if (head->kind == IOLAT_EV_LOOK)
		w->looked = in;
	return in ? event : NULL;
}

const void *window_take(struct window *w, const void *event, size_t size)
{
	const struct iolat_head *head = event;
	const struct iolat_task *task = event;
	uint64_t at;

	if (w->from.kind == MOMENT_NONE && w->to.kind == MOMENT_NONE)
		return event;
#define TAKE(KIND, name, take)                                                                     \
	if (head->kind == IOLAT_EV_##KIND && size >= sizeof(struct iolat_##name))                  \
	return take(w, event)
	TAKE(RUN, run, take_run);
	TAKE(WAIT, wait, take_wait);
	TAKE(COUNTERS, counters, take_counters);
	TAKE(DISK_FACTS, disk_facts, take_facts);
	TAKE(END, end, take_end);
#undef TAKE
	if (head->kind == IOLAT_EV_INFLIGHT)
		return w->looked ? event : NULL;
	if (head->kind == IOLAT_EV_TASK && size >= sizeof(*task))
		return task->ts_ns < w->to_ns ? event : NULL;
	at = window_time_of(event, size);
	return at ? take_timed(w, event, at) : event;
}

bool window_missed(const struct window *w, uint64_t *from_wall, uint64_t *to_wall)
{
	*from_wall = w->start_wall_ns;
	*to_wall = w->start_wall_ns + (w->now_ns - w->start_ns);
	return w->start_ns && (w->from_ns > w->now_ns || w->to_ns <= w->start_ns);
}
