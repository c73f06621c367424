// SPDX-License-Identifier: GPL-2.0
/* Both kinds one after the other, numbered through. What a GPU does not tell is left unknown. */
#include "collect/gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "collect/nvml.h"
#include "collect/sysfs.h"
#include "iolat/wire.h"

enum { GPUS_EACH = 32, PROCESSES_MAX = 256 };

struct gpus {
	struct nvml nvml;
	nvml_device devices[GPUS_EACH];
	char names[GPUS_EACH][64];
	unsigned int n_nvidia;
	char amd[GPUS_EACH][300]; /* folders */
	unsigned int n_amd;
};

/* --- what there is --------------------------------------------------------------------- */

static void find_nvidia(struct gpus *g)
{
	unsigned int n = 0;

	if (!nvml_open(&g->nvml) || g->nvml.count(&n) != NVML_SUCCESS)
		return;
	for (unsigned int i = 0; i < n && g->n_nvidia < GPUS_EACH; i++) {
		char *name = g->names[g->n_nvidia];

		if (g->nvml.handle(i, &g->devices[g->n_nvidia]) != NVML_SUCCESS)
			continue;
		if (g->nvml.name(g->devices[g->n_nvidia], name, sizeof(g->names[0])) != NVML_SUCCESS)
			snprintf(name, sizeof(g->names[0]), "NVIDIA");
		name[sizeof(g->names[0]) - 1] = '\0';
		g->n_nvidia++;
	}
}

/* "card0", not "card0-DP-1". */
static bool is_card(const char *name)
{
	size_t digits = strncmp(name, "card", 4) ? 0 : strspn(name + 4, "0123456789");

	return digits && !name[4 + digits];
}

static void find_amd(struct gpus *g, const char *drm)
{
	struct dirent **list;
	int n = scandir(drm, &list, NULL, versionsort);
	uint64_t busy;

	for (int i = 0; i < n; i++) {
		char *folder = g->amd[g->n_amd];

		snprintf(folder, sizeof(g->amd[0]), "%s/%s/device", drm, list[i]->d_name);
		if (is_card(list[i]->d_name) && sysfs_number(folder, "gpu_busy_percent", &busy) && g->n_amd < GPUS_EACH - 1)
			g->n_amd++;
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

struct gpus *gpus_open(const char *drm)
{
	struct gpus *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	find_nvidia(g);
	find_amd(g, drm ? drm : "/sys/class/drm");
	if (g->n_nvidia + g->n_amd)
		return g;
	gpus_close(g);
	return NULL;
}

void gpus_close(struct gpus *g)
{
	if (!g)
		return;
	nvml_close(&g->nvml);
	free(g);
}

/* --- samples ------------------------------------------------------------------------------ */

static struct iolat_gpu sample_of(unsigned int number, uint64_t now_ns, const char *name)
{
	struct iolat_gpu e = {
		.head = {.kind = IOLAT_EV_GPU, .size = sizeof(e)},
		.number = number,
		.ts_ns = now_ns,
		.busy_pct = IOLAT_GPU_UNKNOWN,
	};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static int send(const struct sink *to, const void *e, size_t size)
{
	return to->event(to->ctx, e, size);
}

static int send_processes(struct gpus *g, unsigned int i, uint64_t now_ns, const struct sink *to)
{
	struct nvml_process list[PROCESSES_MAX];
	unsigned int n = PROCESSES_MAX;
	int err = 0;

	if (!g->nvml.processes || g->nvml.processes(g->devices[i], &n, list) != NVML_SUCCESS)
		return 0;
	for (unsigned int p = 0; !err && p < n && p < PROCESSES_MAX; p++) {
		struct iolat_gpu_process e = {
			.head = {.kind = IOLAT_EV_GPU_PROCESS, .size = sizeof(e)},
			.number = i,
			.ts_ns = now_ns,
			.memory = list[p].used_memory == ~0ull ? 0 : list[p].used_memory,
			.tgid = list[p].pid,
		};

		err = send(to, &e, sizeof(e));
	}
	return err;
}

static int sample_nvidia(struct gpus *g, unsigned int i, uint64_t now_ns, const struct sink *to)
{
	struct iolat_gpu e = sample_of(i, now_ns, g->names[i]);
	struct nvml_utilization busy;
	struct nvml_memory memory;

	if (g->nvml.utilization(g->devices[i], &busy) == NVML_SUCCESS)
		e.busy_pct = busy.gpu > 100 ? 100 : busy.gpu;
	if (g->nvml.memory(g->devices[i], &memory) == NVML_SUCCESS) {
		e.memory_used = memory.used;
		e.memory_total = memory.total;
	}
	return send(to, &e, sizeof(e)) ?: send_processes(g, i, now_ns, to);
}

static int sample_amd(struct gpus *g, unsigned int i, uint64_t now_ns, const struct sink *to)
{
	const char *folder = g->amd[i];
	char name[64];
	struct iolat_gpu e;
	uint64_t busy, used, total;

	if (!sysfs_text(folder, "product_name", name, sizeof(name)))
		snprintf(name, sizeof(name), "AMD");
	e = sample_of(g->n_nvidia + i, now_ns, name);
	if (sysfs_number(folder, "gpu_busy_percent", &busy))
		e.busy_pct = busy > 100 ? 100 : (__u32)busy;
	if (sysfs_number(folder, "mem_info_vram_used", &used) && sysfs_number(folder, "mem_info_vram_total", &total)) {
		e.memory_used = used;
		e.memory_total = total;
	}
	return send(to, &e, sizeof(e));
}

int gpus_sample(struct gpus *g, uint64_t now_ns, const struct sink *to)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < g->n_nvidia; i++)
		err = sample_nvidia(g, i, now_ns, to);
	for (unsigned int i = 0; !err && i < g->n_amd; i++)
		err = sample_amd(g, i, now_ns, to);
	return err;
}
