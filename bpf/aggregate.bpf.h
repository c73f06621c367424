/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting in the kernel: what finds the ring full (or is never to be sent) is added to
 * counts and histograms by owner, disk and operation, in a table that user space takes
 * away from time to time and puts a new one for. Whoever sends requests calls it.
 */
#ifndef IOLAT_AGGREGATE_BPF_H
#define IOLAT_AGGREGATE_BPF_H

#include "maps.bpf.h" /* the kernel's types, before: */
#include "bucket.bpf.h"

struct aggregate_table {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, IOLAT_AGGREGATE_KEYS);
	__uint(key_size, sizeof(struct iolat_aggregate_key)); /* clang leaves out such types' BTF */
	__uint(value_size, sizeof(struct iolat_aggregate_value));
};

/* The table in use. Putting another in its place returns only when no program has the old one any more
 * (1ae80cf31938, 4.20): it is then complete. Preallocated: a page or more could not be relied on here. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct aggregate_table);
} iolat_aggregates SEC(".maps") __weak;

/* Weak: one for all object files, and not put into a section of its own. */
const struct iolat_aggregate_key the_rest __weak = {.other = IOLAT_AGGREGATE_REST};
const struct iolat_aggregate_key the_empty __weak = {.other = IOLAT_AGGREGATE_EMPTY};

/* The counts of a key, made when it is new, or those of all that have no room of their own. */
static __always_inline struct iolat_aggregate_value *
aggregate_find(const struct iolat_aggregate_key *key, bool *other)
{
	struct iolat_aggregate_value *v, *empty;
	u32 zero = 0;
	void *table = bpf_map_lookup_elem(&iolat_aggregates, &zero);

	*other = false;
	if (!table)
		return NULL;
	v = bpf_map_lookup_elem(table, key);
	if (v)
		return v;
	empty = bpf_map_lookup_elem(table, &the_empty);
	if (empty)
		bpf_map_update_elem(table, key, empty, BPF_NOEXIST);
	v = bpf_map_lookup_elem(table, key);
	if (v)
		return v;
	*other = true;
	return bpf_map_lookup_elem(table, &the_rest);
}

#ifdef IOLAT_MODERN
/* Few tries: whoever was faster had a value as extreme, or nearly. */
#define keep(field, v, more_extreme)                                                               \
	do {                                                                                       \
		for (int i_ = 0; i_ < 4; i_++) {                                                   \
			u64 was_ = *(volatile u64 *)(field);                                       \
			if (!((v)more_extreme was_) ||                                             \
			    __sync_val_compare_and_swap(field, was_, v) == was_)                   \
				break;                                                             \
		}                                                                                  \
	} while (0)
#else
#define keep(field, v, more_extreme)                                                               \
	do {                                                                                       \
		if ((v)more_extreme *(field))                                                      \
			*(field) = (v);                                                            \
	} while (0)
#endif

/* Of half of one, older verifiers (tried: 5.10, 6.1) do not learn what a comparison tells. */
#define whole_register(v) asm volatile("" : "+r"(v))

static __always_inline void aggregate_part(struct iolat_aggregate_value *v, enum iolat_part part,
					   u64 ns)
{
	u64 bucket = bucket_of(ns);

	whole_register(bucket);
	if (bucket >= IOLAT_BUCKETS)
		return;
	__sync_fetch_and_add(&v->sums.sum_ns[part], ns);
	keep(&v->sums.min_ns[part], ns, <);
	keep(&v->sums.max_ns[part], ns, >);
	__sync_fetch_and_add(&v->buckets[part][bucket], 1);
}

static __always_inline void aggregate_fine(struct iolat_aggregate_value *v,
					   const struct iolat_request *e)
{
	__sync_fetch_and_add(&v->sums.ios, 1);
	count(aggregated);
	aggregate_part(v, IOLAT_PART_TOTAL, e->queue_ns + e->device_ns);
	if (e->flags & IOLAT_RQ_NO_SPLIT)
		return;
	aggregate_part(v, IOLAT_PART_QUEUE, e->queue_ns);
	if (!(e->flags & IOLAT_RQ_NO_DEVICE))
		aggregate_part(v, IOLAT_PART_DEVICE, e->device_ns);
}

static __always_inline void coarse_part(struct iolat_coarse_value *v, enum iolat_part part, u64 ns)
{
	u64 bucket = bucket_of(ns) >> IOLAT_COARSE_SHIFT;

	bucket -= bucket < IOLAT_COARSE_FIRST ? bucket : IOLAT_COARSE_FIRST;
	whole_register(bucket);
	if (bucket >= IOLAT_COARSE_BUCKETS)
		bucket = IOLAT_COARSE_BUCKETS - 1;
	__sync_fetch_and_add(&v->sums.sum_ns[part], ns);
	__sync_fetch_and_add(&v->buckets[part][bucket], 1);
}

static __always_inline void aggregate_coarse(struct iolat_coarse_value *v,
					     const struct iolat_request *e)
{
	coarse_part(v, IOLAT_PART_TOTAL, e->queue_ns + e->device_ns);
	if (!(e->flags & IOLAT_RQ_NO_SPLIT))
		coarse_part(v, IOLAT_PART_QUEUE, e->queue_ns);
}

/* Of a request or a share. */
#define aggregate_key_of(e)                                                                        \
	{                                                                                          \
		.cgroup = (e)->cgroup, .tgid = (e)->tgid,                                          \
		.tid = (e)->owner == IOLAT_OWNER_TASK ? 0 : (e)->tid, .via = (e)->via,             \
		.disk = (e)->disk, .op = (e)->op, .owner = (e)->owner,                             \
		.flags = (e)->flags & IOLAT_AGGREGATE_FLAGS,                                       \
	}

/* An atomic operation costs more than to see that it is not needed. */
#define add_rare(sum, n)                                                                           \
	do {                                                                                       \
		if (n)                                                                             \
			__sync_fetch_and_add(&(sum), n);                                           \
	} while (0)

/* Counts a finished I/O; `head` need not be set. Returns 1 if it could not be counted as its disk's, else 0. */
static __always_inline int aggregate_here(const struct iolat_request *e)
{
	struct iolat_aggregate_key key = aggregate_key_of(e);
	bool other;
	struct iolat_aggregate_value *v;

	v = aggregate_find(&key, &other);
	if (!v) {
		count(lost);
		return 1;
	}
	__sync_fetch_and_add(&v->sums.bytes, e->bytes);
	add_rare(v->sums.merged, e->merged);
	add_rare(v->sums.requeues, e->requeues);
	add_rare(v->sums.errors, e->error != 0);
	v->sums.last_ns = e->end_ns - e->device_ns - e->queue_ns;
	if (knobs.coarse)
		aggregate_coarse((struct iolat_coarse_value *)v, e);
	else
		aggregate_fine(v, e);
	return other;
}

static __noinline int aggregate_request(const struct iolat_request *e)
{
	return aggregate_here(e);
}

/* Global, hence verified by itself: it is called in a loop. Five numbers are all that such
 * a function can be given before 5.12. */
__weak __noinline int iolat_add_bytes(u64 cgroup, u64 tgid_tid, u64 via_disk, u64 bytes_kind, u64 now)
{
	struct iolat_aggregate_key key = {
		.cgroup = cgroup,
		.tgid = tgid_tid >> 32,
		.tid = (u32)tgid_tid,
		.via = via_disk >> 32,
		.disk = (u32)via_disk,
		.op = bytes_kind >> 32,
		.owner = bytes_kind >> 40,
		.flags = bytes_kind >> 48,
	};
	bool other;
	struct iolat_aggregate_value *v;

	v = aggregate_find(&key, &other);
	if (!v)
		return 0;
	__sync_fetch_and_add(&v->sums.bytes, (u32)bytes_kind);
	v->sums.last_ns = now;
	if (!knobs.coarse)
		count(aggregated);
	return 0;
}

/* Counts the bytes of a foreign bio. */
static __always_inline void aggregate_share(const struct iolat_share *e)
{
	struct iolat_aggregate_key key = aggregate_key_of(e);

	iolat_add_bytes(key.cgroup, (u64)key.tgid << 32 | key.tid, (u64)key.via << 32 | key.disk,
			e->bytes | (u64)key.op << 32 | (u64)key.owner << 40 |
				(u64)key.flags << 48,
			e->end_ns);
}

#endif /* IOLAT_AGGREGATE_BPF_H */
