/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process or thread does in a training job, told by its name, the shape of its
 * command line and its parent. Pure text rules, one table (role.c); what no rule knows
 * has no role.
 */
#ifndef IOLAT_ATTRIB_ROLE_H
#define IOLAT_ATTRIB_ROLE_H

#include <stdbool.h>

enum role {
	ROLE_NONE,
	/* processes */
	ROLE_DATALOADER_WORKER,
	ROLE_MP_FORK,	/* a forked child of a Python process */
	ROLE_MP_SPAWN,	/* multiprocessing's, by "spawn" */
	ROLE_MP_SERVED, /* multiprocessing's, by a fork server */
	ROLE_MP_FORKSERVER,
	ROLE_HELPER, /* resource tracker */
	ROLE_LAUNCHER,
	ROLE_PIPE_READER, /* a worker's shell command that feeds it */
	ROLE_RAY_IDLE,
	ROLE_RAY_TASK,
	ROLE_RAYLET, /* stores and spills objects */
	/* threads */
	ROLE_DATALOADER_THREAD,
	ROLE_PIN_MEMORY,
	ROLE_COMPUTE,
	ROLE_QUEUE_FEEDER,
	ROLE_POOL,
	ROLE_DECODE,
	ROLE_PIPELINE,
	ROLE_READER,
	ROLE_MAX
};

const char *role_name(enum role role); /* NULL for ROLE_NONE */

/* One of a set of alike processes that one loader made: it has an index among them. */
bool role_is_worker(enum role role);

/* Works for all of them: what it does is nobody's in particular. */
bool role_is_shared(enum role role);

/* What is known of a process. */
struct role_clues {
	const char *comm;	 /* of the thread-group leader; NULL: not known */
	const char *parent_comm; /* NULL: not known */
	enum role parent_role;
	bool parent_python;
	bool forked;	    /* and no exec since: the parent's program */
	unsigned int flags; /* enum iolat_fact_flags */
};

enum role role_of_process(const struct role_clues *c);
enum role role_of_thread(const char *comm);

/* Whether the name alone says that an interpreter of Python runs. */
bool role_comm_is_python(const char *comm);

#endif
