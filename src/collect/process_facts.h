/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads from /proc what only this host can tell of a process (struct iolat_process_facts):
 * once when it does its first I/O, its parents' before its own, and as soon as it runs Python, for
 * that may be the helper beside a worker.
 */
#ifndef IOLAT_COLLECT_PROCESS_FACTS_H
#define IOLAT_COLLECT_PROCESS_FACTS_H

#include "base/map.h"
#include "collect/tracer.h"

#define PROCESS_FACTS_LATELY 256 /* a power of two */

struct process_facts {
	const char *root;		       /* "", or where the host's files are */
	struct sink sink;
	struct map read;		       /* pids */
	uint32_t lately[PROCESS_FACTS_LATELY]; /* some of them, found at once */
	unsigned int left;		       /* processes that may still be read in this turn */
};

/* `root` has to stay as long as `f`, the sink is copied. */
void process_facts_init(struct process_facts *f, const char *root, const struct sink *sink);
void process_facts_free(struct process_facts *f);

/* A turn begins: so many processes may be read in it, the others at their next I/O. Before the first turn there is no
 * limit. */
#define PROCESS_FACTS_A_TURN 256
void process_facts_turn(struct process_facts *f);

/* After a task event went by: sends what it gives rise to. 0 or -errno. */
int process_facts_task(struct process_facts *f, const struct iolat_task *e);

int process_facts_read(struct process_facts *f, uint32_t tgid, int parents);

/* Before a request by that process goes by. 0 or -errno. */
static inline int process_facts_io(struct process_facts *f, uint32_t tgid)
{
	enum { PARENTS = 2 }; /* a fork server stands between a worker and its trainer */

	if (!tgid || f->lately[tgid % PROCESS_FACTS_LATELY] == tgid)
		return 0;
	return process_facts_read(f, tgid, PARENTS);
}

#endif
