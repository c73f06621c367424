/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the user's words to what the kernel side and the analysis select by, as this host
 * has it right now. Whatever names nothing is an error in one line (EXIT_USAGE).
 */
#ifndef IOLAT_CLI_TARGET_H
#define IOLAT_CLI_TARGET_H

#include "attrib/select.h"
#include "base/map.h"
#include "cli/options.h"
#include "collect/cgroupfs.h"
#include "collect/tracer.h"

struct target {
	struct iolat_knobs knobs;	/* the selection's part */
	struct selection selection;
	uint32_t *pids;			/* tgids on this host; owned */
	size_t n_pids;
	struct map early;		/* their descendants when they were looked up, by tgid: the start, in clock ticks */
};

/* Looks up everything before any program is loaded. `child` is the COMMAND's pid, 0 if there is none; its
 * tree is the selection when there is no other. Exit status; what is wrong has been said. */
int target_resolve(struct target *t, const struct options *o, const struct cgroupfs *cgroups,
		   uint32_t child);
void target_free(struct target *t);

/* With the fork hook attached: puts the selected processes and, unless --no-children, all their living
 * descendants into the kernel's set, those too whose parents have ended since target_resolve(). 0 or -errno. */
int target_tree(const struct target *t, struct tracer *tracer);

/* Whether a selected cgroup or disk still exists; true if none is selected. */
bool target_alive(const struct target *t, const struct cgroupfs *cgroups);

#endif
