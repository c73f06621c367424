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

int row_wait(struct row_slot *s, uint64_t ns)
{
	s->pub.ios++;
	s->pub.waits++;
	s->owners[IOLAT_OWNER_TASK]++;
	return hist_add(&s->pub.total, ns);
}

static uint64_t clamp(uint64_t v, uint64_t lo, uint64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* The counts of one part of an aggregate as a histogram. The kernel's last bucket has no upper bound;
 * its extremes may be a little off where its atomics cannot do better, its buckets never. */
static int load(struct hist *h, const struct iolat_aggregate *e, enum iolat_part part)
{
	struct hist_bucket first = {0}, last = {0};
	int err = 0;

	_Static_assert(IOLAT_BUCKET_BITS == HIST_SUB_BITS, "the same buckets");
	hist_init(h);
	for (size_t i = 0; !err && i < e->n_buckets; i++) {
		const struct iolat_bucket *b = &e->buckets[i];
		unsigned int number = b->number;

		if (b->part != part)
			continue;
		if (number == IOLAT_BUCKETS - 1 && hist_bucket_of(e->max_ns[part]) > number)
			number = hist_bucket_of(e->max_ns[part]);
		err = hist_add_bucket(h, number, b->count);
		last = hist_bucket_at(number);
		if (h->count == b->count)
			first = last;
	}
	if (!h->count)
		return err;
	h->sum = (double)e->sum_ns[part];
	h->min = clamp(e->min_ns[part], first.lo, first.hi);
	h->max = clamp(e->max_ns[part], last.lo, last.hi);
	return err;
}

static int add_part(struct hist *into, const struct iolat_aggregate *e, enum iolat_part part)
{
	struct hist h;
	int err = load(&h, e, part);

	if (!err)
		err = hist_merge(into, &h);
	hist_free(&h);
	return err;
}

int row_aggregate_latency(struct hist *into, const struct iolat_aggregate *e)
{
	return add_part(into, e, IOLAT_PART_TOTAL);
}

int row_aggregate(struct row_slot *s, const struct iolat_aggregate *e)
{
	struct row *r = &s->pub;
	int err = add_part(&r->total, e, IOLAT_PART_TOTAL);

	if (!err)
		err = add_part(&r->queue, e, IOLAT_PART_QUEUE);
	if (!err)
		err = add_part(&r->device, e, IOLAT_PART_DEVICE);
	r->ios += e->ios;
	r->bytes += e->bytes;
	r->merged += e->merged;
	r->requeues += e->requeues;
	r->errors += e->errors;
	s->owners[e->owner] += e->ios;
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

static void merge_container(struct row_slot *into, const struct row_slot *from)
{
	if (!from->container_known)
		return;
	if (!into->container_known) {
		place_ref(from->container);
		into->container = from->container;
	}
	into->container_mixed |= from->container_mixed || into->container != from->container;
	into->container_known = true;
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
	r->waits += from->pub.waits;
	for (size_t i = 0; i < IOLAT_OWNER_MAX; i++)
		into->owners[i] += from->owners[i];
	into->compared += from->compared;
	into->random += from->random;
	merge_via(into, from);
	merge_container(into, from);
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
	r->container = s->container && !s->container_mixed ? &s->container->container : NULL;
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
	if (s->worker)
		worker_unref(s->worker);
	if (s->cgroup)
		known_cgroup_unref(s->cgroup);
	for (int kind = 0; kind < PLACE_KINDS; kind++)
		place_unref(s->places[kind]);
	place_unref(s->container);
	if (s->disk)
		known_disk_unref(s->disk);
	known_file_unref(s->file);
	known_fs_unref(s->fs);
	hist_free(&s->pub.total);
	hist_free(&s->pub.queue);
	hist_free(&s->pub.device);
	hist_free(&s->pub.size);
	free(s);
}
