// SPDX-License-Identifier: GPL-2.0
/*
 * Looks cgroups up in the mounted trees by kernfs file handle and by path. Used by
 * facts.c for the names of owners and by cli/target.c for --cgroup.
 */
#include "collect/cgroupfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attrib/cgpath.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "collect/procfs.h"

#define FILEID_KERNFS 0xfe	/* include/linux/exportfs.h */
#define ROOT_ID	      1
#define DEPTH_MAX     64

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

/* One line. `below`: only of mount points there; `strip`: what leads to them from here. */
static void add_mount(struct cgroupfs *c, const char *line, const char *below)
{
	char point[PATH_MAX], here[PATH_MAX], type[32], super[256];
	const char *rest = strstr(line, " - ");
	struct stat st;
	int tree;

	if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 ||
	    sscanf(rest, " - %31s %*s %255s", type, super) != 2)
		return;
	tree = mount_tree(type, super);
	if (tree < 0 || c->mount[tree] || strncmp(point, below, strlen(below)) ||
	    (size_t)snprintf(here, sizeof(here), "%s%s", c->strip, point) >= sizeof(here) ||
	    stat(here, &st))
		return;
	c->mount[tree] = strdup(here);
	c->host_root[tree] = st.st_ino == ROOT_ID;
}

static int read_mounts(struct cgroupfs *c, const char *mountinfo, const char *below)
{
	AUTO_FILE FILE *f = fopen(mountinfo, "re");
	AUTO_FREE char *line = NULL;
	size_t size = 0;

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0)
		add_mount(c, line, below);
	return 0;
}

/* Mounts below a root as they are here, where there are none any. */
static int read_mounts_here(struct cgroupfs *c, const char *root)
{
	c->strip = strdup("");
	if (!c->strip)
		return -ENOMEM;
	return read_mounts(c, "/proc/self/mountinfo", root) ?:
	       read_mounts(c, "/proc/self/mountinfo", "");
}

/* Mounts as another process has them, which is reached through its root. */
static int read_mounts_of(struct cgroupfs *c, const char *root, uint32_t pid)
{
	char path[64];

	c->strip = strdup(root);
	if (!c->strip)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mountinfo", pid);
	return read_mounts(c, path, "");
}

/* --- the host, from inside of a container ------------------------------------------ */

/* Process 1 may be out of bounds for us, so process 2 has to do: only on the host it is kthreadd. */
static bool shows_host_pids(const char *root)
{
	char path[PATH_MAX], comm[32] = "";
	AUTO_FILE FILE *f = NULL;
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/1/ns/pid", root);
	if (!stat(path, &st))
		return st.st_ino == PROCFS_HOST_PID_NS;
	snprintf(path, sizeof(path), "%s/proc/2/comm", root);
	f = fopen(path, "re");
	return f && fgets(comm, sizeof(comm), f) && !strcmp(comm, "kthreadd\n");
}

static bool same_file(const char *name, uint32_t pid, const char *path, bool *known)
{
	char other[64];
	struct stat a, b;

	snprintf(other, sizeof(other), "/proc/%" PRIu32 "/%s", pid, name);
	*known = !stat(other, &a) && !stat(path, &b);
	return *known && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Whether a process is the host's, with mounts of its own: no kernel thread (those have no program),
 * in no container's namespace of pids. */
static bool is_other_host_process(uint32_t pid)
{
	char path[64], exe[8];
	struct stat st;
	bool known;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/pid", pid);
	if (stat(path, &st) || st.st_ino != PROCFS_HOST_PID_NS)
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", pid);
	return readlink(path, exe, sizeof(exe)) > 0 &&
	       !same_file("ns/mnt", pid, "/proc/self/ns/mnt", &known) && known;
}

/* The process through whose root the host is seen: 1, else the oldest that may be looked at. 0: this
 * process sees the host itself, or cannot see it at all. */
static uint32_t find_host_process(void)
{
	const struct dirent *d;
	uint32_t found = 0;
	uint64_t pid;
	bool known;
	DIR *dir;

	if (!shows_host_pids("") || same_file("ns/mnt", 1, "/proc/self/ns/mnt", &known))
		return 0;
	dir = opendir("/proc");
	while (dir && !found && (d = readdir(dir)))
		if (!parse_u64(d->d_name, &pid) && is_other_host_process(pid))
			found = pid;
	if (dir)
		closedir(dir);
	return found;
}

/* "/proc/PID/root": the pid, else 0. */
static uint32_t process_of_root(const char *root)
{
	uint32_t pid;
	int end = 0;

	return sscanf(root, "/proc/%" SCNu32 "/root%n", &pid, &end) == 1 && end && !root[end] ? pid : 0;
}

/* A process's root stays reachable by a descriptor when the process is gone. */
static int hold_root(struct cgroupfs *c, uint32_t pid)
{
	char name[64];
	AUTO_CLOSE int fd = -1;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/root", pid);
	fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	c->root_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (c->root_fd < 0) {
		c->root_fd = 0;
		return -errno;
	}
	c->root_name = strdup(name);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", c->root_fd);
	c->root = strdup(name);
	return c->root && c->root_name ? 0 : -ENOMEM;
}

static int name_root(struct cgroupfs *c, const char *root)
{
	c->root_name = strdup(root);
	c->root = strdup(root);
	return c->root && c->root_name ? 0 : -ENOMEM;
}

int cgroupfs_open(struct cgroupfs *c, const char *root)
{
	uint32_t pid = root ? process_of_root(root) : find_host_process();
	int err;

	memset(c, 0, sizeof(*c));
	err = pid ? hold_root(c, pid) : name_root(c, root ?: "/");
	if (err)
		return err;
	root = strcmp(c->root, "/") ? c->root : "";
	c->host_pids = shows_host_pids(root);
	return pid ? read_mounts_of(c, root, pid) : read_mounts_here(c, root);
}

void cgroupfs_close(struct cgroupfs *c)
{
	for (int i = 0; i < IOLAT_TREE_MAX; i++)
		free(c->mount[i]);
	free(c->root);
	free(c->root_name);
	if (c->root_fd)
		close(c->root_fd);
	free(c->strip);
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

/* What is left of a path behind a mount point. A mount of another namespace has links as they are in
 * there. NULL: it is not below the mount. */
static const char *below_mount(const struct cgroupfs *c, const char *mount, const char *path)
{
	size_t len = strlen(mount), strip = strlen(c->strip);

	if (!strncmp(path, mount, len))
		return path + len;
	return !strncmp(path, mount + strip, len - strip) ? path + len - strip : NULL;
}

uint64_t cgroupfs_key(const struct cgroupfs *c, unsigned int tree, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	if (!c->mount[tree] || strstr(path, "/..") ||
	    (size_t)snprintf(full, sizeof(full), "%s%s", c->mount[tree], path) >= sizeof(full) ||
	    lstat(full, &st) || !S_ISDIR(st.st_mode))
		return 0;
	return IOLAT_CGROUP(tree, st.st_ino);
}

/* A handle opens also what lies outside of the mount; then its link is wrong ("/") without an error,
 * so the path only counts if it leads back to the id. */
char *cgroupfs_path(const struct cgroupfs *c, uint64_t cgroup)
{
	unsigned int tree = IOLAT_CGROUP_TREE(cgroup);
	const char *mount = c->mount[tree], *path;
	char name[64], link[PATH_MAX];
	AUTO_CLOSE int fd = -1;
	ssize_t n;

	if (!mount || !c->host_root[tree]) /* below a part, where that hangs is not known */
		return NULL;
	fd = open_by_id(mount, IOLAT_CGROUP_ID(cgroup));
	if (fd < 0)
		return NULL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, link, sizeof(link) - 1);
	if (n < 0)
		return NULL;
	link[n] = 0;
	path = below_mount(c, mount, link);
	if (!path || cgroupfs_key(c, tree, path) != cgroup)
		return NULL;
	return strdup(*path ? path : "/");
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

static FILE *open_task(const struct cgroupfs *c, uint32_t pid)
{
	char name[PATH_MAX];

	if (!c->host_pids)
		return NULL;
	snprintf(name, sizeof(name), "%s/proc/%u/cgroup", c->root, pid);
	return fopen(name, "re");
}

char *cgroupfs_path_of_task(const struct cgroupfs *c, unsigned int tree, uint32_t pid)
{
	AUTO_FILE FILE *f = open_task(c, pid);
	AUTO_FREE char *line = NULL;
	const char *path = NULL;
	size_t size = 0;

	while (f && !path && getline(&line, &size, f) > 0)
		path = line_path(line, tree);
	return path ? strdup(path) : NULL;
}

char *cgroupfs_telling_path_of_task(const struct cgroupfs *c, uint32_t pid)
{
	AUTO_FILE FILE *f = open_task(c, pid);
	AUTO_FREE char *text = NULL;
	char path[PATH_MAX];
	size_t size = 0;

	if (!f || getdelim(&text, &size, '\0', f) < 0 || !cgpath_of_task(text, path, sizeof(path)))
		return NULL;
	return strdup(path);
}

/* --- all of a tree ---------------------------------------------------------------- */

struct walker {
	int (*each)(void *ctx, uint64_t key, const char *path);
	void *ctx;
	unsigned int tree;
	char path[PATH_MAX];
};

static int walk(struct walker *w, int dir_fd, size_t len, unsigned int depth);

static int enter(struct walker *w, int dir_fd, const struct dirent *d, size_t len, unsigned int depth)
{
	int n = snprintf(w->path + len, sizeof(w->path) - len, "/%s", d->d_name);
	int fd, err;

	if (d->d_type != DT_DIR || d->d_name[0] == '.' || (size_t)n >= sizeof(w->path) - len)
		return 0;
	err = w->each(w->ctx, IOLAT_CGROUP(w->tree, d->d_ino), w->path);
	if (err || depth == DEPTH_MAX)
		return err;
	fd = openat(dir_fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? 0 : walk(w, fd, len + n, depth + 1);
}

/* Takes the descriptor. What is removed meanwhile is left out. */
static int walk(struct walker *w, int dir_fd, size_t len, unsigned int depth)
{
	DIR *dir = fdopendir(dir_fd);
	const struct dirent *d;
	int err = 0;

	if (!dir) {
		close(dir_fd);
		return 0;
	}
	while (!err && (d = readdir(dir)))
		err = enter(w, dir_fd, d, len, depth);
	closedir(dir);
	return err;
}

int cgroupfs_each(const struct cgroupfs *c, unsigned int tree,
		  int (*each)(void *ctx, uint64_t key, const char *path), void *ctx)
{
	struct walker w = {.each = each, .ctx = ctx, .tree = tree};
	int fd, err;

	if (!c->mount[tree] || !c->host_root[tree])
		return 0;
	err = each(ctx, IOLAT_CGROUP(tree, ROOT_ID), "/");
	fd = err ? -1 : open(c->mount[tree], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err : walk(&w, fd, 0, 0);
}

bool cgroupfs_used(const struct cgroupfs *c, unsigned int tree)
{
	bool v1 = c->mount[IOLAT_TREE_BLKIO] && c->mount[IOLAT_TREE_MEMORY];

	return tree != IOLAT_TREE_V2 || !v1;
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
		const char *rest = c->mount[i] ? below_mount(c, c->mount[i], path) : NULL;

		if (rest && (*rest == '/' || !*rest))
			return rest;
	}
	return NULL;
}

const char *cgroupfs_inside(const struct cgroupfs *c, const char *path)
{
	const char *relative = relative_to_mount(c, path);

	if (!relative)
		return path;
	return *relative ? relative : "/";
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
