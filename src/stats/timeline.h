/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run over time: for each disk and operation what completed, how slowly, and how much was in
 * flight, in buckets of equal width. When they run out, each two become one, so memory is bounded
 * however long the run. Fed by account.c where a renderer asks for it, read through the snapshot.
 */
#ifndef IOLAT_STATS_TIMELINE_H
#define IOLAT_STATS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

enum timeline_limits {
	TIMELINE_BUCKETS = 400, /* even */
	TIMELINE_DISKS = 16,    /* with a line of their own; the first ones that come */
	TIMELINE_LEVELS = 106,
};
#define TIMELINE_WIDTH_NS 10000000ull /* of a bucket at the start */

struct timeline_bucket {
	uint64_t ios, bytes;	 /* of requests that completed in it */
	uint64_t in_flight_ns;	 /* request time that fell into it: over the width, the mean depth */
	uint64_t levels[TIMELINE_LEVELS]; /* the same requests by latency */
};

struct timeline_track {
	struct timeline_bucket buckets[TIMELINE_BUCKETS];
};

enum timeline_whose {
	TIMELINE_OWN,
	TIMELINE_COPY, /* made by a device above: counted there as well */
	TIMELINE_WHOSE_MAX
};

struct disk;
struct known_disk;

struct timeline {
	bool started;
	uint64_t start_ns, width_ns;
	size_t used;				 /* buckets, up to the last that was reached */
	struct known_disk *disks[TIMELINE_DISKS]; /* referenced */
	size_t n_disks;
	/* [TIMELINE_DISKS]: requests without a disk, and of disks that came too late. NULL: none. */
	struct timeline_track *tracks[TIMELINE_DISKS + 1][TIMELINE_WHOSE_MAX][IOLAT_OP_MAX];
};

void timeline_init(struct timeline *s);
void timeline_free(struct timeline *s);

/* When the run began (CLOCK_MONOTONIC); only the first call counts. Without it the first request
 * begins it. What lies before falls into the first bucket. */
void timeline_start(struct timeline *s, uint64_t start_ns);

/* One finished request; `disk` may be NULL and is referenced when it is new. 0 or -ENOMEM. */
int timeline_add(struct timeline *s, struct known_disk *disk, const struct iolat_request *e);

/* The run lasted until then at least: `used` reaches there, whether anything happened or not. */
void timeline_reach(struct timeline *s, uint64_t end_ns);

const struct disk *timeline_disk(const struct timeline *s, size_t i); /* NULL behind the last */

/* Buckets first to first + n - 1 of a track as one; behind `used` they are empty. */
void timeline_sum(const struct timeline_track *t, size_t first, size_t n, struct timeline_bucket *out);

void timeline_add_bucket(struct timeline_bucket *into, const struct timeline_bucket *from);

/* Level 0 is below 1024 ns, then four equal ones a power of two, the last one open above. */
unsigned int timeline_level(uint64_t latency_ns);
uint64_t timeline_level_floor(unsigned int level); /* lowest latency in it, in ns */

#endif
