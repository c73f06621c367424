// SPDX-License-Identifier: GPL-2.0
/*
 * One row: counting a request in, adding two rows up, and what is derived from the
 * counts when a row is shown. Which row a request belongs to is rows.c's.
 */
#include "stats/rows.h"

#include <errno.h>
#include <stdlib.h>

static int add_latency(struct row *r, const struct iolat_request *e)
{
	int err = hist_add(&r->total, e->queue_ns + e->device_ns);

	if (!err && !(e->flags & IOLAT_RQ_NO_SPLIT))
		err = hist_add(&r->queue, e->queue_ns);
	if (!err && !(e->flags & (IOLAT_RQ_NO_SPLIT | IOLAT_RQ_NO_DEVICE)))
		err = hist_add(&r->device, e->device_ns);
	return err;
}

/* A flush has no size; what failed before it moved data has none to speak of. */
static bool has_size(const struct iolat_request *e)
{
	return e->op != IOLAT_OP_FLUSH && (e->bytes || !e->error);
}

int row_request(struct row_slot *s, const struct iolat_request *e)
{
	struct row *r = &s->pub;
	int err = add_latency(r, e);

	r->ios++;
	r->bytes += e->bytes;
	r->merged += e->merged;
	r->requeues += e->requeues;
	r->errors += e->error != 0;
	s->owners[e->owner]++;
	if (!err && has_size(e))
		err = hist_add(&r->size, e->bytes);
	return err;
}

static void merge_via(struct row_slot *into, const struct row_slot *from)
{
	if (!from->via_known)
		return;
	if (!into->via_known)
		into->via = from->via;
	into->via_mixed |= from->via_mixed || into->via != from->via;
	into->via_known = true;
}

static int merge_hists(struct row *into, const struct row *from)
{
	int err = hist_merge(&into->total, &from->total);

	if (!err)
		err = hist_merge(&into->queue, &from->queue);
	if (!err)
		err = hist_merge(&into->device, &from->device);
	if (!err)
		err = hist_merge(&into->size, &from->size);
	return err;
}

int row_merge(struct row_slot *into, const struct row_slot *from)
{
	struct row *r = &into->pub;

	r->ios += from->pub.ios;
	r->bytes += from->pub.bytes;
	r->errors += from->pub.errors;
	r->requeues += from->pub.requeues;
	r->merged += from->pub.merged;
	for (size_t i = 0; i < IOLAT_OWNER_MAX; i++)
		into->owners[i] += from->owners[i];
	into->compared += from->compared;
	into->random += from->random;
	merge_via(into, from);
	return merge_hists(r, &from->pub);
}

static const char *owner_name(const struct row_slot *s)
{
	static const char *const names[IOLAT_OWNER_MAX] = {"task", "bio", "page", NULL};
	size_t most = 0;

	for (size_t i = 1; i < IOLAT_OWNER_MAX; i++)
		if (s->owners[i] > s->owners[most])
			most = i;
	return s->owners[most] ? names[most] : NULL;
}

static const char *via_name(const struct row_slot *s)
{
	if (s->id.via)
		return s->id.via;
	return s->via_mixed ? NULL : s->via;
}

const struct row *row_finish(struct row_slot *s)
{
	struct row *r = &s->pub;

	r->owner_from = owner_name(s);
	r->via = via_name(s);
	r->random_known = s->compared > 0;
	r->random_pct = s->compared ? 100.0 * (double)s->random / (double)s->compared : 0;
	return r;
}

void row_free(struct row_slot *s)
{
	if (s->proc)
		proc_unref(s->proc);
	if (s->thread)
		proc_thread_unref(s->thread);
	if (s->cgroup)
		known_cgroup_unref(s->cgroup);
	if (s->disk)
		known_disk_unref(s->disk);
	hist_free(&s->pub.total);
	hist_free(&s->pub.queue);
	hist_free(&s->pub.device);
	hist_free(&s->pub.size);
	free(s);
}
