// SPDX-License-Identifier: GPL-2.0
/* Finds the library as any program would, by its name. */
#include "collect/nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* A function pointer from what dlsym() returns, which ISO C has no conversion for. */
static bool find(void *library, const char *symbol, void *pointer)
{
	void *at = dlsym(library, symbol);

	memcpy(pointer, &at, sizeof(at));
	return at;
}

static bool find_all(struct nvml *n)
{
	bool all = true;

#define X(call, symbol, args) all &= find(n->library, symbol, &n->call);
	NVML_CALLS(X)
#undef X
	if (!find(n->library, "nvmlDeviceGetComputeRunningProcesses_v3", &n->processes))
		find(n->library, "nvmlDeviceGetComputeRunningProcesses_v2", &n->processes);
	return all;
}

bool nvml_open(struct nvml *n)
{
	*n = (struct nvml){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
	if (!n->library)
		return false;
	if (find_all(n) && n->init() == NVML_SUCCESS)
		return true;
	dlclose(n->library);
	n->library = NULL;
	return false;
}

void nvml_close(struct nvml *n)
{
	if (!n->library)
		return;
	n->shutdown();
	dlclose(n->library);
	n->library = NULL;
}
