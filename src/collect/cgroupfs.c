// SPDX-License-Identifier: GPL-2.0
/*
 * Looks cgroups up in the mounted trees by kernfs file handle and by path. Used by
 * facts.c for the names of owners and by cli/target.c for --cgroup.
 */
#include "collect/cgroupfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define FILEID_KERNFS 0xfe	/* include/linux/exportfs.h */
#define ROOT_ID	      1

/* The tree of one mountinfo line, or -1: "ID PARENT DEV ROOT MOUNTPOINT OPTIONS ... - TYPE SOURCE SUPER". */
static int mount_tree(const char *type, const char *super)
{
	char options[256], *save = NULL;

	if (!strcmp(type, "cgroup2"))
		return IOLAT_TREE_V2;
	if (strcmp(type, "cgroup"))
		return -1;
	snprintf(options, sizeof(options), "%s", super);
	for (char *o = strtok_r(options, ",\n", &save); o; o = strtok_r(NULL, ",\n", &save)) {
		if (!strcmp(o, "blkio"))
			return IOLAT_TREE_BLKIO;
		if (!strcmp(o, "memory"))
			return IOLAT_TREE_MEMORY;
	}
	return -1;
}

static void add_mount(struct cgroupfs *c, const char *line)
{
	char point[PATH_MAX], type[32], super[256];
	const char *rest = strstr(line, " - ");
	struct stat st;
	int tree;

	if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 ||
	    sscanf(rest, " - %31s %*s %255s", type, super) != 2)
		return;
	tree = mount_tree(type, super);
	if (tree < 0 || c->mount[tree] || stat(point, &st))
		return;
	c->mount[tree] = strdup(point);
	c->host_root[tree] = st.st_ino == ROOT_ID;
}

int cgroupfs_open(struct cgroupfs *c)
{
	AUTO_FILE FILE *f = fopen("/proc/self/mountinfo", "re");
	AUTO_FREE char *line = NULL;
	size_t size = 0;

	memset(c, 0, sizeof(*c));
	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0)
		add_mount(c, line);
	return 0;
}

void cgroupfs_close(struct cgroupfs *c)
{
	for (int i = 0; i < IOLAT_TREE_MAX; i++)
		free(c->mount[i]);
	memset(c, 0, sizeof(*c));
}

static int open_by_id(const char *mount, uint64_t id)
{
	AUTO_CLOSE int root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = {.head = {.handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS}};

	memcpy(handle.head.f_handle, &id, sizeof(id));
	if (root < 0)
		return -errno;
	return open_by_handle_at(root, &handle.head, O_PATH | O_CLOEXEC);
}

/* A handle opens also what lies outside of the mount; then its link is wrong ("/") without an error,
 * so the path only counts if it leads back to the id. */
char *cgroupfs_path(const struct cgroupfs *c, uint64_t cgroup)
{
	const char *mount = c->mount[IOLAT_CGROUP_TREE(cgroup)];
	char link[64], path[PATH_MAX];
	AUTO_CLOSE int fd = -1;
	struct stat st;
	ssize_t n;

	if (!mount)
		return NULL;
	fd = open_by_id(mount, IOLAT_CGROUP_ID(cgroup));
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return NULL;
	path[n] = 0;
	if (strncmp(path, mount, strlen(mount)) || stat(path, &st) ||
	    st.st_ino != IOLAT_CGROUP_ID(cgroup))
		return NULL;
	return strdup(path[strlen(mount)] ? path + strlen(mount) : "/");
}

/* One line of /proc/PID/cgroup, "ID:CONTROLLERS:PATH": the path if it is of `tree`. */
static const char *line_path(char *line, unsigned int tree)
{
	char *controllers = strchr(line, ':'), *path, *save = NULL;
	const char *want = tree == IOLAT_TREE_BLKIO ? "blkio" : "memory";

	if (!controllers)
		return NULL;
	path = strchr(++controllers, ':');
	if (!path)
		return NULL;
	*path++ = 0;
	path[strcspn(path, "\n")] = 0;
	if (tree == IOLAT_TREE_V2)
		return *controllers ? NULL : path;
	for (char *o = strtok_r(controllers, ",", &save); o; o = strtok_r(NULL, ",", &save))
		if (!strcmp(o, want))
			return path;
	return NULL;
}

char *cgroupfs_path_of_task(const struct cgroupfs *c, unsigned int tree, uint32_t pid)
{
	char name[64];
	AUTO_FREE char *line = NULL;
	AUTO_FILE FILE *f = NULL;
	const char *path = NULL;
	size_t size = 0;

	snprintf(name, sizeof(name), "/proc/%u/cgroup", pid);
	f = fopen(name, "re");
	while (f && !path && getline(&line, &size, f) > 0)
		path = line_path(line, tree);
	return path ? strdup(path) : NULL;
}

/* --- selections ------------------------------------------------------------------ */

static uint32_t depth(const char *relative)
{
	uint32_t n = 0;

	for (const char *p = relative; *p; p++)
		n += *p == '/' && p[1] && p[1] != '/';
	return n;
}

/* One filter for "/a/b" in one tree. 0 or -errno. */
static int filter_in(const struct cgroupfs *c, unsigned int tree, const char *relative,
		     struct iolat_cgroup_filter *out)
{
	char path[PATH_MAX];
	struct stat st;

	if (!c->mount[tree])
		return -ENOENT;
	if ((size_t)snprintf(path, sizeof(path), "%s%s", c->mount[tree], relative) >= sizeof(path))
		return -ENAMETOOLONG;
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return -ENOENT;
	if (!c->host_root[tree])
		return -EXDEV;
	*out = (struct iolat_cgroup_filter){st.st_ino, depth(relative), tree};
	return 0;
}

/* The path from its tree's root if `path` is inside a mounted tree, else NULL. Other v1 controllers'
 * trees usually have the same paths, so any mount below a cgroup folder will do. */
static const char *relative_to_mount(const struct cgroupfs *c, const char *path)
{
	for (int i = 0; i < IOLAT_TREE_MAX; i++) {
		size_t len = c->mount[i] ? strlen(c->mount[i]) : 0;

		if (len && !strncmp(path, c->mount[i], len) && (path[len] == '/' || !path[len]))
			return path + len;
	}
	return NULL;
}

int cgroupfs_filters(const struct cgroupfs *c, const char *name, struct iolat_cgroup_filter *out,
		     size_t room)
{
	AUTO_FREE char *real = realpath(name, NULL);
	const char *relative = real ? relative_to_mount(c, real) : NULL;
	int n = 0, worst = -ENOENT;

	if (!relative)
		relative = name;
	if (*relative && *relative != '/')
		return -ENOENT;
	for (unsigned int tree = 0; tree < IOLAT_TREE_MAX; tree++) {
		struct iolat_cgroup_filter f;
		int err = filter_in(c, tree, relative, &f);

		if (err == -EXDEV)
			worst = err;
		if (err)
			continue;
		if ((size_t)n == room)
			return -E2BIG;
		out[n++] = f;
	}
	return n ?: worst;
}

bool cgroupfs_exists(const struct cgroupfs *c, const struct iolat_cgroup_filter *f)
{
	AUTO_CLOSE int fd = open_by_id(c->mount[f->tree], f->id);

	return fd >= 0 || errno == EPERM;
}
