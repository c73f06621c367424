/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of processes and threads, built from TASK events. A pid may stand for
 * several processes one after the other, so a process is looked up by pid and time;
 * the dead stay for a while because requests trail behind the events of their tasks.
 *
 * Processes and threads are counted references: the table holds one, each row that
 * names one holds another, so a row keeps what the table has forgotten.
 */
#ifndef IOLAT_ATTRIB_PROC_H
#define IOLAT_ATTRIB_PROC_H

#include "attrib/batch.h"
#include "attrib/entity.h"
#include "attrib/list.h"
#include "attrib/select.h"
#include "base/map.h"

enum proc_limits {
	PROC_LIVE = 1 << 18, /* reached only when exits got lost */
	PROC_DEAD = 8192,
	PROC_SAME_PID = 8, /* processes of one pid that are told apart */
	THREAD_LIVE = 1 << 18,
	THREAD_DEAD = 16384,
};

enum { SELECT_KINDS = 2 * SELECT_OWN_KINDS }; /* bits of a process's membership */

struct proc {
	struct process pub;
	struct proc *next; /* another process of the same pid */
	struct list order; /* place among the living or the dead */
	struct list threads;
	uint64_t serial;	      /* never used twice in a run */
	uint64_t born_ns;	      /* of its first event or request */
	uint64_t begun_ns;	      /* its start by CLOCK_MONOTONIC, 0: not known */
	uint64_t comm_ns, uid_ns;     /* the newest word on them */
	uint64_t seen_ns;	      /* of its latest event or request */
	uint64_t since[SELECT_KINDS]; /* when it became a member, 0: always was */
	unsigned int bits;	      /* SELECT_NAME, ... */
	unsigned int refs;
	bool dead;
	bool guessed; /* known by its I/O only */
	bool kthread;
	bool asked;    /* something of it was asked for a request */
	bool selected; /* in the kernel side's tree */
	bool forked;   /* and no exec since */
	bool fresh;    /* made by vfork: an exec is to come */
	unsigned int facts; /* enum iolat_fact_flags; a fork inherits them */
	struct brood brood; /* its place among its siblings, and its own children */
};

struct proc_thread {
	struct thread pub;
	struct list siblings;
	struct list order; /* place among the living or the dead */
	uint64_t key[2];   /* process's serial, tid */
	uint64_t serial;   /* never used twice in a run */
	uint64_t comm_ns;
	unsigned int refs;
	bool dead;
};

/* Members in the order in which they came, with a limit. */
struct shelf {
	struct list items;
	size_t n;
};

struct proc_table {
	struct map by_pid; /* the process of that pid that came last */
	struct shelf live, dead;
	struct map threads; /* by process and tid; filled only when wanted */
	struct shelf threads_live, threads_dead;
	bool want_threads;
	const struct selection *selection;
	uint64_t serial;     /* the last one given */
	unsigned int hits;   /* kinds of selections that ever took a process */
	uint64_t generation; /* grows whenever an earlier look-up may come out differently */
};

/* A process with the times of submission for which a look-up by its pid means it. */
struct proc_span {
	struct proc *proc;
	uint64_t from, until; /* both inclusive */
};

void proc_table_init(struct proc_table *t, const struct selection *s, bool want_threads);
void proc_table_free(struct proc_table *t);

int proc_event(struct proc_table *t, const struct iolat_task *e); /* 0 or -ENOMEM */

/* The process that had the pid at that time: the last one born by then, else the oldest
 * known. span.proc NULL: none known. */
struct proc_span proc_at(const struct proc_table *t, uint32_t pid, uint64_t at_ns);

/* The process of that pid that started then (CLOCK_BOOTTIME, maybe whole clock ticks), or NULL. */
struct proc *proc_by_start(const struct proc_table *t, uint32_t pid, uint64_t start_ns);

/* The parent that it was born to, as far as it is known; NULL: not known. */
struct proc *proc_parent(const struct proc_table *t, const struct proc *p);

/* Makes a process for a pid that proc_at() does not know; NULL when out of memory. */
struct proc *proc_guess(struct proc_table *t, uint32_t pid, uint64_t at_ns);

/* Whether the selection takes the process, by itself or by its ancestors. */
bool proc_wanted(struct proc_table *t, struct proc *p);

/* Living processes that the selection takes; kernel_too: and the kernel side's as well. */
size_t proc_selected_alive(struct proc_table *t, bool kernel_too);

void proc_ref(struct proc *p);
void proc_unref(struct proc *p);

/* thread.c: the threads of a process, kept by the same table. */
int proc_thread_event(struct proc_table *t, struct proc *p, const struct iolat_task *e);
struct proc_thread *proc_thread_get(struct proc_table *t, struct proc *p, uint32_t tid);
void proc_threads_die(struct proc_table *t, struct proc *p);
void proc_threads_drop(struct proc_table *t, struct proc *p);
void proc_thread_ref(struct proc_thread *th);
void proc_thread_unref(struct proc_thread *th);

#endif
