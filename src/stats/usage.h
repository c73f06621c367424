/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each process did to each disk, whatever the rows are made of: sums for the findings. Selected
 * requests only; copies below a stacked device are left out.
 */
#ifndef IOLAT_STATS_USAGE_H
#define IOLAT_STATS_USAGE_H

#include "attrib/model.h"
#include "stats/reread.h"
#include "stats/series.h"

enum usage_limits {
	USAGE_ENTRIES = 8192,	/* the longest unused goes */
	USAGE_CACHE = 256,	/* a power of two */
	USAGE_SERIES = 64,	/* disks with a course in time */
	USAGE_SMALL = 32768,	/* bytes: a read up to this is small */
};

struct usage_sums {
	uint64_t ios, bytes, reads, read_bytes;
	uint64_t sized_reads, small_reads; /* those whose sizes are known, and those of them that are small */
	uint64_t followed, again; /* bytes read, as far as reread.h follows them, and those that had been read before */
	uint64_t errors;
	uint64_t read_ns;		/* latency of the reads together */
	uint64_t queue_ns, device_ns;	/* of what was issued */
	uint64_t queued;		/* how many that were */
	uint64_t flushes, flush_ns;
	uint64_t swaps, swap_ns;
	uint64_t unowned_bytes;
};

struct usage_key {
	uint64_t process;	/* serial; 0: not a user task's, then the cgroup says whose */
	uint64_t cgroup;
	uint64_t disk;
};

struct usage {
	struct lru_node node;
	struct usage_key key;
	struct proc *proc;	/* referenced, or NULL */
	struct known_disk *disk;	/* referenced, or NULL */
	const char *via;	/* of the last I/O without a process */
	uint8_t error;		/* errno of the last one that told it; 0: none did */
	struct usage_sums now, before;
};

struct usage_hit {
	uint32_t tgid, disk;
	struct usage *usage;
};

struct usages {
	struct model *model;
	struct lru lru;
	struct lru series;	/* struct disk_series, by disk */
	bool forgets;		/* who did nothing in the interval is not asked for again */
	struct usage_hit cache[USAGE_CACHE];
};

void usages_init(struct usages *u, struct model *m);
void usages_free(struct usages *u);

/* 0 or -ENOMEM each. `again`: what of it is known to have been read before. */
int usages_request(struct usages *u, const struct iolat_request *e, const struct reread_answer *again);
int usages_aggregate(struct usages *u, const struct iolat_aggregate *e);

void usages_turn(struct usages *u);					  /* a new interval starts */

struct usage *usages_next(const struct usages *u, const struct usage *last); /* NULL: the first; and behind the last */
struct usage_sums usage_sums(const struct usage *g, bool whole);
void usage_add(struct usage_sums *to, const struct usage_sums *from);

/* The course of a disk's I/O in time, NULL: not kept. */
const struct series *usages_series(struct usages *u, uint32_t disk);

#endif
