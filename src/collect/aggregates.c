// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the table out of the programs' hands by putting an empty one in its place: the
 * kernel returns from that when no program has the old one any more, so what is read
 * then is whole, and the keys of processes that are gone go with it.
 */
#include "collect/aggregates.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "iolat/wire.h"

#define COARSE_KEYS_LEAST 1024	/* 1.8 MB */
#define COARSE_KEYS_MOST  8192

/* The finer one is the larger. */
static struct iolat_aggregate_value *value_new(void)
{
	struct iolat_aggregate_value *v = calloc(1, sizeof(*v));

	for (int part = 0; v && part < IOLAT_PART_MAX; part++)
		v->sums.min_ns[part] = ~0ULL;
	return v;
}

static size_t value_size(const struct aggregates *a)
{
	return a->coarse ? sizeof(struct iolat_coarse_value) : sizeof(struct iolat_aggregate_value);
}

static size_t key_size(const struct aggregates *a)
{
	_Static_assert(offsetof(struct iolat_aggregate_key, tgid) == IOLAT_COARSE_KEY_SIZE, "whole members");
	return a->coarse ? IOLAT_COARSE_KEY_SIZE : sizeof(struct iolat_aggregate_key);
}

static int put_empty(int table, enum iolat_aggregate_other which,
		     const struct iolat_aggregate_value *v)
{
	const struct iolat_aggregate_key key = {.other = which};

	return bpf_map_update_elem(table, &key, v, BPF_ANY) ? -errno : 0;
}

/* An empty table, but for the two keys that each one has. Descriptor or -errno. */
static int table_new(const struct aggregates *a)
{
	AUTO_FREE struct iolat_aggregate_value *none = value_new();
	int fd, err;

	if (!none)
		return -ENOMEM;
	fd = bpf_map_create(BPF_MAP_TYPE_HASH, "iolat_aggregate",
			    key_size(a), value_size(a), a->keys, NULL);
	if (fd < 0)
		return -errno;
	err = put_empty(fd, IOLAT_AGGREGATE_REST, none) ?: put_empty(fd, IOLAT_AGGREGATE_EMPTY, none);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int aggregates_open(struct aggregates *a, bool coarse)
{
	*a = (struct aggregates){.coarse = coarse,
				 .keys = coarse ? COARSE_KEYS_LEAST : IOLAT_AGGREGATE_KEYS};
	a->table = table_new(a);
	return a->table < 0 ? a->table : 0;
}

static int put_in_place(struct aggregates *a, int table)
{
	__u32 zero = 0;

	return bpf_map_update_elem(a->outer, &zero, &table, BPF_ANY) ? -errno : 0;
}

int aggregates_start(struct aggregates *a, int outer)
{
	a->outer = outer;
	a->since_ns = monotonic_ns();
	return put_in_place(a, a->table);
}

void aggregates_close(struct aggregates *a)
{
	if (a->table > 0)
		close(a->table);
	a->table = 0;
}

/* Each as the last of the buckets that it stands for, which has the same upper bound. They tell how many I/Os
 * there were. */
static size_t put_coarse(struct iolat_bucket *to, struct iolat_coarse_value *v)
{
	size_t n = 0;

	for (__u16 i = 0; i < IOLAT_COARSE_BUCKETS; i++)
		v->sums.ios += v->buckets[IOLAT_PART_TOTAL][i];

	for (__u16 part = 0; part < IOLAT_COARSE_PARTS; part++)
		for (__u16 i = 0; i < IOLAT_COARSE_BUCKETS; i++) {
			__u16 number = (IOLAT_COARSE_FIRST + i + 1) << IOLAT_COARSE_SHIFT;

			if (v->buckets[part][i])
				to[n++] = (struct iolat_bucket){number - 1, part, v->buckets[part][i]};
		}
	return n;
}

static size_t put_buckets(struct iolat_bucket *to, const struct iolat_aggregate_value *v)
{
	size_t n = 0;

	for (__u16 part = 0; part < IOLAT_PART_MAX; part++)
		for (__u16 i = 0; i < IOLAT_BUCKETS; i++)
			if (v->buckets[part][i])
				to[n++] = (struct iolat_bucket){i, part, v->buckets[part][i]};
	return n;
}

static void fill(struct iolat_aggregate *e, const struct iolat_aggregate_key *key,
		 const struct iolat_aggregate_sums *v, size_t n)
{
	*e = (struct iolat_aggregate){
		.head = {IOLAT_EV_AGGREGATE, sizeof(*e) + n * sizeof(e->buckets[0])},
		.disk = key->disk,
		.last_ns = v->last_ns,
		.cgroup = key->cgroup,
		.tgid = key->tgid,
		.tid = key->tid,
		.via = key->via,
		.n_buckets = n,
		.op = key->op,
		.owner = key->owner,
		.flags = key->flags,
		.other = key->other == IOLAT_AGGREGATE_REST,
		.ios = v->ios,
		.bytes = v->bytes,
		.errors = v->errors,
		.requeues = v->requeues,
		.merged = v->merged,
	};
	for (int part = 0; part < IOLAT_PART_MAX; part++) {
		e->sum_ns[part] = v->sum_ns[part];
		e->min_ns[part] = v->min_ns[part];
		e->max_ns[part] = v->max_ns[part];
	}
}

/* Room for one key: what is read and what is sent. */
struct room {
	union {
		struct iolat_aggregate_sums sums;
		struct iolat_aggregate_value value;
		struct iolat_coarse_value coarse;
	};
	union {
		struct iolat_aggregate e;
		unsigned char bytes[sizeof(struct iolat_aggregate) +
				    IOLAT_PART_MAX * IOLAT_BUCKETS * sizeof(struct iolat_bucket)];
	};
};
_Static_assert(sizeof(((struct room *)0)->bytes) <= UINT16_MAX, "an event's size has 16 bits");

static int pass_key(int table, const struct iolat_aggregate_key *key, struct room *r,
		    const struct aggregates *a, uint64_t now, const struct sink *sink)
{
	size_t n;

	if (bpf_map_lookup_elem(table, key, &r->value))
		return -errno;
	n = a->coarse ? put_coarse(r->e.buckets, &r->coarse) : put_buckets(r->e.buckets, &r->value);
	if (!r->sums.ios && !r->sums.bytes)
		return 0;
	fill(&r->e, key, &r->sums, n);
	r->e.start_ns = a->since_ns;
	r->e.end_ns = now;
	return sink->event(sink->ctx, &r->e, r->e.head.size);
}

/* How many keys it had goes to *used. */
static int pass_table(int table, const struct aggregates *a, uint64_t now, const struct sink *sink,
		      uint32_t *used)
{
	AUTO_FREE struct room *r = malloc(sizeof(*r));
	struct iolat_aggregate_key key = {0}, *before = NULL;
	int err = r ? 0 : -ENOMEM;

	while (!err && !bpf_map_get_next_key(table, before, &key)) {
		err = pass_key(table, &key, r, a, now, sink);
		before = &key;
		++*used;
	}
	return err;
}

/* The next table has room for twice as many keys, so that a rush finds some, too. */
static void resize(struct aggregates *a, uint32_t used)
{
	if (!a->coarse)
		return;
	if (used > a->keys / 2 && a->keys < COARSE_KEYS_MOST)
		a->keys *= 2;
	else if (used < a->keys / 8 && a->keys > COARSE_KEYS_LEAST)
		a->keys /= 2;
}

int aggregates_take(struct aggregates *a, uint64_t additions, const struct sink *sink)
{
	int err, full = a->table, fresh;
	uint32_t used = 0;
	uint64_t now;

	if (!a->coarse && additions == a->taken)
		return 0;
	fresh = table_new(a);
	if (fresh < 0)
		return fresh;
	err = put_in_place(a, fresh);
	if (err) {
		close(fresh);
		return err;
	}
	now = monotonic_ns();
	a->table = fresh;
	a->taken = additions;
	err = pass_table(full, a, now, sink, &used);
	resize(a, used);
	a->since_ns = now;
	close(full);
	return err;
}
