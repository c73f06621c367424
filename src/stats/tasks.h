/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traced tasks and their time: how long each lived and waited in a frame and in the whole run, and for what.
 * TASK and WAIT events make them, finished and waiting requests decide what a wait was for
 * (reason.h). Waits that go on count up to the last look at them.
 */
#ifndef IOLAT_STATS_TASKS_H
#define IOLAT_STATS_TASKS_H

#include "attrib/model.h"
#include "stats/limited.h"
#include "stats/reason.h"
#include "stats/waited.h"

enum tasks_limits {
	TASKS_KEPT = 16384,  /* beyond, the dead that waited least go */
	TASKS_PENDING = 8,   /* undecided waits of a process */
	TASKS_TRAIL_NS = 1000000000, /* waits may come so long after the task's end */
};

struct task_sums {
	uint64_t reasons[REASON_MAX];
	uint64_t sync_ns, syncs;	/* in fsync and its like, whatever the reason */
	uint64_t dirty_ns, dirties;	/* writes that waited without a request of their own */
};

struct family;

/* A task; what is for renderers is filled in by tasks_view(). */
struct task_slot {
	struct task pub;
	struct list order;
	struct list siblings;		/* of its family */
	struct proc *proc;		/* referenced */
	struct proc_thread *thread;	/* referenced */
	struct known_worker *worker;	/* referenced; what it was when last shown, NULL: none */
	struct family *family;		/* referenced */
	uint32_t tid;
	uint64_t born_ns, died_ns;	/* died_ns 0: lives */
	uint64_t accounted_ns;		/* its sleeps have been counted up to here */
	uint64_t request_ns;		/* when the last of its requests ended */
	uint32_t disk;			/* that the last of them was on; 0: not known */
	uint64_t flying_ns;		/* the last look that found one in flight */
	uint64_t waited_ns;		/* since when it waits, as of the last look; 0: it does not */
	uint8_t waited_call;		/* and its call and reason then */
	int waited_reason;
	uint64_t cgroup;		/* at its last sleep, or event */
	uint32_t faults;		/* major ones, before its last sleep */
	uint64_t disk_ns;		/* of its last sleep, as long as that may turn out a fault's */
	struct file_key place;		/* of that sleep */
	struct task_sums now, before;	/* of the interval, of all ended ones */
};

/* What a task's time went into: waits for I/O whatever the reason, and by their call. */
enum spent_on { SPENT_BLOCKED, SPENT_SYNC, SPENT_DIRTY };
struct spent {
	enum spent_on on;
	enum wait_reason reason;	/* of SPENT_BLOCKED, as it looks at first: a fault may be taken for the disk */
	uint64_t from_ns, to_ns;
};

struct tasks {
	struct model *model;
	/* Told of all that is counted, piece by piece; may be NULL. */
	void (*spent)(void *ctx, const struct task_slot *s, const struct spent *what);
	void *spent_ctx;
	struct limited limited;
	struct waited waited;
	struct map by_tid;		/* the living */
	struct map families;		/* by tgid; the living */
	struct list order;
	size_t n;
	bool on;			/* waits are traced */
	bool unseen;			/* requests have no events of their own */
	bool forgets;			/* who ended before the interval is not asked for again */
	uint64_t start_ns, interval_ns;	/* of the run, of the interval */
	uint64_t look_ns;		/* the last look */
	uint64_t counted_ns;		/* waits are counted up to here */
	struct task *list;		/* of the last view */
	const struct task_slot **slots;	/* in the same order */
	size_t n_list, room;
};

void tasks_init(struct tasks *t, struct model *m);
void tasks_free(struct tasks *t);

/* 0 or -ENOMEM each. */
int tasks_task(struct tasks *t, const struct iolat_task *e);
int tasks_wait(struct tasks *t, const struct iolat_wait *e);

/* An I/O that ended, selected or not. */
struct ended_io {
	uint64_t start_ns, end_ns;
	uint64_t cgroup;
	uint32_t tgid, tid;	/* tgid 0: not a user task's */
	uint32_t via;
	uint32_t disk;		/* 0: not known, or it is a copy on a disk below */
};
void tasks_io(struct tasks *t, const struct ended_io *io);
void tasks_look(struct tasks *t, uint64_t ts_ns);
void tasks_inflight(struct tasks *t, const struct iolat_inflight *e);

/* Lists those that lived in the interval (or ever, `whole`), the longest blocked first, into list and slots.
 * `now_ns` ends the frame. 0 or -ENOMEM. */
int tasks_view(struct tasks *t, bool whole, uint64_t now_ns);
bool tasks_wanted(struct tasks *t, const struct task_slot *s); /* the analysis selects it */
struct task_sums tasks_sums(const struct task_slot *s, bool whole);
void tasks_trim(struct tasks *t); /* to what is kept; empties the list of the last view */
void tasks_turn(struct tasks *t, uint64_t now_ns); /* a new interval starts */

#endif
