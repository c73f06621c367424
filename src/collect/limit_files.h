/* SPDX-License-Identifier: GPL-2.0 */
/* What a cgroup's own files limit: io.max of v2, blkio.throttle.* of v1. */
#ifndef IOLAT_COLLECT_LIMIT_FILES_H
#define IOLAT_COLLECT_LIMIT_FILES_H

#include <stddef.h>
#include <stdint.h>

#define LIMIT_DISKS 32 /* with limits, for one cgroup */

enum limit_kind { LIMIT_READ_BPS, LIMIT_WRITE_BPS, LIMIT_READ_IOPS, LIMIT_WRITE_IOPS, LIMIT_KINDS };

struct disk_limit {
	unsigned int major, minor;
	uint64_t most[LIMIT_KINDS]; /* a second; 0: no limit */
};

struct limit_list {
	struct disk_limit disks[LIMIT_DISKS];
	size_t n;
};

/* Adds those of the cgroup of that folder, in a tree of that kind (IOLAT_TREE_*); of several limits for a disk the lowest stays. */
void limit_list_read(struct limit_list *l, const char *folder, unsigned int tree);

/* The limits of a disk, which are 0 if it is new; NULL: no room. */
struct disk_limit *limit_list_disk(struct limit_list *l, unsigned int major, unsigned int minor);

#endif
