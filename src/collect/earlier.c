// SPDX-License-Identifier: GPL-2.0
/* /sys/block/DISK/inflight says where there is something to be found; without queue/iostats the kernel does not count. */
#include "collect/earlier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/blockdev.h"
#include "collect/diskfacts.h"
#include "collect/sysfs.h"
#include "collect/tracer.h"

#define MAX_DEPTH   8  /* of devices on devices */
#define SYSTEMS_MAX 32 /* file systems, or disks, that are slept for */

/* --- what a file lies on --------------------------------------------------------------- */

struct descent {
	const struct iolat_disk_filter *to;
	unsigned int depth;
	bool found;
};

static bool is_same(const struct iolat_disk_filter *a, const struct iolat_disk_filter *b)
{
	return a->major == b->major && a->minor == b->minor && !strcmp(a->name, b->name);
}

static void descend(struct descent *d, const char *name);

static int descend_below(void *ctx, const void *data, size_t size)
{
	const struct iolat_disk_below *e = data;
	struct descent *d = ctx;

	if (e->count && !d->found)
		descend(d, e->name);
	return 0;
}

/* To the disk that `name` is, or is a partition of, and on to what that stands on. */
static void descend(struct descent *d, const char *name)
{
	const struct sink below = {descend_below, d};
	struct iolat_disk_filter at;
	struct iolat_disk disk = {0};

	if (d->depth == MAX_DEPTH || blockdev_find(name, &at, 1) != 1)
		return;
	if (is_same(&at, d->to)) {
		d->found = true;
		return;
	}
	disk.major = at.major;
	disk.minor = at.minor;
	snprintf(disk.name, sizeof(disk.name), "%s", at.name);
	d->depth++;
	diskfacts_below(&disk, &below);
	d->depth--;
}

/* --- who sleeps for what ----------------------------------------------------------------- */

struct systems {
	struct {
		uint32_t major, minor;
	} at[SYSTEMS_MAX];
	size_t n;
};

static void add_system(struct systems *s, uint32_t major, uint32_t minor)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].major == major && s->at[i].minor == minor)
			return;
	if (major && s->n < SYSTEMS_MAX) {
		s->at[s->n].major = major;
		s->at[s->n++].minor = minor;
	}
}

static int read_systems(const struct tracer *t, struct systems *s)
{
	AUTO_FREE struct iolat_wait *waits = NULL;
	size_t n;
	int err = tracer_sleepers(t, monotonic_ns(), &waits, &n);

	for (size_t i = 0; !err && i < n; i++)
		if (waits[i].flags & IOLAT_WAIT_EARLIER)
			add_system(s, IOLAT_FS_MAJOR(waits[i].fs_major), waits[i].fs_minor);
	return err;
}

static bool is_slept_for(const struct systems *s, const char *disk)
{
	struct iolat_disk_filter to;
	struct descent d = {.to = &to};
	char name[32];

	if (blockdev_find(disk, &to, 1) != 1)
		return false;
	for (size_t i = 0; !d.found && i < s->n; i++) {
		snprintf(name, sizeof(name), "%u:%u", s->at[i].major, s->at[i].minor);
		descend(&d, name);
	}
	return d.found;
}

/* --- the disks ------------------------------------------------------------------------- */

static bool may_have_some(const char *folder)
{
	unsigned int reads, writes;
	uint64_t counts;
	char text[64];

	if (sysfs_text(folder, "inflight", text, sizeof(text)) && sscanf(text, "%u %u", &reads, &writes) == 2 && (reads || writes))
		return true;
	return sysfs_number(folder, "queue/iostats", &counts) && !counts;
}

static int search_disk(const struct tracer *t, const struct systems *s, const char *disk)
{
	AUTO_CLOSE int fd = -1;
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "/sys/block/%s", disk);
	if (!may_have_some(folder) || (s && !is_slept_for(s, disk)))
		return 0;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? 0 : tracer_find_earlier(t, fd);
}

int earlier_find(const struct tracer *t, bool of_sleepers)
{
	AUTO_DIR DIR *dir = opendir("/sys/block");
	struct systems systems = {.n = 0};
	int err = of_sleepers ? read_systems(t, &systems) : 0;
	struct dirent *d;

	if (of_sleepers && !systems.n)
		return err;
	while (!err && dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			err = search_disk(t, of_sleepers ? &systems : NULL, d->d_name);
	return err;
}
