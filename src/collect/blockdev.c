// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /sys/dev/block and /sys/block. Used by cli/target.c for --device and by facts.c for
 * what the kernel counted on a disk.
 */
#include "collect/blockdev.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "collect/devpath.h"
#include "collect/sysfs.h"

static bool read_text(uint32_t major, uint32_t minor, const char *file, char *buf, size_t size)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major, minor);
	return sysfs_text(folder, file, buf, size);
}

static bool read_number(uint32_t major, uint32_t minor, const char *file, uint64_t *out)
{
	char text[32];

	return read_text(major, minor, file, text, sizeof(text)) && !parse_u64(text, out);
}

/* --- what the user names ---------------------------------------------------------- */

static void folder_of_name(char *path, size_t size, const char *name)
{
	snprintf(path, size, "/sys/class/block/%s", name);
}

static bool is_name(const char *name)
{
	char path[PATH_MAX];

	folder_of_name(path, sizeof(path), name);
	return *name && !strchr(name, '/') && name[0] != '.' && !access(path, F_OK);
}

/* The "MAJ:MIN" of a name as sysfs lists it ("sda1"; '/' in names becomes '!'). */
static bool name_numbers(const char *name, uint32_t *major, uint32_t *minor)
{
	char path[PATH_MAX], text[32];

	if (!is_name(name))
		return false;
	folder_of_name(path, sizeof(path), name);
	return sysfs_text(path, "dev", text, sizeof(text)) && sysfs_parse_dev(text, major, minor);
}

/* Disk and partition number of a device; a partition's folder lies in its disk's. */
static int place(uint32_t major, uint32_t minor, struct iolat_disk_filter *out)
{
	uint64_t part;
	char text[32];

	*out = (struct iolat_disk_filter){.major = major, .minor = minor};
	if (!read_text(major, minor, "dev", text, sizeof(text)))
		return -ENODEV;
	if (!read_number(major, minor, "partition", &part))
		return 0;
	if (!read_text(major, minor, "../dev", text, sizeof(text)) ||
	    !sysfs_parse_dev(text, &major, &minor))
		return -ENODEV;
	*out = (struct iolat_disk_filter){.major = major, .minor = minor, .part = part};
	return 0;
}

/* A disk without numbers in sysfs, which has no node either: a path of an NVMe multipath disk. */
static int place_hidden(const char *name, struct iolat_disk_filter *out)
{
	*out = (struct iolat_disk_filter){0};
	if (strlen(name) >= sizeof(out->name))
		return -ENOENT;
	for (size_t i = 0; name[i]; i++)
		out->name[i] = name[i] == '!' ? '/' : name[i];
	return 1;
}

static int place_path(const char *path, struct iolat_disk_filter *out, size_t room)
{
	struct devno found[IOLAT_MAX_FILTERS];
	int err = 0, n = devpath_find(path, found, IOLAT_MAX_FILTERS);

	if (n > 0 && (size_t)n > room)
		return -E2BIG;
	for (int i = 0; !err && i < n; i++)
		err = place(found[i].major, found[i].minor, &out[i]);
	return err ? err : n;
}

int blockdev_find(const char *name, struct iolat_disk_filter *out, size_t room)
{
	uint32_t major, minor;

	if (!room)
		return -E2BIG;
	if (name_numbers(name, &major, &minor) || sysfs_parse_dev(name, &major, &minor))
		return place(major, minor, out) ? -ENOENT : 1;
	if (is_name(name))
		return place_hidden(name, out);
	return place_path(name, out, room);
}

void blockdev_name(uint32_t major, uint32_t minor, char *out, size_t size)
{
	char path[64], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	slash = strrchr(target, '/');
	if (slash)
		snprintf(out, size, "%.*s", (int)size - 1, slash + 1);
	else
		snprintf(out, size, "%u:%u", major, minor);
}

bool blockdev_named(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	for (char *c = path + strlen("/sys/class/block/"); *c; c++)
		if (*c == '/')
			*c = '!';
	return strchr(name, ':') || !access(path, F_OK);
}

bool blockdev_exists(const struct iolat_disk_filter *d)
{
	char text[32];

	if (d->name[0])
		return is_name(d->name);
	return read_text(d->major, d->minor, "dev", text, sizeof(text));
}

/* --- facts ------------------------------------------------------------------------ */

bool blockdev_parse_counts(const char *line, uint32_t *major, uint32_t *minor, uint64_t *ios)
{
	uint64_t reads, writes, discards = 0;
	int n = sscanf(line,
		       "%" SCNu32 " %" SCNu32 " %*s %" SCNu64 " %*u %*u %*u %" SCNu64
		       " %*u %*u %*u %*u %*u %*u %" SCNu64,
		       major, minor, &reads, &writes, &discards);

	*ios = reads + writes + discards;
	return n >= 4;
}

bool blockdev_counts(void (*each)(void *ctx, uint32_t major, uint32_t minor, uint64_t ios),
		     void *ctx)
{
	AUTO_FILE FILE *f = fopen("/proc/diskstats", "re");
	uint32_t major, minor;
	uint64_t ios;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (blockdev_parse_counts(line, &major, &minor, &ios))
			each(ctx, major, minor, ios);
	return f;
}

bool blockdev_identity(uint32_t major, uint32_t minor, uint64_t *diskseq, uint64_t *sectors)
{
	*diskseq = 0;
	read_number(major, minor, "diskseq", diskseq);
	return read_number(major, minor, "size", sectors);
}

void blockdev_each(void (*each)(void *ctx, uint32_t major, uint32_t minor), void *ctx)
{
	DIR *dir = opendir("/sys/block");
	uint32_t major, minor;
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (name_numbers(d->d_name, &major, &minor))
			each(ctx, major, minor);
	if (dir)
		closedir(dir);
}
