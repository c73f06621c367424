/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters found by their labels' text, of which there are not too many: the least active make room and are counted
 * as `other` from then on.
 */
#ifndef IOLAT_STATS_METRIC_SET_H
#define IOLAT_STATS_METRIC_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "stats/hist.h"
#include "stats/reason.h"

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

#define METRIC_LABELS_TEXT 4096

/* Labels in the making: zero but for those that are set. What is too long is cut. */
struct metric_labels {
	char text[METRIC_LABELS_TEXT];
	size_t len;
	const char *value[LABEL_MAX];
	char numbers[LABEL_MAX][24];
};

void metric_labels_number(struct metric_labels *l, enum metric_label label, uint64_t n);

void metric_set_init(struct metric_set *set, size_t max);
void metric_set_free(struct metric_set *set);

/* The one of these labels, made when it is new, beyond `max`, too; NULL: out of memory. */
struct metric *metric_set_get(struct metric_set *set, struct metric_labels *l);

/* The one for the rest, which has these labels when it is made. 0 or -ENOMEM. */
int metric_set_other(struct metric_set *set, struct metric_labels *l);

/* Starts a take: what was active is so a little less, and nothing is in flight. */
void metric_set_begin(struct metric_set *set);
void metric_touch(struct metric *x, double activity, uint64_t now_ns);

/* Makes the least active beyond `max` go, if there are any; then there must be an `other`, which takes their places in
 * `to`. Returns how many went. */
size_t metric_set_make_room(struct metric_set *set, struct metric **to, size_t n_to);

/* Takes out, and frees, what `ends` says. */
void metric_set_sweep(struct metric_set *set, bool (*ends)(const struct metric *x, const void *ctx),
		      const void *ctx);

#endif
