// SPDX-License-Identifier: GPL-2.0
/*
 * Read once a disk, at its first I/O. The folder is found by number, or by name where the
 * number is not listed (paths of NVMe multipath disks).
 */
#include "collect/diskfacts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "collect/blockdev.h"
#include "collect/devpath.h"
#include "collect/sysfs.h"

#define FOLDER_LEN 96

/* Whether the number is listed. */
static bool find_folder(const struct iolat_disk *disk, char path[FOLDER_LEN])
{
	size_t at;

	snprintf(path, FOLDER_LEN, "/sys/dev/block/%u:%u", disk->major, disk->minor);
	if (!access(path, F_OK))
		return true;
	at = snprintf(path, FOLDER_LEN, "/sys/block/");
	snprintf(path + at, FOLDER_LEN - at, "%.31s", disk->name);
	for (char *slash = path + at; (slash = strchr(slash, '/'));)
		*slash = '!';
	return false;
}

/* --- what it is ---------------------------------------------------------------------- */

static void read_model(const char *folder, char *out, size_t size)
{
	char text[128] = "";
	size_t n;

	if (!sysfs_text(folder, "device/model", text, sizeof(text)))
		text[0] = 0;
	for (n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = 0;
	snprintf(out, size, "%.*s", (int)size - 1, text);
}

/* Where a device stands tells how it is connected; of several the first holds, as USB and ATA have
 * SCSI hosts within. */
static const struct {
	const char *in_path;
	const char *transport;
} places[] = {
	{"/usb", "usb"},	  {"/nvme", "nvme"},	 {"/virtio", "virtio"},
	{"/ata", "sata"},	  {"/session", "iscsi"}, {"/rport-", "fc"},
	{"/end_device-", "sas"},  {"/mmc_host/", "mmc"}, {"/vbd-", "xen"},
	{"/VMBUS", "hyperv"},	  {"/ndbus", "pmem"},	 {"/pseudo_", "pseudo"},
	{"/adapter0/", "pseudo"}, {"/host", "scsi"},
};

/* Devices of software are called by their kind and a number: "loop0", "dm-3", "md127". */
static void kind_of_name(const char *name, char *out, size_t size)
{
	size_t n = 0;

	while (n < size - 1 && isalpha((unsigned char)name[n]))
		n++;
	memcpy(out, name, n);
	out[n] = 0;
}

static void read_transport(const struct iolat_disk *disk, const char *folder, char *out,
			   size_t size)
{
	char path[PATH_MAX];

	out[0] = 0;
	if (!realpath(folder, path))
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!strstr(path, places[i].in_path))
			continue;
		snprintf(out, size, "%s", places[i].transport);
		return;
	}
	if (strstr(path, "/virtual/block/"))
		kind_of_name(disk->name, out, size);
}

/* A driver that takes bios counts by itself: these if they are told to, others always or never. */
static bool obeys_iostats(const struct iolat_disk *disk, bool takes_bios)
{
	static const char *const obedient[] = {"dm-", "md", "nvme", "pmem"};

	if (!takes_bios)
		return true;
	for (size_t i = 0; i < sizeof(obedient) / sizeof(obedient[0]); i++)
		if (!strncmp(disk->name, obedient[i], strlen(obedient[i])))
			return true;
	return false;
}

bool diskfacts_read(const struct iolat_disk *disk, struct iolat_disk_facts *f)
{
	char folder[FOLDER_LEN], queues[FOLDER_LEN + 8];
	bool listed = find_folder(disk, folder), takes_bios;
	uint64_t n;

	snprintf(queues, sizeof(queues), "%s/mq", folder);
	takes_bios = access(queues, F_OK);
	f->nr_requests = sysfs_number(folder, "queue/nr_requests", &n) ? n : 0;
	f->rotational = sysfs_number(folder, "queue/rotational", &n) ? n != 0 : 2;
	f->accounted = listed && sysfs_number(folder, "queue/iostats", &n) &&
		       (n || !obeys_iostats(disk, takes_bios));
	sysfs_chosen(folder, "queue/scheduler", f->scheduler, sizeof(f->scheduler));
	read_model(folder, f->model, sizeof(f->model));
	read_transport(disk, folder, f->transport, sizeof(f->transport));
	return takes_bios;
}

/* --- what it stands on ----------------------------------------------------------------- */

#define MAX_BELOW 64

struct below {
	char names[MAX_BELOW][IOLAT_DISK_LEN];
	uint32_t n;
};

static void add_below(struct below *b, const char *name)
{
	if (name[0] != '.' && b->n < MAX_BELOW)
		snprintf(b->names[b->n++], IOLAT_DISK_LEN, "%.31s", name);
}

/* False where there is no such folder. */
static bool add_folder(struct below *b, const char *folder, const char *file)
{
	AUTO_DIR DIR *dir = NULL;
	char path[FOLDER_LEN + 16];
	struct dirent *d;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		add_below(b, d->d_name);
	return dir;
}

/* A loop device stands on what holds its file. */
static void add_file(struct below *b, const char *folder)
{
	struct devno found[MAX_BELOW];
	char path[PATH_MAX], name[IOLAT_DISK_LEN];
	int n = 0;

	if (sysfs_text(folder, "loop/backing_file", path, sizeof(path)))
		n = devpath_find(path, found, MAX_BELOW);
	for (int i = 0; i < n && i < MAX_BELOW; i++) {
		blockdev_name(found[i].major, found[i].minor, name, sizeof(name));
		add_below(b, name);
	}
}

/* Paths of "nvme1n2" are called "nvme1c0n2", "nvme1c1n2", ...; before 6.15 the disk does not list
 * them. */
static void add_paths(struct below *b, const char *name)
{
	AUTO_DIR DIR *dir = NULL;
	unsigned int subsystem, ns, s, c, n;
	struct dirent *d;
	int end;

	if (sscanf(name, "nvme%un%u%n", &subsystem, &ns, &end) != 2 || name[end])
		return;
	dir = opendir("/sys/block");
	while (dir && (d = readdir(dir)))
		if (sscanf(d->d_name, "nvme%uc%un%u", &s, &c, &n) == 3 && s == subsystem && n == ns)
			add_below(b, d->d_name);
}

static bool find_below(const struct iolat_disk *disk, struct below *b)
{
	char folder[FOLDER_LEN];

	find_folder(disk, folder);
	if (!add_folder(b, folder, "slaves"))
		return false;
	add_file(b, folder);
	if (!b->n && !add_folder(b, folder, "multipath"))
		add_paths(b, disk->name);
	return true;
}

int diskfacts_below(const struct iolat_disk *disk, const struct sink *sink)
{
	struct iolat_disk_below e = {
		.head = {.kind = IOLAT_EV_DISK_BELOW, .size = sizeof(e)},
		.disk = disk->disk,
	};
	struct below b = {.n = 0};
	int err = 0;

	if (!find_below(disk, &b))
		return 0;
	e.count = b.n;
	if (!b.n)
		return sink->event(sink->ctx, &e, sizeof(e));
	for (e.index = 0; !err && e.index < b.n; e.index++) {
		memcpy(e.name, b.names[e.index], sizeof(e.name));
		err = sink->event(sink->ctx, &e, sizeof(e));
	}
	return err;
}
