/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host being traced, from the command line to an analysis that is fed: what the live view, the recorder
 * and the metrics server have in common. Whoever owns the loop calls these when they are due.
 */
#ifndef IOLAT_CLI_SESSION_H
#define IOLAT_CLI_SESSION_H

#include "cli/logfile.h"
#include "cli/options.h"
#include "cli/target.h"
#include "collect/cgroupfs.h"
#include "collect/facts.h"
#include "collect/gpu.h"
#include "collect/tracer.h"
#include "stats/run.h"

struct session {
	const struct options *o;
	uint32_t child;			/* COMMAND's pid, 0: there is none */
	struct cgroupfs cgroups;
	struct target target;
	struct tracer *tracer;
	struct facts *facts;
	struct run *run;
	struct by detail;		/* as in struct run_options; to be set before session_begin() */
	struct logfile *log;		/* of --log, or NULL */
	uint64_t begun_wall;		/* CLOCK_REALTIME */
	struct sink also;		/* gets every event that the analysis gets; .event NULL: nobody does */
	bool uncounted;			/* nobody asks what was done: the analysis is told who and what there is, no more */
	struct gpus *gpus;		/* NULL: there are none */
	uint64_t next_gpu;
	uint64_t last_drain, next_drain;	/* CLOCK_MONOTONIC */
};

/* In this order. Each returns an exit status; what is wrong has been said. */
int session_open(struct session *s, const struct options *o);
int session_attach(struct session *s, uint32_t child);
int session_begin(struct session *s, const struct by *by);
int session_ready(const struct session *s);	/* obeys --ready-fd */

/* Reads the rings when that is due (`next_drain`), and says when the next time is. 0 or -errno. */
int session_drain(struct session *s, uint64_t now);
/* Everything that has come by now, what was counted in the kernel too. 0 or -errno. */
int session_take(struct session *s);
/* The same, with the counters and what is in flight; before a frame. */
int session_update(struct session *s);

/* A run that watches given processes, cgroups or disks ends with the last of them, one of containers
 * when none can come back under the name. Names and users may come again. */
bool session_subject_gone(struct session *s);

/* Stops tracing; what has come is still to be taken. 0 or -errno. */
int session_stop(struct session *s);
void session_close(struct session *s);

#endif
