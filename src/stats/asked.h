/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What traced processes asked for by system calls: beside what their disks read, it says how much came from
 * memory.
 */
#ifndef IOLAT_STATS_ASKED_H
#define IOLAT_STATS_ASKED_H

#include "attrib/model.h"

enum asked_limits {
	ASKED_PROCESSES = 4096, /* the longest unused goes */
};

struct asked_sums {
	uint64_t read_bytes, reads;
};

struct asked_entry {
	struct lru_node node;
	uint64_t process;	/* serial */
	struct proc *proc;	/* referenced */
	bool told;		/* false: so far only children of it have ended */
	struct asked_sums children; /* what those that have ended had read, with their own children's */
	struct asked_sums last;	/* as it was told, without them */
	struct asked_sums now, before;
};

struct asked {
	struct model *model;
	struct lru lru;
};

void asked_init(struct asked *a, struct model *m);
void asked_free(struct asked *a);

int asked_called(struct asked *a, const struct iolat_called *e); /* 0 or -ENOMEM */
void asked_turn(struct asked *a);				 /* a new interval starts */

/* Of a process, or (NULL) of all that the analysis selects. False: nothing is known. */
bool asked_by(const struct asked *a, const struct proc *p, bool whole, struct asked_sums *out);

#endif
