// SPDX-License-Identifier: GPL-2.0
/* Format: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/blkio-controller.rst. */
#include "collect/limit_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "iolat/wire.h"

struct disk_limit *limit_list_disk(struct limit_list *l, unsigned int major, unsigned int minor)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->disks[i].major == major && l->disks[i].minor == minor)
			return &l->disks[i];
	if (l->n == LIMIT_DISKS)
		return NULL;
	l->disks[l->n] = (struct disk_limit){.major = major, .minor = minor};
	return &l->disks[l->n++];
}

static void add(struct limit_list *l, unsigned int major, unsigned int minor, enum limit_kind kind, uint64_t most)
{
	struct disk_limit *d = most ? limit_list_disk(l, major, minor) : NULL;

	if (d && (!d->most[kind] || most < d->most[kind]))
		d->most[kind] = most;
}

/* "8:16 rbps=2097152 wbps=max riops=max wiops=120" */
static void read_v2_line(struct limit_list *l, const char *line)
{
	static const char *const keys[LIMIT_KINDS] = {" rbps=", " wbps=", " riops=", " wiops="};
	unsigned int major, minor;
	unsigned long long most;

	if (sscanf(line, "%u:%u", &major, &minor) != 2)
		return;
	for (enum limit_kind kind = 0; kind < LIMIT_KINDS; kind++) {
		const char *at = strstr(line, keys[kind]);

		if (at && sscanf(at + strlen(keys[kind]), "%llu", &most) == 1)
			add(l, major, minor, kind, most);
	}
}

/* "8:16 2097152" */
static void read_v1_line(struct limit_list *l, const char *line, enum limit_kind kind)
{
	unsigned int major, minor;
	unsigned long long most;

	if (sscanf(line, "%u:%u %llu", &major, &minor, &most) == 3)
		add(l, major, minor, kind, most);
}

static void read_file(struct limit_list *l, const char *folder, const char *file, int kind)
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

void limit_list_read(struct limit_list *l, const char *folder, unsigned int tree)
{
	static const char *const v1[LIMIT_KINDS] = {
		"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
		"blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};

	if (tree == IOLAT_TREE_V2)
		read_file(l, folder, "io.max", -1);
	for (int kind = 0; tree == IOLAT_TREE_BLKIO && kind < LIMIT_KINDS; kind++)
		read_file(l, folder, v1[kind], kind);
}
