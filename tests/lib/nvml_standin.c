// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for NVIDIA's management library, for tests on machines without a GPU: it implements the calls that are
 * used, by their documentation, and answers from the file that IOLAT_TEST_NVML names, a line a GPU:
 *
 *	BUSY-PERCENT USED-BYTES TOTAL-BYTES [PID...]
 *
 * The file is read anew at each call. A busy of -1 is what the library answers for MIG: not supported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct utilization {
	unsigned int gpu, memory;
};
struct memory {
	unsigned long long total, free, used;
};
struct process {
	unsigned int pid;
	unsigned long long used;
	unsigned int gpu_instance, compute_instance;
};

enum { SUCCESS, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, UNKNOWN = 999 };

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned int *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **out);
int nvmlDeviceGetName(void *d, char *out, unsigned int size);
int nvmlDeviceGetUtilizationRates(void *d, struct utilization *out);
int nvmlDeviceGetMemoryInfo(void *d, struct memory *out);
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned int *n, struct process *out);

/* The line of a GPU (numbers from 1 on), 0: there is none. */
static int line_of(unsigned long number, char *line, size_t size)
{
	const char *path = getenv("IOLAT_TEST_NVML");
	FILE *f = path ? fopen(path, "r") : NULL;
	unsigned long at = 0;

	while (f && at < number && fgets(line, (int)size, f))
		at++;
	if (f)
		fclose(f);
	return f && at == number;
}

int nvmlInit_v2(void)
{
	return getenv("IOLAT_TEST_NVML") ? SUCCESS : UNKNOWN;
}

int nvmlShutdown(void)
{
	return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned int *n)
{
	char line[512];

	for (*n = 0; line_of(*n + 1, line, sizeof(line));)
		++*n;
	return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **out)
{
	*out = (void *)(size_t)(i + 1);
	return SUCCESS;
}

int nvmlDeviceGetName(void *d, char *out, unsigned int size)
{
	snprintf(out, size, "stand-in for NVML");
	return SUCCESS;
}

static int numbers(void *d, int *busy, unsigned long long *used, unsigned long long *total)
{
	char line[512];

	return line_of((size_t)d, line, sizeof(line)) && sscanf(line, "%d %llu %llu", busy, used, total) == 3;
}

int nvmlDeviceGetUtilizationRates(void *d, struct utilization *out)
{
	unsigned long long used, total;
	int busy;

	if (!numbers(d, &busy, &used, &total))
		return UNKNOWN;
	*out = (struct utilization){.gpu = (unsigned int)busy};
	return busy < 0 ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void *d, struct memory *out)
{
	unsigned long long used, total;
	int busy;

	if (!numbers(d, &busy, &used, &total))
		return UNKNOWN;
	*out = (struct memory){.total = total, .used = used, .free = total - used};
	return SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned int *n, struct process *out)
{
	unsigned int room = *n;
	char line[512], *rest = line, *word;

	*n = 0;
	if (!line_of((size_t)d, line, sizeof(line)))
		return UNKNOWN;
	for (int i = 0; (word = strsep(&rest, " \n")); i++) {
		if (i < 3 || !*word)
			continue;
		if (*n < room)
			out[*n] = (struct process){.pid = (unsigned int)atoi(word), .used = 1 << 20};
		++*n;
	}
	return *n > room ? INSUFFICIENT_SIZE : SUCCESS;
}
