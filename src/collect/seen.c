// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel lists tasks by pid, and pids wrap. Workers of a loader are told apart by who
 * was started first, so the list is put in order before anybody sees it.
 */
#include "collect/seen.h"

#include <errno.h>
#include <stdlib.h>

struct list_of_tasks {
	struct iolat_task *at;
	size_t n, room;
};

static int grow(struct list_of_tasks *l)
{
	size_t room = l->room ? 2 * l->room : 1024;
	struct iolat_task *at = reallocarray(l->at, room, sizeof(*at));

	if (!at)
		return -ENOMEM;
	l->at = at;
	l->room = room;
	return 0;
}

static int add(void *ctx, const void *data, size_t size)
{
	struct list_of_tasks *l = ctx;
	int err = l->n == l->room ? grow(l) : 0;

	if (!err)
		l->at[l->n++] = *(const struct iolat_task *)data;
	return err;
}

static int older_first(const void *left, const void *right)
{
	const struct iolat_task *a = left, *b = right;

	if (a->begun_ns != b->begun_ns)
		return a->begun_ns < b->begun_ns ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int send_all(const struct list_of_tasks *l, const struct sink *sink)
{
	int err = 0;

	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), older_first);
	for (size_t i = 0; !err && i < l->n; i++)
		err = sink->event(sink->ctx, &l->at[i], sizeof(l->at[i]));
	return err;
}

int seen_tasks(const struct tracer *t, const struct sink *sink)
{
	struct list_of_tasks l = {.n = 0};
	const struct sink collect = {add, &l};
	int err = tracer_tasks(t, &collect) ?: send_all(&l, sink);

	free(l.at);
	return err;
}
