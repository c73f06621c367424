/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GPUs over time: how busy each was between two samples, and what part of its idle time its loaders' workers spent waiting
 * for I/O. What a task waited comes a little later than the sample, so times are compared once they are old enough.
 */
#ifndef IOLAT_STATS_GPUS_H
#define IOLAT_STATS_GPUS_H

#include "stats/tasks.h"

enum gpus_limits {
	GPUS_MAX = 64,
	GPU_PROCESSES = 64,
	GPU_SAMPLES = 1024,	/* beyond, each two become one; even */
	GPU_OPEN = 64,		/* samples whose waits may still come */
	GPU_SLOTS = 256,	/* of GPU_SLOT_NS */
	GPU_SLOT_WAITERS = 64,
};
#define GPU_SLOT_NS 250000000ull

struct gpu_period {
	uint64_t from_ns, to_ns;
	uint32_t busy_pct;
};

struct gpu_sums {
	uint64_t wall_ns, idle_ns, starved_ns;
};

struct gpu_slot {
	struct gpu pub;
	uint64_t last_ns;	/* of the last sample */
	struct gpu_period open[GPU_OPEN];	/* a queue, the oldest first */
	size_t n_open;
	struct gpu_sums now, before;	/* compared: of the interval, of the ended ones */
	uint64_t busy_wall_ns, busy_ns;	/* sampled: of the interval */
	uint64_t whole_wall_ns, whole_busy_ns;
	struct gpu_process processes[GPU_PROCESSES];	/* of the last sample */
	struct proc *procs[GPU_PROCESSES];		/* referenced */
	size_t n_processes;
	struct gpu_period samples[GPU_SAMPLES];
	size_t n_samples;
	uint64_t least_ns;	/* a sample's length at least */
};

struct gpu_wait {
	uint64_t process;	/* serial */
	uint64_t ns;
};

struct gpu_wait_slot {
	uint64_t number;	/* time over GPU_SLOT_NS */
	size_t n;
	struct gpu_wait waits[GPU_SLOT_WAITERS];
};

struct gpus_known {
	struct model *model;
	struct gpu_slot *slots[GPUS_MAX];	/* by number; NULL: not seen */
	size_t n;			/* the highest number, and one */
	struct gpu_wait_slot *waits;	/* a ring; NULL: there is no GPU */
	struct gpu *list;		/* of the last view */
	size_t n_list;
};

void gpus_init(struct gpus_known *g, struct model *m);
void gpus_free(struct gpus_known *g);

/* 0 or -ENOMEM each. */
int gpus_sampled(struct gpus_known *g, const struct iolat_gpu *e);
int gpus_process(struct gpus_known *g, const struct iolat_gpu_process *e);
void gpus_spent(struct gpus_known *g, const struct task_slot *s, uint64_t from_ns, uint64_t to_ns); /* blocked */

/* 0 or -ENOMEM. */
int gpus_view(struct gpus_known *g, const struct tasks *t, bool whole, uint64_t now_ns);
void gpus_turn(struct gpus_known *g); /* a new interval starts */

#endif
