/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few calls of NVIDIA's management library (NVML) that are used, as its documentation has them: the interface is
 * stable, and versioned by suffixes. Nothing of its header is needed to build.
 */
#ifndef IOLAT_COLLECT_NVML_H
#define IOLAT_COLLECT_NVML_H

#include <stdbool.h>

typedef struct nvml_device *nvml_device;

enum nvml_return {
	NVML_SUCCESS = 0,
	NVML_INSUFFICIENT_SIZE = 7,
};

struct nvml_utilization {
	unsigned int gpu, memory;	/* percent of the last sample period, 1/6 s to 1 s */
};

struct nvml_memory {
	unsigned long long total, free, used;
};

/* As of the _v2 and _v3 calls. */
struct nvml_process {
	unsigned int pid;
	unsigned long long used_memory;	/* ~0: not known */
	unsigned int gpu_instance, compute_instance;
};

#define NVML_CALLS(X)                                                                              \
	X(init, "nvmlInit_v2", (void))                                                             \
	X(shutdown, "nvmlShutdown", (void))                                                        \
	X(count, "nvmlDeviceGetCount_v2", (unsigned int *n))                                       \
	X(handle, "nvmlDeviceGetHandleByIndex_v2", (unsigned int i, nvml_device *out))             \
	X(name, "nvmlDeviceGetName", (nvml_device d, char *out, unsigned int size))                \
	X(utilization, "nvmlDeviceGetUtilizationRates", (nvml_device d, struct nvml_utilization *out)) \
	X(memory, "nvmlDeviceGetMemoryInfo", (nvml_device d, struct nvml_memory *out))

struct nvml {
	void *library;
#define X(call, symbol, args) int (*call) args;
	NVML_CALLS(X)
#undef X
	/* NULL: this driver has neither of the versions with this struct */
	int (*processes)(nvml_device d, unsigned int *n, struct nvml_process *out);
};

bool nvml_open(struct nvml *n); /* false: not here, or it finds no GPU */
void nvml_close(struct nvml *n);

#endif
