/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host's cgroup trees: which there are, where they are mounted, and ids against
 * paths. A cgroup's id is its directory's inode number (and its kernfs file handle), the
 * root's is 1 in every tree. Measured on 5.10 to 7.2; before 5.5 ids were made otherwise.
 *
 * Inside of a container the host is looked at through the root of its process 1, if its
 * processes are to be seen here (a container run with --pid=host), or through a given root.
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
	char *root;			/* where the host's files are, good while this is open */
	char *root_name;		/* the same for people: "/", "/proc/1/root", ... */
	int root_fd;			/* 0: none; keeps a root that its process may leave behind */
	char *strip;			/* what stands before a mount point here, but not in its own namespace */
	bool host_pids;			/* <root>/proc shows the host's pids, which the kernel side speaks of */
};

/* Reads the mounts as of `root`, NULL: as of the host, found out. Trees that are not there stay NULL;
 * 0 or -errno. */
int cgroupfs_open(struct cgroupfs *c, const char *root);
void cgroupfs_close(struct cgroupfs *c);

/* The path of a cgroup from its tree's root, malloc'ed; NULL when it is gone, outside of what is
 * mounted here, or may not be opened (CAP_DAC_READ_SEARCH). Never a wrong one: it is checked. */
char *cgroupfs_path(const struct cgroupfs *c, uint64_t cgroup);

/* The path a task's /proc/PID/cgroup gives for a tree, malloc'ed; NULL if it has none. */
char *cgroupfs_path_of_task(const struct cgroupfs *c, unsigned int tree, uint32_t pid);

/* The path, of whichever tree, that says most about a task (cgpath_of_task()), malloc'ed; NULL if none. */
char *cgroupfs_telling_path_of_task(const struct cgroupfs *c, uint32_t pid);

/* The cgroup of a path from its tree's root, 0: there is none. */
uint64_t cgroupfs_key(const struct cgroupfs *c, unsigned int tree, const char *path);

/* `path` from its tree's root, if it is one in the file system ("/sys/fs/cgroup/..."); else as it is. */
const char *cgroupfs_inside(const struct cgroupfs *c, const char *path);

/* Whether owners' cgroups may be of that tree. */
bool cgroupfs_used(const struct cgroupfs *c, unsigned int tree);

/* Calls `each` for every cgroup of a tree until it returns anything but 0, which is returned. */
int cgroupfs_each(const struct cgroupfs *c, unsigned int tree,
		  int (*each)(void *ctx, uint64_t key, const char *path), void *ctx);

/* Adds the filters for a cgroup that the user names, by a path in the file system or from a tree's
 * root, in every tree that has it. Number of filters added (at most `room`), -ENOENT: no such
 * cgroup, -EXDEV: it can't be placed (cgroup namespace), -E2BIG: no room. */
int cgroupfs_filters(const struct cgroupfs *c, const char *name, struct iolat_cgroup_filter *out,
		     size_t room);

/* Whether a filter's cgroup still exists. */
bool cgroupfs_exists(const struct cgroupfs *c, const struct iolat_cgroup_filter *f);

#endif
