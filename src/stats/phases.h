/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run cut into phases by the marks of the training's log. A mark arrives later than what happened around it, so
 * I/O and waits are held back for a while before they are counted to a phase, by the time at which they ended.
 */
#ifndef IOLAT_STATS_PHASES_H
#define IOLAT_STATS_PHASES_H

#include "stats/reread.h"
#include "stats/tasks.h"

enum phases_limits {
	PHASES_MAX = 1024,	/* beyond, two neighbours each become one */
	PHASES_HELD = 65536,	/* I/Os and waits that are held back */
	PHASE_TASKS = 1024,	/* tasks of a phase whose waits are told apart */
	PHASE_WORKERS = 256,	/* of a phase, in a view */
};

/* A phase; without a name: the time between two, whose name may still come. */
struct phase_slot {
	char name[IOLAT_MARK_LEN];
	enum iolat_mark_kind kind;
	uint64_t number, last;	/* of one that stands for several: both ends */
	uint64_t start_ns, end_ns;	/* end_ns UINT64_MAX: goes on */
	uint64_t ios, bytes, read_bytes;
	uint64_t followed, again;	/* see reread.h */
	uint64_t sync_ns, dirty_ns;	/* of all tasks together */
	struct hist latency;
	struct map waits;		/* struct phase_wait by process and tid */
	struct phase pub;		/* of the last view, */
	struct phase_worker *workers;	/* and what it names */
};

struct held;

struct phases {
	struct model *model;
	bool on;		/* a log is followed */
	uint64_t start_ns;	/* of the run */
	uint64_t mono_ns, wall_ns;	/* the same moment on both clocks */
	struct phase_slot *slots;
	size_t n;
	struct held *held;	/* a ring */
	size_t first, n_held;
	int failed;		/* -ENOMEM: not everything was counted */
	struct phase *list;	/* of the last view */
	size_t n_list;
	struct phase_worker *workers;
};

void phases_init(struct phases *p, struct model *m);
void phases_free(struct phases *p);

/* 0 or -ENOMEM each. */
int phases_mark(struct phases *p, const struct iolat_mark *e);
/* One that counts in a row. `again`: what of it is known to have been read before. */
int phases_request(struct phases *p, const struct iolat_request *e, const struct reread_answer *again);
int phases_aggregate(struct phases *p, const struct iolat_aggregate *e);

/* What a task spent. */
void phases_spent(struct phases *p, const struct task_slot *s, const struct spent *what);

/* Lists the phases between `from_ns` and `now_ns`. `all`: counts what is held back, too. 0 or -ENOMEM. */
int phases_view(struct phases *p, struct tasks *t, uint64_t from_ns, uint64_t now_ns, bool all);

#endif
