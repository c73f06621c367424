/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups that may do only so much on a disk, and what the kernel held back and has let go: evidence that a
 * wait is a limit's. Fed by LIMIT and NAME events and finished requests, asked by tasks.c.
 */
#ifndef IOLAT_STATS_LIMITED_H
#define IOLAT_STATS_LIMITED_H

#include "attrib/model.h"

enum limited_limits {
	LIMITED_DISKS = 16,   /* of a cgroup */
	LIMITED_RECENT = 16,  /* cgroups with held back I/O that are kept */
};

struct limit_list {
	struct lru_node node;
	uint64_t cgroup;
	struct iolat_limit disks[LIMITED_DISKS];
	size_t n;
};

/* The last I/O of a cgroup that was held back. */
struct held_back {
	uint64_t cgroup, start_ns, end_ns;
};

struct limited {
	struct model *model;
	struct lru cgroups;
	struct held_back recent[LIMITED_RECENT];
	size_t next;
	uint32_t queue;		/* the work queue that submits what was held back; 0: not seen */
};

void limited_init(struct limited *l, struct model *m);
void limited_free(struct limited *l);

int limited_limit(struct limited *l, const struct iolat_limit *e); /* 0 or -ENOMEM */
void limited_name(struct limited *l, const struct iolat_name *e);
void limited_io(struct limited *l, uint32_t via, uint64_t cgroup, uint64_t start_ns, uint64_t end_ns);

/* Whether a cgroup has a limit for reading or for writing. */
bool limited_for(struct limited *l, uint64_t cgroup, bool reads, bool writes);

/* The disk of such a limit if it is only one; NULL: several, or not known by a number. */
const struct iolat_limit *limited_disk(struct limited *l, uint64_t cgroup, bool reads, bool writes);

/* I/O of the cgroup, or of one above it, that was held back and ended between the two; NULL: none. */
const struct held_back *limited_released(const struct limited *l, uint64_t cgroup, uint64_t from_ns,
					 uint64_t to_ns);

#endif
