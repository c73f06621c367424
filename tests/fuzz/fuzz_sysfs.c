// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as an attribute in sysfs, a line of /proc/diskstats, the files of a cgroup's limits and what a GPU's driver tells:
 * nothing is read beyond them, and what comes out ends.
 */
#include <stdint.h>
#include <unistd.h>

#include "../unit/fake_host.h"
#include "collect/blockdev.h"
#include "collect/gpu.h"
#include "collect/limit_files.h"
#include "collect/sysfs.h"
#include "iolat/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[FAKE_HOST_ROOT], device[64];
static struct gpus *gpus;

static void require(int holds)
{
	if (!holds)
		abort();
}

static void remove_root(void)
{
	gpus_close(gpus);
	fake_host_remove(root);
}

/* Every file is the same one. */
static void make_root(void)
{
	static const char *const names[] = {"product_name", "mem_info_vram_used", "mem_info_vram_total", "io.max",
					    "blkio.throttle.read_bps_device", "blkio.throttle.write_iops_device"};
	char text[PATH_MAX], path[PATH_MAX];

	fake_host_make(root);
	atexit(remove_root);
	snprintf(device, sizeof(device), "%s/card0/device", root);
	fake_host_write(root, "/card0/device/gpu_busy_percent", "0", 1);
	snprintf(text, sizeof(text), "%s/gpu_busy_percent", device);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", device, names[i]);
		require(!link(text, path));
	}
	gpus = gpus_open(root);
	require(gpus != NULL);
}

static void read_attribute(void)
{
	char small[4], large[4096];
	uint32_t major, minor;
	uint64_t number;

	sysfs_number(device, "io.max", &number);
	require(!sysfs_text(device, "io.max", small, sizeof(small)) || memchr(small, 0, sizeof(small)));
	require(!sysfs_chosen(device, "io.max", small, sizeof(small)) || memchr(small, 0, sizeof(small)));
	if (sysfs_text(device, "io.max", large, sizeof(large))) {
		require(!strchr(large, '\n'));
		sysfs_parse_dev(large, &major, &minor);
		blockdev_parse_counts(large, &major, &minor, &number);
	}
}

static void read_limits(void)
{
	for (unsigned int tree = 0; tree < IOLAT_TREE_MAX; tree++) {
		struct limit_list l = {.n = 0};

		limit_list_read(&l, device, tree);
		require(l.n <= LIMIT_DISKS && (!l.n || limit_list_disk(&l, l.disks[0].major, l.disks[0].minor) == l.disks));
	}
}

static int take(void *ctx, const void *data, size_t size)
{
	const struct iolat_gpu *e = data;

	require(size == sizeof(*e) && memchr(e->name, 0, sizeof(e->name)) && (e->busy_pct <= 100 || e->busy_pct == IOLAT_GPU_UNKNOWN));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sink sink = {take, NULL};

	if (!root[0])
		make_root();
	fake_host_write(device, "/io.max", data, size);
	read_attribute();
	read_limits();
	require(!gpus_sample(gpus, 1, &sink));
	return 0;
}
