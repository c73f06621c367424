// SPDX-License-Identifier: GPL-2.0
/* The list of phases, kept without gaps: where one ends the next begins, if only one without a name. */
#include "stats/phases_slots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void slot_init(struct phase_slot *s, uint64_t start_ns)
{
	*s = (struct phase_slot){.start_ns = start_ns, .end_ns = UINT64_MAX};
	hist_init(&s->latency);
	map_init(&s->waits, sizeof(struct phase_wait_key));
}

static void slot_free(struct phase_slot *s)
{
	struct phase_wait *w;

	for (size_t i = 0; (w = map_next(&s->waits, &i, NULL));)
		free(w);
	map_free(&s->waits);
	hist_free(&s->latency);
	free(s->workers);
}

int phase_slots_begin(struct phases *p)
{
	p->slots = calloc(PHASES_MAX, sizeof(*p->slots));
	if (!p->slots)
		return -ENOMEM;
	slot_init(&p->slots[0], p->start_ns);
	p->n = 1;
	return 0;
}

void phase_slots_free(struct phases *p)
{
	for (size_t i = 0; i < p->n; i++)
		slot_free(&p->slots[i]);
	free(p->slots);
}

struct phase_slot *phase_slot_last(struct phases *p)
{
	return &p->slots[p->n - 1];
}

struct phase_slot *phase_slot_at(struct phases *p, uint64_t ns)
{
	for (size_t i = p->n; i--;)
		if (p->slots[i].start_ns <= ns)
			return &p->slots[i];
	return NULL;
}

void phase_slot_name(struct phase_slot *s, const struct iolat_mark *e)
{
	memcpy(s->name, e->name, sizeof(s->name));
	s->kind = e->kind;
	s->number = s->last = e->number;
}

/* --- two become one ------------------------------------------------------------------ */

static int merge_waits(struct phase_slot *into, struct phase_slot *from)
{
	struct phase_wait *w, *known;

	for (size_t i = 0; (w = map_next(&from->waits, &i, NULL));) {
		known = map_get(&into->waits, &w->key);
		if (known) {
			known->blocked_ns += w->blocked_ns;
			continue;
		}
		if (into->waits.count >= PHASE_TASKS)
			continue;
		if (map_put(&into->waits, &w->key, w))
			return -ENOMEM;
		map_del(&from->waits, &w->key);
	}
	return 0;
}

/* `from` is the one behind `into`, and is freed. */
static int merge(struct phase_slot *into, struct phase_slot *from)
{
	int err = hist_merge(&into->latency, &from->latency) ?: merge_waits(into, from);

	into->end_ns = from->end_ns;
	into->ios += from->ios;
	into->bytes += from->bytes;
	into->read_bytes += from->read_bytes;
	into->followed += from->followed;
	into->again += from->again;
	into->sync_ns += from->sync_ns;
	into->dirty_ns += from->dirty_ns;
	slot_free(from);
	return err;
}

int phase_slot_rejoin(struct phases *p)
{
	p->n--;
	return merge(&p->slots[p->n - 1], &p->slots[p->n]);
}

/* "step 1 to 40"; names of the user's are left to speak for themselves. */
static void name_pair(struct phase_slot *s, const struct phase_slot *next)
{
	s->last = next->last;
	if (s->kind == next->kind && s->kind != IOLAT_MARK_NAMED)
		snprintf(s->name, sizeof(s->name), "%s %" PRIu64 " to %" PRIu64,
			 s->kind == IOLAT_MARK_EPOCH ? "epoch" : "step", s->number, s->last);
}

static void drop_nameless(struct phases *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->slots[i].name[0] || i == p->n - 1)
			p->slots[n++] = p->slots[i];
		else
			slot_free(&p->slots[i]);
	}
	p->n = n;
}

static int make_room(struct phases *p)
{
	size_t n = 0;
	int err = 0;

	drop_nameless(p);
	if (p->n < PHASES_MAX / 2)
		return 0;
	for (size_t i = 0; i + 1 < p->n; i += 2) {
		struct phase_slot *s = &p->slots[i];

		name_pair(s, s + 1);
		err = err ?: merge(s, s + 1);
		p->slots[n++] = *s;
	}
	if (p->n % 2)
		p->slots[n++] = p->slots[p->n - 1];
	p->n = n;
	return err;
}

/* --- one after the other ---------------------------------------------------------------- */

int phase_slot_turn(struct phases *p, uint64_t ns, const struct iolat_mark *e)
{
	struct phase_slot *last = phase_slot_last(p);
	int err = 0;

	if (ns <= last->start_ns) { /* took no time: it never was */
		ns = last->start_ns;
		slot_free(last);
		p->n--;
	} else {
		last->end_ns = ns;
	}
	if (p->n == PHASES_MAX)
		err = make_room(p);
	slot_init(&p->slots[p->n++], ns);
	if (e)
		phase_slot_name(phase_slot_last(p), e);
	return err;
}
