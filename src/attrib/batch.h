/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which worker of its loader a process is: its place by time of start in the batch of
 * siblings that one loop of the parent made. Neither the command line nor the environment
 * tells it, but loaders number their workers as they start them.
 *
 * A batch ends when the parent starts a thread (PyTorch and Paddle start the threads that
 * feed the workers once all of these are there), when all of it has exited, or after a
 * pause. So train and validation loaders may coexist, and each epoch counts from 0.
 */
#ifndef IOLAT_ATTRIB_BATCH_H
#define IOLAT_ATTRIB_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "attrib/list.h"
#include "iolat/wire.h"

struct proc;
struct proc_table;

enum batch_kind { BATCH_FORK, BATCH_SPAWN, BATCH_SERVED, BATCH_KINDS };

/* The youngest batch of a kind. */
struct batch {
	uint32_t number;     /* which one: 1, 2, ... */
	uint32_t n;	     /* members so far; the next one's index */
	uint32_t alive;	     /* of them */
	uint64_t last_ns;    /* start of the last member */
	uint64_t emptied_ns; /* when the last one alive exited */
	bool closed;	     /* the next member starts another one */
};

/* A process's part in this, as a parent and as a child. Times are of CLOCK_MONOTONIC. */
struct brood {
	struct list young; /* children in order of birth that are not placed yet */
	struct batch batches[BATCH_KINDS];
	uint32_t server; /* pid of the fork server that makes its workers, 0: none */

	struct list place; /* among the parent's young */
	bool adopted;	   /* its birth was taken note of */
	bool closes;	   /* the parent started a thread between this child and the next */
	bool counted;	   /* is a member of: */
	enum batch_kind kind;
	uint32_t number;
	uint64_t loader; /* serial of the process whose worker it is */
};

void brood_init(struct proc *p);
void brood_leave(struct proc *p); /* before it is forgotten */

/* A process and its children, by an event that was just learnt. */
void brood_event(struct proc_table *t, struct proc *p, const struct iolat_task *e);

/* Gives every sibling up to this one its place; sets the index of those that are workers. */
void brood_place(struct proc_table *t, struct proc *p);

/* It is no worker after all: its place is free again. */
void brood_displace(struct proc_table *t, struct proc *p);

#endif
