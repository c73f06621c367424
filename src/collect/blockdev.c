// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /sys/dev/block, /sys/block and a disk's queue folder. Used by cli/target.c for
 * --device and by facts.c for what a disk is and what the kernel counted on it.
 */
#include "collect/blockdev.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"

/* Reads a small file below a device's folder as text without the line's end; false if it can't be read. */
static bool read_text(uint32_t major, uint32_t minor, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];
	AUTO_FILE FILE *f = NULL;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major, minor, file);
	f = fopen(path, "re");
	if (!f || !fgets(buf, size, f))
		return false;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

static bool read_number(uint32_t major, uint32_t minor, const char *file, uint64_t *out)
{
	char text[32];

	return read_text(major, minor, file, text, sizeof(text)) && !parse_u64(text, out);
}

/* --- what the user names ---------------------------------------------------------- */

static bool parse_numbers(const char *s, uint32_t *major, uint32_t *minor)
{
	int end = 0;

	return sscanf(s, "%" SCNu32 ":%" SCNu32 "%n", major, minor, &end) == 2 && !s[end];
}

/* The "MAJ:MIN" of a name as sysfs lists it ("sda1"; '/' in names becomes '!'). */
static bool name_numbers(const char *name, uint32_t *major, uint32_t *minor)
{
	char path[PATH_MAX], text[32];
	AUTO_FILE FILE *f = NULL;

	if (strchr(name, '/') || name[0] == '.')
		return false;
	snprintf(path, sizeof(path), "/sys/class/block/%s/dev", name);
	f = fopen(path, "re");
	if (!f || !fgets(text, sizeof(text), f))
		return false;
	text[strcspn(text, "\n")] = 0;
	return parse_numbers(text, major, minor);
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
	    !parse_numbers(text, &major, &minor))
		return -ENODEV;
	*out = (struct iolat_disk_filter){.major = major, .minor = minor, .part = part};
	return 0;
}

int blockdev_find(const char *name, struct iolat_disk_filter *out)
{
	uint32_t major, minor;
	struct stat st;
	dev_t dev;

	if (name_numbers(name, &major, &minor) || parse_numbers(name, &major, &minor))
		return place(major, minor, out) ? -ENOENT : 0;
	if (stat(name, &st))
		return -ENOENT;
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	return place(major(dev), minor(dev), out);
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

bool blockdev_exists(const struct iolat_disk_filter *d)
{
	char text[32];

	return read_text(d->major, d->minor, "dev", text, sizeof(text));
}

/* --- facts ------------------------------------------------------------------------ */

/* "MAJOR MINOR NAME" and then the stat file; discards came with 4.18. */
static bool parse_count(const char *line, uint32_t *major, uint32_t *minor, uint64_t *ios)
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
		if (parse_count(line, &major, &minor, &ios))
			each(ctx, major, minor, ios);
	return f;
}

bool blockdev_identity(uint32_t major, uint32_t minor, uint64_t *diskseq, uint64_t *sectors)
{
	*diskseq = 0;
	read_number(major, minor, "diskseq", diskseq);
	return read_number(major, minor, "size", sectors);
}

/* "none [mq-deadline] kyber": the one in brackets. */
static void read_scheduler(uint32_t major, uint32_t minor, char *out, size_t size)
{
	char text[128], *from, *to;

	out[0] = 0;
	if (!read_text(major, minor, "queue/scheduler", text, sizeof(text)))
		return;
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = 0;
	snprintf(out, size, "%s", from + 1);
}

static void read_model(uint32_t major, uint32_t minor, char *out, size_t size)
{
	char text[128] = "";
	size_t n;

	if (!read_text(major, minor, "device/model", text, sizeof(text)))
		text[0] = 0;
	for (n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = 0;
	snprintf(out, size, "%.*s", (int)size - 1, text);
}

void blockdev_facts(uint32_t major, uint32_t minor, struct iolat_disk_facts *f)
{
	uint64_t n;

	f->nr_requests = read_number(major, minor, "queue/nr_requests", &n) ? n : 0;
	f->rotational = read_number(major, minor, "queue/rotational", &n) ? n != 0 : 2;
	f->accounted = read_number(major, minor, "queue/iostats", &n) && n;
	read_scheduler(major, minor, f->scheduler, sizeof(f->scheduler));
	read_model(major, minor, f->model, sizeof(f->model));
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
