// SPDX-License-Identifier: GPL-2.0
/*
 * Draining is bounded by what was in the rings when it began, so that it ends also when
 * they fill faster than they are read.
 */
#include "collect/intake.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "iolat/wire.h"

int intake_open(struct intake *s, int facts_fd, size_t facts_size, size_t n)
{
	s->requests = calloc(n, sizeof(*s->requests));
	if (!s->requests)
		return -ENOMEM;
	return ring_open(&s->facts, facts_fd, facts_size);
}

int intake_add(struct intake *s, int fd, size_t size)
{
	int err = ring_open(&s->requests[s->n], fd, size);

	if (!err)
		s->n++;
	return err;
}

void intake_close(struct intake *s)
{
	for (size_t i = 0; i < s->n; i++)
		ring_close(&s->requests[i]);
	free(s->requests);
	ring_close(&s->facts);
	*s = (struct intake){0};
}

static void note_fill(struct intake *s, const struct ring *r, size_t bytes)
{
	double fill = (double)bytes / (double)r->size;

	if (fill > s->fullest)
		s->fullest = fill;
}

double intake_fullest(struct intake *s)
{
	double fullest = s->fullest;

	s->fullest = 0;
	return fullest;
}

/* Up to `left` of those that were there when it began, be it in a call before. One that is being written just now is
 * left for the next time, and so is what stands behind it. */
static int read_facts(struct intake *s, const struct sink *sink, size_t *left)
{
	const void *data;
	size_t size;
	int err = 0;

	if (s->facts.at == s->facts.mark) {
		s->marked_ns = monotonic_ns();
		note_fill(s, &s->facts, ring_mark(&s->facts));
	}
	while (!err && *left && (data = ring_peek(&s->facts, &size))) {
		err = sink->event(sink->ctx, data, size);
		ring_take(&s->facts, size);
		--*left;
	}
	ring_release(&s->facts);
	if (s->facts.at == s->facts.mark)
		s->facts_until = s->marked_ns;
	return err;
}

/* When a record's I/O ended; what is too short to say so is for the decoder to refuse. */
static uint64_t end_of(const void *data, size_t size)
{
	const struct iolat_request *e = data;

	_Static_assert(offsetof(struct iolat_request, end_ns) == offsetof(struct iolat_share, end_ns) &&
		       offsetof(struct iolat_request, end_ns) == offsetof(struct iolat_wait, end_ns) &&
		       offsetof(struct iolat_request, end_ns) == offsetof(struct iolat_other, end_ns),
		       "one place for all");
	return size < sizeof(struct iolat_share) ? 0 : e->end_ns;
}

struct record {
	struct ring *ring;
	const void *data;
	size_t size;
	uint64_t end_ns;
};

/* The record that ended first, of those that the rings hold next. */
static bool next_record(struct intake *s, struct record *first)
{
	first->data = NULL;
	for (size_t i = 0; i < s->n; i++) {
		struct record r = {.ring = &s->requests[i]};

		r.data = ring_peek(r.ring, &r.size);
		if (!r.data)
			continue;
		r.end_ns = end_of(r.data, r.size);
		if (!first->data || r.end_ns < first->end_ns)
			*first = r;
	}
	return first->data;
}

/* It may be younger than the last look at the facts it needs: those that were there then come first, and those of
 * now. */
static int pass(struct intake *s, const struct record *r, const struct sink *sink, size_t *left)
{
	int err = 0;

	for (int i = 0; !err && i < 2 && *left && r->end_ns > s->facts_until; i++)
		err = read_facts(s, sink, left);
	if (err || !*left)
		return err;
	--*left;
	err = sink->event(sink->ctx, r->data, r->size);
	ring_take(r->ring, r->size);
	return err;
}

int intake_facts(struct intake *s, const struct sink *sink)
{
	size_t all = SIZE_MAX;

	return read_facts(s, sink, &all);
}

int intake_go_on(struct intake *s, const struct sink *sink, size_t most)
{
	size_t left = most;
	int err = read_facts(s, sink, &left);
	struct record r;
	bool more = !left;

	while (!err && left && (more = next_record(s, &r)))
		err = pass(s, &r, sink, &left);
	for (size_t i = 0; i < s->n; i++)
		ring_release(&s->requests[i]);
	return err ? err : more;
}

int intake_drain(struct intake *s, const struct sink *sink, size_t most)
{
	for (size_t i = 0; i < s->n; i++)
		note_fill(s, &s->requests[i], ring_mark(&s->requests[i]));
	return intake_go_on(s, sink, most);
}
