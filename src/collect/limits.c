// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the limit files up a cgroup's path. What holds for a disk is the lowest of each kind on the way.
 * Format: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/blkio-controller.rst.
 */
#include "collect/limits.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"

#define CGROUPS_MAX 1024 /* known ones before the set is started anew */
#define DISKS_MAX   32	 /* with limits, for one cgroup */

enum kind { READ_BPS, WRITE_BPS, READ_IOPS, WRITE_IOPS, KINDS };

struct disk_limit {
	unsigned int major, minor;
	uint64_t most[KINDS]; /* 0: no limit */
};

struct list {
	struct disk_limit disks[DISKS_MAX];
	size_t n;
};

struct known {
	uint64_t cgroup;
	char *path; /* in the file system */
	size_t root; /* length of its tree's mount point in it */
	bool used;   /* since the last update */
	struct list list;
};

struct limits {
	const struct cgroupfs *cgroups;
	struct sink sink;
	struct map known;
};

static struct disk_limit *disk_in(struct list *l, unsigned int major, unsigned int minor)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->disks[i].major == major && l->disks[i].minor == minor)
			return &l->disks[i];
	if (l->n == DISKS_MAX)
		return NULL;
	l->disks[l->n] = (struct disk_limit){.major = major, .minor = minor};
	return &l->disks[l->n++];
}

static void add(struct list *l, unsigned int major, unsigned int minor, enum kind kind, uint64_t most)
{
	struct disk_limit *d = most ? disk_in(l, major, minor) : NULL;

	if (d && (!d->most[kind] || most < d->most[kind]))
		d->most[kind] = most;
}

/* "8:16 rbps=2097152 wbps=max riops=max wiops=120" */
static void read_v2_line(struct list *l, const char *line)
{
	static const char *const keys[KINDS] = {" rbps=", " wbps=", " riops=", " wiops="};
	unsigned int major, minor;
	unsigned long long most;

	if (sscanf(line, "%u:%u", &major, &minor) != 2)
		return;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		const char *at = strstr(line, keys[kind]);

		if (at && sscanf(at + strlen(keys[kind]), "%llu", &most) == 1)
			add(l, major, minor, kind, most);
	}
}

/* "8:16 2097152" */
static void read_v1_line(struct list *l, const char *line, enum kind kind)
{
	unsigned int major, minor;
	unsigned long long most;

	if (sscanf(line, "%u:%u %llu", &major, &minor, &most) == 3)
		add(l, major, minor, kind, most);
}

static void read_file(struct list *l, const char *folder, const char *file, int kind)
{
	char path[PATH_MAX], line[256];
	AUTO_FILE FILE *f = NULL;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, file) >= sizeof(path))
		return;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (kind < 0)
			read_v2_line(l, line);
		else
			read_v1_line(l, line, kind);
	}
}

static void read_folder(struct list *l, const char *folder, unsigned int tree)
{
	static const char *const v1[KINDS] = {
		"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
		"blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};

	if (tree == IOLAT_TREE_V2)
		read_file(l, folder, "io.max", -1);
	for (int kind = 0; tree == IOLAT_TREE_BLKIO && kind < KINDS; kind++)
		read_file(l, folder, v1[kind], kind);
}

/* The cgroup itself and all above it. */
static void read_all(const struct known *k, struct list *l)
{
	AUTO_FREE char *folder = strdup(k->path);
	char *slash;

	memset(l, 0, sizeof(*l));
	while (folder) {
		read_folder(l, folder, IOLAT_CGROUP_TREE(k->cgroup));
		slash = strrchr(folder, '/');
		if (!slash || strlen(folder) <= k->root)
			break;
		*slash = '\0';
	}
}

static int tell(const struct limits *l, uint64_t cgroup, const struct disk_limit *d)
{
	struct iolat_limit e = {
		.head = {.kind = IOLAT_EV_LIMIT, .size = sizeof(e)},
		.cgroup = cgroup,
		.major = d->major,
		.minor = d->minor,
		.read_bps = d->most[READ_BPS],
		.write_bps = d->most[WRITE_BPS],
		.read_iops = d->most[READ_IOPS],
		.write_iops = d->most[WRITE_IOPS],
	};

	return l->sink.event(l->sink.ctx, &e, sizeof(e));
}

/* Limits that are new or others now, then those that are gone. */
static int tell_changes(const struct limits *l, uint64_t cgroup, struct list *before, struct list *now)
{
	int err = 0;

	for (size_t i = 0; !err && i < now->n; i++) {
		struct disk_limit *old = disk_in(before, now->disks[i].major, now->disks[i].minor);

		if (!old || memcmp(old->most, now->disks[i].most, sizeof(old->most)))
			err = tell(l, cgroup, &now->disks[i]);
	}
	for (size_t i = 0; !err && i < before->n; i++) {
		struct disk_limit gone = before->disks[i];
		size_t n = now->n;
		struct disk_limit *d = disk_in(now, gone.major, gone.minor);

		if (!d || now->n == n)
			continue;
		now->n = n;
		memset(gone.most, 0, sizeof(gone.most));
		err = tell(l, cgroup, &gone);
	}
	return err;
}

static int update(const struct limits *l, struct known *k)
{
	struct list now;
	int err;

	if (!k->path)
		return 0;
	read_all(k, &now);
	err = tell_changes(l, k->cgroup, &k->list, &now);
	k->list = now;
	return err;
}

static void known_free(struct known *k)
{
	free(k->path);
	free(k);
}

static void forget_all(struct limits *l)
{
	struct known *k;

	for (size_t i = 0; (k = map_next(&l->known, &i, NULL));)
		known_free(k);
	map_clear(&l->known);
}

/* The path in the file system, or NULL. */
static char *full_path(const struct limits *l, uint64_t cgroup, size_t *root)
{
	const char *mount = l->cgroups->mount[IOLAT_CGROUP_TREE(cgroup)];
	AUTO_FREE char *path = cgroupfs_path(l->cgroups, cgroup);
	char *full = NULL;

	*root = mount ? strlen(mount) : 0;
	if (path && asprintf(&full, "%s%s", mount, strcmp(path, "/") ? path : "") < 0)
		return NULL;
	return full;
}

int limits_know(struct limits *l, uint64_t cgroup)
{
	struct known *k;

	if (!cgroup)
		return 0;
	k = map_get(&l->known, &cgroup);
	if (k) {
		k->used = true;
		return 0;
	}
	if (l->known.count >= CGROUPS_MAX)
		forget_all(l);
	k = calloc(1, sizeof(*k));
	if (!k || map_put(&l->known, &cgroup, k)) {
		free(k);
		return -ENOMEM;
	}
	k->cgroup = cgroup;
	k->path = full_path(l, cgroup, &k->root);
	return update(l, k);
}

int limits_update(struct limits *l)
{
	struct known *k;
	int err = 0;

	for (size_t i = 0; !err && (k = map_next(&l->known, &i, NULL));) {
		if (k->used)
			err = update(l, k);
		k->used = false;
	}
	return err;
}

struct limits *limits_new(const struct cgroupfs *cgroups, const struct sink *sink)
{
	struct limits *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->cgroups = cgroups;
	l->sink = *sink;
	map_init(&l->known, sizeof(uint64_t));
	return l;
}

void limits_free(struct limits *l)
{
	if (!l)
		return;
	forget_all(l);
	map_free(&l->known);
	free(l);
}
