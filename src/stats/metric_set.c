// SPDX-License-Identifier: GPL-2.0
/* A hash of the labels finds a set of counters; equal hashes are chained. */
#include "stats/metric_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *metric_label_name(enum metric_label label)
{
	static const char *const names[LABEL_MAX] = {
#define X(NAME, name) [LABEL_##NAME] = name,
		METRIC_LABELS(X)
#undef X
	};

	return names[label];
}

void metric_labels_number(struct metric_labels *l, enum metric_label label, uint64_t n)
{
	snprintf(l->numbers[label], sizeof(l->numbers[label]), "%llu", (unsigned long long)n);
	l->value[label] = l->numbers[label];
}

static void join(struct metric_labels *l)
{
	l->len = 0;
	for (int i = 0; i < LABEL_MAX; i++) {
		const char *v = l->value[i] ? l->value[i] : "";
		size_t left = sizeof(l->text) - l->len - (size_t)(LABEL_MAX - i);
		size_t len = strnlen(v, left);

		memcpy(l->text + l->len, v, len);
		l->text[l->len + len] = '\0';
		l->len += len + 1;
	}
}

/* --- sets ------------------------------------------------------------------------- */

void metric_set_init(struct metric_set *set, size_t max)
{
	*set = (struct metric_set){.max = max ? max : 1};
	map_init(&set->by_hash, sizeof(uint64_t));
}

static void metric_free(struct metric *x)
{
	if (!x)
		return;
	hist_free(&x->latency);
	hist_free(&x->queue);
	free(x);
}

void metric_set_free(struct metric_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		metric_free(set->list[i]);
	metric_free(set->other);
	free(set->list);
	map_free(&set->by_hash);
}

static struct metric *metric_new(const struct metric_labels *l)
{
	struct metric *x = calloc(1, sizeof(*x) + l->len);
	const char *at;

	if (!x)
		return NULL;
	memcpy(x->text, l->text, l->len);
	x->len = l->len;
	x->hash = map_hash(l->text, l->len);
	at = x->text;
	for (int i = 0; i < LABEL_MAX; i++) {
		x->label[i] = at;
		at += strlen(at) + 1;
	}
	hist_init(&x->latency);
	hist_init(&x->queue);
	return x;
}

static int set_add(struct metric_set *set, struct metric *x)
{
	struct metric **list;
	size_t room = set->room ? 2 * set->room : 64;

	if (set->n == set->room) {
		list = realloc(set->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		set->list = list;
		set->room = room;
	}
	x->next = map_get(&set->by_hash, &x->hash);
	if (map_put(&set->by_hash, &x->hash, x))
		return -ENOMEM;
	set->list[set->n++] = x;
	return 0;
}

struct metric *metric_set_get(struct metric_set *set, struct metric_labels *l)
{
	struct metric *x;
	uint64_t hash;

	join(l);
	hash = map_hash(l->text, l->len);
	for (x = map_get(&set->by_hash, &hash); x; x = x->next)
		if (x->len == l->len && !memcmp(x->text, l->text, l->len))
			return x;
	x = metric_new(l);
	if (x && set_add(set, x)) {
		metric_free(x);
		return NULL;
	}
	return x;
}

static void unlink_hash(struct metric_set *set, struct metric *x)
{
	struct metric *at = map_get(&set->by_hash, &x->hash);

	if (at == x && !x->next) {
		map_del(&set->by_hash, &x->hash);
	} else if (at == x) {
		map_put(&set->by_hash, &x->hash, x->next); /* replaces: needs no memory */
	} else {
		while (at->next != x)
			at = at->next;
		at->next = x->next;
	}
}

void metric_set_sweep(struct metric_set *set, bool (*ends)(const struct metric *x, const void *ctx),
		      const void *ctx)
{
	size_t n = 0, was = set->n;

	for (size_t i = 0; i < was; i++) {
		struct metric *x = set->list[i];

		if (!ends(x, ctx)) {
			set->list[n++] = x;
			continue;
		}
		unlink_hash(set, x);
		metric_free(x);
	}
	set->n = n;
}

/* --- room ------------------------------------------------------------------------- */

static int least_active_last(const void *a, const void *b)
{
	const struct metric *x = *(struct metric *const *)a, *y = *(struct metric *const *)b;

	return (x->activity < y->activity) - (x->activity > y->activity);
}

int metric_set_other(struct metric_set *set, struct metric_labels *l)
{
	if (set->other)
		return 0;
	join(l);
	set->other = metric_new(l);
	return set->other ? 0 : -ENOMEM;
}

size_t metric_set_make_room(struct metric_set *set, struct metric **to, size_t n_to)
{
	size_t kept = set->n < set->max ? set->n : set->max, gone = set->n - kept;

	if (!gone)
		return 0;
	qsort(set->list, set->n, sizeof(*set->list), least_active_last);
	for (size_t i = kept; i < set->n; i++)
		set->list[i]->activity = -1;
	for (size_t i = 0; i < n_to; i++)
		if (to[i] && to[i]->activity < 0)
			to[i] = set->other;
	for (size_t i = kept; i < set->n; i++) {
		unlink_hash(set, set->list[i]);
		metric_free(set->list[i]);
	}
	set->n = kept;
	return gone;
}

void metric_set_begin(struct metric_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		set->list[i]->activity *= 0.75;
		set->list[i]->in_flight = set->list[i]->oldest_ns = 0;
	}
	if (set->other)
		set->other->in_flight = set->other->oldest_ns = 0;
}

/* One that is there already keeps its place against a newcomer of the same activity. */
void metric_touch(struct metric *x, double activity, uint64_t now_ns)
{
	x->activity += x->active_ns ? activity : activity / 2;
	if (activity > 0)
		x->active_ns = now_ns;
}
