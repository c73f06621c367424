// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the table out of the programs' hands by putting an empty one in its place: the
 * kernel returns from that when no program has the old one any more, so what is read
 * then is whole, and the keys of processes that are gone go with it.
 */
#include "collect/aggregates.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "iolat/wire.h"

static struct iolat_aggregate_value *value_new(void)
{
	struct iolat_aggregate_value *v = calloc(1, sizeof(*v));

	for (int part = 0; v && part < IOLAT_PART_MAX; part++)
		v->min_ns[part] = ~0ULL;
	return v;
}

static int put_empty(int table, enum iolat_aggregate_other which,
		     const struct iolat_aggregate_value *v)
{
	const struct iolat_aggregate_key key = {.other = which};

	return bpf_map_update_elem(table, &key, v, BPF_ANY) ? -errno : 0;
}

/* An empty table, but for the two keys that each one has. Descriptor or -errno. */
static int table_new(void)
{
	AUTO_FREE struct iolat_aggregate_value *none = value_new();
	int fd, err;

	if (!none)
		return -ENOMEM;
	fd = bpf_map_create(BPF_MAP_TYPE_HASH, "iolat_aggregate",
			    sizeof(struct iolat_aggregate_key), sizeof(*none),
			    IOLAT_AGGREGATE_KEYS, NULL);
	if (fd < 0)
		return -errno;
	err = put_empty(fd, IOLAT_AGGREGATE_REST, none) ?: put_empty(fd, IOLAT_AGGREGATE_EMPTY, none);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int aggregates_open(struct aggregates *a)
{
	*a = (struct aggregates){.table = table_new()};
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
		 const struct iolat_aggregate_value *v)
{
	size_t n = put_buckets(e->buckets, v);

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
	struct iolat_aggregate_value value;
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
	if (bpf_map_lookup_elem(table, key, &r->value))
		return -errno;
	if (!r->value.ios && !r->value.bytes)
		return 0;
	fill(&r->e, key, &r->value);
	r->e.start_ns = a->since_ns;
	r->e.end_ns = now;
	return sink->event(sink->ctx, &r->e, r->e.head.size);
}

static int pass_table(int table, const struct aggregates *a, uint64_t now, const struct sink *sink)
{
	AUTO_FREE struct room *r = malloc(sizeof(*r));
	struct iolat_aggregate_key key, *before = NULL;
	int err = r ? 0 : -ENOMEM;

	while (!err && !bpf_map_get_next_key(table, before, &key)) {
		err = pass_key(table, &key, r, a, now, sink);
		before = &key;
	}
	return err;
}

int aggregates_take(struct aggregates *a, uint64_t additions, const struct sink *sink)
{
	int err, full = a->table, fresh;
	uint64_t now;

	if (additions == a->taken)
		return 0;
	fresh = table_new();
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
	err = pass_table(full, a, now, sink);
	a->since_ns = now;
	close(full);
	return err;
}
