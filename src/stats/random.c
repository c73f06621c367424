// SPDX-License-Identifier: GPL-2.0
/*
 * Streams of requests and the verdicts on them. Completions mostly come in the order of
 * submission, so a new request is sorted in from the window's end; a request is judged
 * when it falls out of a full window, or at the end of a frame.
 */
#include "stats/random.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 8

static void judge(struct stream *s, const struct pending *p)
{
	uint64_t distance = p->sector > s->end ? p->sector - s->end : s->end - p->sector;

	if (s->started) {
		p->row->compared++;
		p->row->random += distance > RANDOM_FAR;
		s->reads += p->read;
		s->random_reads += p->read && distance > RANDOM_FAR;
	}
	s->end = p->end;
	s->started = true;
}

static struct pending *at(const struct stream *s, uint32_t i)
{
	return &s->window[(s->first + i) & (s->capacity - 1)];
}

static void judge_first(struct stream *s)
{
	judge(s, at(s, 0));
	s->first++;
	s->n--;
}

/* Judges all; most streams are of processes that do nothing more, so no window stays behind. */
static void flush(struct stream *s)
{
	while (s->n)
		judge_first(s);
	list_del(&s->active);
	free(s->window);
	s->window = NULL;
	s->capacity = 0;
	s->first = 0;
}

static void drop(void *ctx, struct lru_node *node)
{
	struct streams *t = ctx;
	struct stream *s = list_entry(node, struct stream, node);

	flush(s);
	free(s);
	t->forgotten++;
}

void streams_init(struct streams *t)
{
	lru_init(&t->lru, sizeof(struct stream_key), offsetof(struct stream, key), RANDOM_STREAMS);
	t->lru.drop = drop;
	t->lru.ctx = t;
	list_init(&t->active);
	t->forgotten = 0;
}

void streams_free(struct streams *t)
{
	lru_free(&t->lru);
}

struct stream *streams_get(struct streams *t, const struct stream_key *key)
{
	struct stream *s = lru_get(&t->lru, key);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->key = *key;
	list_init(&s->active);
	if (lru_put(&t->lru, &s->node)) {
		free(s);
		return NULL;
	}
	return s;
}

static int grow(struct stream *s)
{
	uint32_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
	struct pending *window = malloc(capacity * sizeof(*window));

	if (!window)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++)
		window[i] = *at(s, i);
	free(s->window);
	s->window = window;
	s->capacity = capacity;
	s->first = 0;
	return 0;
}

static int make_room(struct stream *s)
{
	if (s->n < s->capacity)
		return 0;
	if (s->capacity < RANDOM_WINDOW)
		return grow(s);
	judge_first(s);
	return 0;
}

static void sort_in(struct stream *s, const struct pending *p)
{
	uint32_t i = s->n++;

	for (; i && at(s, i - 1)->submit_ns > p->submit_ns; i--)
		*at(s, i) = *at(s, i - 1);
	*at(s, i) = *p;
}

int stream_add(struct streams *t, struct stream *s, const struct iolat_request *e,
	       struct row_slot *row)
{
	struct pending p = {
		.submit_ns = e->end_ns - e->device_ns - e->queue_ns,
		.sector = e->sector,
		.end = e->sector + e->bytes / 512,
		.row = row,
		.read = e->op == IOLAT_OP_READ,
	};
	int err = make_room(s);

	if (err)
		return err;
	if (!s->n)
		list_add(&t->active, &s->active);
	sort_in(s, &p);
	return 0;
}

void streams_flush(struct streams *t)
{
	while (!list_empty(&t->active))
		flush(list_entry(t->active.next, struct stream, active));
}

void streams_start_interval(struct streams *t)
{
	lru_trim(&t->lru, RANDOM_STREAMS / 2);
}
