/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that outlive the rows they are made from: for a scraper, which wants totals that never go back,
 * under labels of which there are not too many. Intervals' snapshots go in; render/prometheus.c and
 * the metrics server read what comes of them.
 */
#ifndef IOLAT_STATS_METRICS_H
#define IOLAT_STATS_METRICS_H

#include "base/map.h"
#include "stats/findings.h"
#include "stats/snapshot.h"

/* The order of the labels in the output. `job` would be taken for the scraper's own. */
#define METRIC_LABELS(X)                                                                           \
	X(NAMESPACE, "namespace")                                                                  \
	X(POD, "pod")                                                                              \
	X(CONTAINER, "container")                                                                  \
	X(JOB, "job_id")                                                                           \
	X(CGROUP, "cgroup")                                                                        \
	X(PID, "pid")                                                                              \
	X(TID, "tid")                                                                              \
	X(COMM, "comm")                                                                            \
	X(RANK, "rank")                                                                            \
	X(WORKER, "worker")                                                                        \
	X(DEVICE, "device")                                                                        \
	X(OP, "op")

enum metric_label {
#define X(NAME, name) LABEL_##NAME,
	METRIC_LABELS(X)
#undef X
	LABEL_MAX
};
const char *metric_label_name(enum metric_label label);

/* What is counted under one set of labels. */
struct metric {
	const char *label[LABEL_MAX];	/* "": not in one, or not counted by it; raw bytes */
	/* I/O */
	uint64_t ios, bytes, errors;
	struct hist latency, queue;	/* nanoseconds */
	uint64_t in_flight, oldest_ns;	/* at the last take */
	/* tasks */
	uint64_t reasons[REASON_MAX];
	/* the set's own */
	struct metric *next;		/* of the same hash */
	uint64_t hash;
	size_t len;			/* of the labels' text */
	uint64_t active_ns;		/* the last take that brought something */
	double activity;		/* of late; decides who makes room */
	bool alive;
	char text[];			/* the labels, a NUL behind each */
};

struct metric_set {
	struct map by_hash;
	struct metric **list;
	size_t n, room, max;		/* `max`: without `other` */
	struct metric *other;		/* what found no room of its own; NULL: nothing yet */
};

struct metrics {
	struct metric_set io, tasks;
	bool waits;			/* tasks' waits are traced */
	bool flying_known;		/* what is in flight is known */
	uint64_t requests, lost, aggregated, unmatched, unowned;
	uint64_t ended;			/* sets that made room for more active ones */
	size_t max_series;
	const struct hook *hooks;	/* the run's */
	size_t n_hooks;
	uint64_t *found_ns;		/* by finding_code_at(): when it last held, 0: never */
	size_t n_codes;
	struct finding findings[FINDINGS_MAX];	/* of the last take */
	size_t n_findings;
};

/* Time series that a set of labels makes in the output, at most. */
#define METRIC_BOUNDS	    19	/* of a latency, with render/prometheus.c */
#define METRIC_QUEUE_BOUNDS 10
#define METRIC_IO_SERIES    (METRIC_BOUNDS + METRIC_QUEUE_BOUNDS + 2 * 3 + 4)

int metrics_init(struct metrics *m, size_t max_series);	/* 0 or -ENOMEM */
void metrics_free(struct metrics *m);

/* Adds up an interval (or a whole run, once). 0 or -ENOMEM. */
int metrics_take(struct metrics *m, const struct snapshot *s, uint64_t now_ns);

/* Ends the series of what is gone and has not been active for `idle_ns`. Before it, metrics_living() for each
 * living cgroup's places (NULL: in none). What is in no container, pod or job lives for ever;
 * `device_there` says which disks do. */
void metrics_living(struct metrics *m, const struct container *c, const struct pod *p,
		    const struct job *j);
void metrics_expire(struct metrics *m, uint64_t now_ns, uint64_t idle_ns,
		    bool (*device_there)(const char *name));

#endif
