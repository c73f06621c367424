// SPDX-License-Identifier: GPL-2.0
/*
 * A file's st_dev names its block device where /sys/dev/block has it. Else the mount says
 * what the file system is, and that where its data lies. Used by blockdev.c.
 */
#include "collect/devpath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "collect/mounts.h"

#define MAX_DEPTH 8 /* overlays on overlays, files on files */

struct search {
	struct devno *out;
	size_t room, n;
};

static int search_path(struct search *s, const char *path, int depth);

static void add(struct search *s, dev_t dev)
{
	const struct devno d = {major(dev), minor(dev)};

	for (size_t i = 0; i < s->n && i < s->room; i++)
		if (s->out[i].major == d.major && s->out[i].minor == d.minor)
			return;
	if (s->n < s->room)
		s->out[s->n] = d;
	s->n++;
}

static bool is_block_device(dev_t dev)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	return !access(path, F_OK);
}

/* --- overlayfs ---------------------------------------------------------------------- */

/* Layers may be named from a folder that only the one who mounted knew (container runtimes shorten
 * them so): it is one of those that the upper layer lies in. */
static void search_layer(struct search *s, const char *layer, const char *upper, int depth)
{
	char path[2 * PATH_MAX];
	int at = (int)strlen(upper);

	if (layer[0] == '/') {
		search_path(s, layer, depth);
		return;
	}
	for (; at >= 0; at--) {
		if (upper[at] != '/')
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", at, upper, layer);
		if (!search_path(s, path, depth))
			return;
	}
}

/* "a:b:c", where a backslash takes the meaning from a colon. */
static void search_layers(struct search *s, char *layers, const char *upper, int depth)
{
	char *from = layers, *to = layers;
	bool end = false;

	for (; !end; layers++) {
		end = !*layers;
		if (*layers == '\\' && layers[1])
			*to++ = *++layers;
		else if (!end && *layers != ':')
			*to++ = *layers;
		else {
			*to = 0;
			if (to != from)
				search_layer(s, from, upper, depth);
			to = from;
		}
	}
}

static int search_overlay(struct search *s, struct mount *m, int depth)
{
	AUTO_FREE char *copy = strdup(m->super);
	const char *key, *upper = "";
	char *rest = copy, *value;

	if (!copy)
		return -ENOMEM;
	while ((value = mount_option(&rest, &key)))
		if (!strcmp(key, "upperdir"))
			upper = value;
	search_layer(s, upper, upper, depth);
	for (rest = m->super; (value = mount_option(&rest, &key));) {
		if (!strcmp(key, "lowerdir"))
			search_layers(s, value, upper, depth);
		else if (!strcmp(key, "lowerdir+") || !strcmp(key, "datadir+"))
			search_layer(s, value, upper, depth);
	}
	return 0;
}

/* --- device numbers of their own ---------------------------------------------------- */

/* The devices of a btrfs, which its ids may have gaps between. */
static void search_btrfs(struct search *s, const struct mount *m)
{
	AUTO_CLOSE int fd = open(m->point, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct btrfs_ioctl_fs_info_args fs = {0};
	struct stat st;

	if (fd < 0 || ioctl(fd, BTRFS_IOC_FS_INFO, &fs))
		return;
	for (uint64_t id = 0; id <= fs.max_id; id++) {
		struct btrfs_ioctl_dev_info_args dev = {.devid = id};

		if (!ioctl(fd, BTRFS_IOC_DEV_INFO, &dev) && !stat((char *)dev.path, &st) &&
		    S_ISBLK(st.st_mode))
			add(s, st.st_rdev);
	}
}

/* What was mounted: a device, several with colons between them (bcachefs), or a file (erofs). */
static void search_source(struct search *s, const char *source, int depth)
{
	AUTO_FREE char *copy = strdup(source);
	char *rest = copy, *one;
	struct stat st;

	while (rest && (one = strsep(&rest, ":"))) {
		if (one[0] != '/' || stat(one, &st))
			continue;
		if (S_ISBLK(st.st_mode) || S_ISREG(st.st_mode))
			search_path(s, one, depth);
	}
}

static int search_mount(struct search *s, int fd, const char *path, int depth)
{
	struct mount m;
	int err = mount_of(fd, path, &m);

	if (err)
		return err;
	if (!strcmp(m.type, "overlay"))
		err = search_overlay(s, &m, depth);
	else if (!strcmp(m.type, "btrfs"))
		search_btrfs(s, &m);
	else
		search_source(s, m.source, depth);
	mount_free(&m);
	return err;
}

/* 0, or an error when there is no such path. */
static int search_path(struct search *s, const char *path, int depth)
{
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -ENOENT;
	if (S_ISBLK(st.st_mode))
		add(s, st.st_rdev);
	else if (is_block_device(st.st_dev))
		add(s, st.st_dev);
	else if (depth < MAX_DEPTH)
		search_mount(s, fd, path, depth + 1);
	return 0;
}

int devpath_find(const char *path, struct devno *out, size_t room)
{
	struct search s = {.out = out, .room = room};
	int err = search_path(&s, path, 0);

	if (err)
		return err;
	return s.n ? (int)s.n : -ENODEV;
}
