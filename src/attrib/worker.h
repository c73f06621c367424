/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workers of loaders, kept over the epochs: a process that takes the place that another one
 * had (the same loader, index and rank) is the same worker. Which place a process has is
 * batch.c's.
 */
#ifndef IOLAT_ATTRIB_WORKER_H
#define IOLAT_ATTRIB_WORKER_H

#include "attrib/lru.h"
#include "attrib/proc.h"

enum worker_limits { WORKERS = 65536 };

struct worker_key {
	uint64_t loader; /* serial of the process whose worker it is */
	uint32_t index;
	uint32_t rank; /* ~0: none */
};

/* Counted references: the table's own and the rows'. */
struct known_worker {
	struct lru_node node;
	struct worker pub;
	struct worker_key key;
	uint64_t serial;    /* never used twice in a run */
	uint64_t latest_ns; /* start of the latest process */
	unsigned int refs;
};

struct workers {
	struct lru table;
	uint64_t serial; /* the last one given */
};

void workers_init(struct workers *w);
void workers_free(struct workers *w);

/* The worker that a process is, or that it works for as a descendant (a shell command in a
 * pipe); *out NULL: none. Settles what is known of the process. 0 or -ENOMEM. */
int worker_of(struct workers *w, struct proc_table *t, struct proc *p, struct known_worker **out);

void worker_ref(struct known_worker *w);
void worker_unref(struct known_worker *w);

#endif
