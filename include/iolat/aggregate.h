/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel side's own table of what it counted without an event each, as its programs
 * fill it and user space reads it. What user space makes of it is an event again: struct
 * iolat_aggregate.
 */
#ifndef IOLAT_AGGREGATE_H
#define IOLAT_AGGREGATE_H

#include "iolat/event.h"

#define IOLAT_AGGREGATE_KEYS 256	/* two of them are user space's; with knobs.coarse there may be more */

/* Keys that user space puts into an empty table; all else of them is 0. */
enum iolat_aggregate_other {
	IOLAT_AGGREGATE_REST = 1,	/* for what finds no room of its own */
	IOLAT_AGGREGATE_EMPTY,		/* what a new key begins with; never changes */
};

/* Which I/Os are counted together; no padding. */
struct iolat_aggregate_key {
	__u64 cgroup;
	__u32 disk;
	__u8 op;
	__u8 owner;
	__u8 flags;	/* of IOLAT_AGGREGATE_FLAGS */
	__u8 other;	/* enum iolat_aggregate_other, or 0 */
	__u32 tgid;	/* from here on not with knobs.coarse: such a table's keys end before it */
	__u32 tid;	/* 0 where a process is known */
	__u32 via;
	__u32 reserved;
};
#define IOLAT_COARSE_KEY_SIZE 16

/* Those of a request's flags that decide where it counts, or as what. */
#define IOLAT_AGGREGATE_FLAGS (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH | IOLAT_RQ_SWAP)

struct iolat_aggregate_sums {
	__u64 last_ns;	/* submission of the latest */
	__u64 ios;
	__u64 bytes;
	__u64 errors;
	__u64 requeues;
	__u64 merged;
	__u64 sum_ns[IOLAT_PART_MAX];
	__u64 min_ns[IOLAT_PART_MAX];	/* ~0: none */
	__u64 max_ns[IOLAT_PART_MAX];
};

struct iolat_aggregate_value {
	struct iolat_aggregate_sums sums;
	__u32 buckets[IOLAT_PART_MAX][IOLAT_BUCKETS];
};

/* With knobs.coarse, for many keys at little cost: no process in a key, no extremes, nothing of the device's part
 * and an eighth of a power of two a bucket, from 1 us to 34 s; what is shorter or longer is in the first
 * or last. sums.ios is not kept: it is what the total's buckets come to. */
#define IOLAT_COARSE_SHIFT   2	/* bits of a bucket's number that are left out */
#define IOLAT_COARSE_FIRST   (6 << (IOLAT_BUCKET_BITS - IOLAT_COARSE_SHIFT))
#define IOLAT_COARSE_BUCKETS (25 << (IOLAT_BUCKET_BITS - IOLAT_COARSE_SHIFT))
#define IOLAT_COARSE_PARTS   IOLAT_PART_DEVICE	/* those before it */

struct iolat_coarse_value {
	struct iolat_aggregate_sums sums;
	__u32 buckets[IOLAT_COARSE_PARTS][IOLAT_COARSE_BUCKETS];
};

#endif /* IOLAT_AGGREGATE_H */
