/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a run keeps; for run.c, run_events.c and run_selected.c alone.
 */
#ifndef IOLAT_STATS_RUN_STATE_H
#define IOLAT_STATS_RUN_STATE_H

#include "stats/account.h"
#include "stats/asked.h"
#include "stats/findings.h"
#include "stats/gpus.h"
#include "stats/phases.h"
#include "stats/run.h"
#include "stats/view.h"

enum { RUN_HOOKS = 64 };

struct run {
	struct by by;	  /* of the whole run's rows */
	struct by detail; /* of the frames', where that is more */
	struct selection selection; /* a copy that owns nothing; `also` is: */
	struct selection recorded;
	struct model model;
	struct cover cover;
	struct account account;
	struct rows whole; /* of all intervals that have ended */
	struct rows folded; /* the current one's like those, for a view of the whole */
	struct view view;
	struct tasks tasks;
	struct usages usages;
	struct reread reread;
	struct asked asked;
	struct served served;
	struct flying flying;
	struct findings findings;
	struct phases phases;
	struct gpus_known gpus;
	uint64_t stuck_ns;
	int (*each)(void *ctx, const struct request *q);
	void *each_ctx;
	int (*each_wait)(void *ctx, const struct task_wait *w);
	void *each_wait_ctx;
	int wait_err; /* what it returned */
	bool forgets;
	struct timeline timeline;
	bool begun;		/* the RUN event was there */
	struct iolat_run facts; /* the last one, with the wall clock as it was told last */
	enum snapshot_clock clock;
	uint64_t start_ns;	/* of the run */
	uint64_t end_ns;	/* of a recording, 0: not told */
	uint64_t interval_ns;	/* start of the current interval */
	char command[sizeof(((struct iolat_command *)0)->line) + sizeof(" ...")]; /* "": not told */
	struct hook hooks[RUN_HOOKS];
	char hook_names[RUN_HOOKS][sizeof(((struct iolat_hook *)0)->name)];
	size_t n_hooks;
};

/* The stretches of the tasks' time (tasks.spent), and the requests that are in rows (account.each), where somebody asks for them. */
void run_spent(void *ctx, const struct task_slot *s, const struct spent *what);
int run_tell_request(void *ctx, const struct row *row, const char *via, const struct iolat_request *e);

/* CLOCK_MONOTONIC as CLOCK_REALTIME, by the run's first moment. */
static inline uint64_t run_wall(const struct run *r, uint64_t mono_ns)
{
	return r->facts.wall_ns + (mono_ns - r->facts.mono_ns);
}

#endif
