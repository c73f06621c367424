/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host's cgroup trees: which there are, where they are mounted, and ids against
 * paths. A cgroup's id is its directory's inode number (and its kernfs file handle), the
 * root's is 1 in every tree. Measured on 5.10 to 7.2; before 5.5 ids were made otherwise.
 */
#ifndef IOLAT_COLLECT_CGROUPFS_H
#define IOLAT_COLLECT_CGROUPFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

struct cgroupfs {
	char *mount[IOLAT_TREE_MAX];	/* NULL: no such tree */
	bool host_root[IOLAT_TREE_MAX];	/* false: the mount shows a subtree only (a cgroup namespace) */
};

/* Reads /proc/self/mountinfo. Trees that are not there stay NULL; 0 or -errno. */
int cgroupfs_open(struct cgroupfs *c);
void cgroupfs_close(struct cgroupfs *c);

/* The path of a cgroup from its tree's root, malloc'ed; NULL when it is gone, outside of what is
 * mounted here, or may not be opened (CAP_DAC_READ_SEARCH). Never a wrong one: it is checked. */
char *cgroupfs_path(const struct cgroupfs *c, uint64_t cgroup);

/* The path a task's /proc/PID/cgroup gives for a tree, malloc'ed; NULL if it has none. */
char *cgroupfs_path_of_task(const struct cgroupfs *c, unsigned int tree, uint32_t pid);

/* Adds the filters for a cgroup that the user names, by a path in the file system or from a tree's
 * root, in every tree that has it. Number of filters added (at most `room`), -ENOENT: no such
 * cgroup, -EXDEV: it can't be placed (cgroup namespace), -E2BIG: no room. */
int cgroupfs_filters(const struct cgroupfs *c, const char *name, struct iolat_cgroup_filter *out,
		     size_t room);

/* Whether a filter's cgroup still exists. */
bool cgroupfs_exists(const struct cgroupfs *c, const struct iolat_cgroup_filter *f);

#endif
