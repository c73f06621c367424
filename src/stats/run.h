/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The analysis of one stream of events, live or recorded: events go in, snapshots come
 * out. Knows no clock, no files and no kernel; memory is bounded whatever comes.
 */
#ifndef IOLAT_STATS_RUN_H
#define IOLAT_STATS_RUN_H

#include "attrib/select.h"
#include "stats/snapshot.h"

struct run;

struct run_options {
	struct by by;
	struct by detail;	/* n > 0: frames' rows are by these keys, all of `by` among them, copies apart, and
				 * everything in flight is listed */
	const struct selection *selection;	/* borrowed; may select nothing (= everything) */
	uint64_t stuck_ns;	/* from what age on what is in flight is listed; 0: 1 s */
	size_t max_rows;	/* 0: the default (10,000); further keys fold into a row with via "other" */
	bool forgets;		/* intervals are all that is asked for, with everything in flight; nothing is
				 * kept for run_whole() */
	bool timeline;		/* the whole run's snapshots have one */
	/* Gets each request that is in a row, valid during the call; what it returns ends run_event(). NULL: nobody. */
	int (*request)(void *ctx, const struct request *q);
	void *request_ctx;
	int (*wait)(void *ctx, const struct task_wait *w); /* the same for waits */
	void *wait_ctx;
};

int run_new(struct run **out, const struct run_options *o);	/* 0 or -ENOMEM */
void run_free(struct run *r);

/* Takes one event. 0, -ENOMEM, or what decode_event refuses with (counted as lost, see run_refused). */
int run_event(struct run *r, const void *data, size_t size);
uint64_t run_refused(const struct run *r);	/* events that did not decode */

/* When a recording ended (CLOCK_MONOTONIC), 0 before its END event. */
uint64_t run_end(const struct run *r);

/* When the run began (CLOCK_REALTIME), 0 before its RUN event. */
uint64_t run_start_wall(const struct run *r);

/* Ends the current interval at `now` (CLOCK_MONOTONIC) and describes it. The interval's rows
 * are folded into the run's; the snapshot stays valid until the next call on `r`. */
int run_interval(struct run *r, uint64_t now_ns, struct snapshot *out);

/* Describes the whole run until `now`, the current interval too; asked (USR1) or summary. */
int run_whole(struct run *r, uint64_t now_ns, enum snapshot_type type, struct snapshot *out);

/* The option of the given selection (not of a recording's own) that nothing in the stream so far fits:
 * "pid", ...; NULL: there is none. */
const char *run_unmet(const struct run *r);

/* Processes that are selected and have not exited; what ends a run whose subject ends. Counts
 * what the kernel flagged IOLAT_TASK_SELECTED and what the selection's names and users match. */
size_t run_selected_alive(const struct run *r);

/* Calls `each` with the places of every cgroup that was not removed; NULL for what it is not in. */
void run_each_place(const struct run *r,
		    void (*each)(void *ctx, const struct container *c, const struct pod *p,
				 const struct job *j),
		    void *ctx);

/* Whether a selection by container, pod or job has nothing left that it takes: no cgroup that was not
 * removed, and (if `exists` is given) no file of the host that has the name of one that was. */
bool run_places_ended(const struct run *r, bool (*exists)(void *ctx, const char *file), void *ctx);

#endif
