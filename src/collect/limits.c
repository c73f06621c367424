// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the limit files up a cgroup's path. What holds for a disk is the lowest of each kind on the way.
 */
#include "collect/limits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "collect/limit_files.h"

#define CGROUPS_MAX 1024 /* known ones before the set is started anew */

struct known {
	uint64_t cgroup;
	char *path; /* in the file system */
	size_t root; /* length of its tree's mount point in it */
	bool used;   /* since the last update */
	struct limit_list list;
};

struct limits {
	const struct cgroupfs *cgroups;
	struct sink sink;
	struct map known;
};

/* The cgroup itself and all above it. */
static void read_all(const struct known *k, struct limit_list *l)
{
	AUTO_FREE char *folder = strdup(k->path);
	char *slash;

	memset(l, 0, sizeof(*l));
	while (folder) {
		limit_list_read(l, folder, IOLAT_CGROUP_TREE(k->cgroup));
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
		.read_bps = d->most[LIMIT_READ_BPS],
		.write_bps = d->most[LIMIT_WRITE_BPS],
		.read_iops = d->most[LIMIT_READ_IOPS],
		.write_iops = d->most[LIMIT_WRITE_IOPS],
	};

	return l->sink.event(l->sink.ctx, &e, sizeof(e));
}

/* Limits that are new or others now, then those that are gone. */
static int tell_changes(const struct limits *l, uint64_t cgroup, struct limit_list *before, struct limit_list *now)
{
	int err = 0;

	for (size_t i = 0; !err && i < now->n; i++) {
		struct disk_limit *old = limit_list_disk(before, now->disks[i].major, now->disks[i].minor);

		if (!old || memcmp(old->most, now->disks[i].most, sizeof(old->most)))
			err = tell(l, cgroup, &now->disks[i]);
	}
	for (size_t i = 0; !err && i < before->n; i++) {
		struct disk_limit gone = before->disks[i];
		size_t n = now->n;
		struct disk_limit *d = limit_list_disk(now, gone.major, gone.minor);

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
	struct limit_list now;
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
