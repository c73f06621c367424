// SPDX-License-Identifier: GPL-2.0
/* The finding about GPUs: idle while the workers that feed them wait for I/O. */
#include <inttypes.h>

#include "stats/findings.h"
#include "stats/thresholds.h"

static bool is_starved(const struct gpu *g)
{
	return g->compared_ns >= T_WALL_MS * 1000000ull && finding_pct(g->idle_ns, g->compared_ns) >= T_GPU_IDLE_PCT &&
	       finding_pct(g->starved_ns, g->idle_ns) >= T_GPU_STARVED_PCT;
}

/* Who uses it, where the driver tells; a GPU that only others use is not the traced ones' matter. */
static bool is_ours(struct model *m, const struct gpu *g)
{
	for (size_t i = 0; i < g->n_processes; i++) {
		const struct process *p = g->processes[i].process;
		struct proc *proc = proc_at(&m->procs, p->pid, UINT64_MAX).proc;

		if (proc && proc_wanted(&m->procs, proc))
			return true;
	}
	return !g->n_processes;
}

static void say(struct findings *f, const struct known *k, const struct gpu *gpu)
{
	double idle = finding_pct(gpu->idle_ns, gpu->compared_ns);
	double starved = finding_pct(gpu->starved_ns, gpu->idle_ns);
	struct finding *g = findings_add(f, "gpu-starved", idle * starved / 10000);

	if (!g)
		return;
	finding_about(g, "GPU %u (%s)", gpu->number, gpu->name);
	finding_say(g, "GPU %u (%s) idles %.0f %% of the time, and for %.0f %% of that the workers that feed it wait for I/O", gpu->number,
		    gpu->name, idle, starved);
	finding_evidence(g, "gpu", gpu->number);
	finding_evidence(g, "idle_pct", idle);
	finding_evidence(g, "explained_pct", starved);
	finding_evidence(g, "idle_ns", (double)gpu->idle_ns);
	finding_evidence(g, "starved_ns", (double)gpu->starved_ns);
	finding_files(g, k, &(struct waited_search){
				    .kinds = WAITED_DISK | 1u << REASON_NETWORK_FS | 1u << REASON_FUSE, .whole = k->whole});
}

void findings_of_gpus(struct findings *f, const struct known *k)
{
	for (size_t i = 0; i < k->gpus->n_list; i++)
		if (is_starved(&k->gpus->list[i]) && is_ours(k->model, &k->gpus->list[i]))
			say(f, k, &k->gpus->list[i]);
}
