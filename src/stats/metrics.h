/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that outlive the rows they are made from: for a scraper, which wants totals that never go back,
 * under labels of which there are not too many. Intervals' snapshots go in; render/prometheus.c and
 * the metrics server read what comes of them.
 */
#ifndef IOLAT_STATS_METRICS_H
#define IOLAT_STATS_METRICS_H

#include "stats/findings.h"
#include "stats/metric_set.h"
#include "stats/snapshot.h"

/* What a GPU did; the times in all takes in which it was watched together with who uses it. */
struct metric_gpu {
	uint32_t number;
	bool busy_known;		/* at the last take with a sample */
	uint64_t busy_pct;
	uint64_t memory_used, memory_total;	/* 0: not known */
	uint64_t compared_ns, idle_ns, starved_ns;
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
	struct metric_gpu *gpus;
	size_t n_gpus;
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
