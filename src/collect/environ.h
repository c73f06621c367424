/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the environment and the command line of a process say about its part in a training
 * job. Pure: process_facts.c feeds them piece by piece. Of the environment only the keys of
 * one list are ever looked at, and only as numbers, for it may hold secrets.
 */
#ifndef IOLAT_COLLECT_ENVIRON_H
#define IOLAT_COLLECT_ENVIRON_H

#include <stdbool.h>
#include <stdint.h>

#include "iolat/wire.h"

/* The listed keys; the value of one that is missing or no number is -1. */
enum environ_key {
	ENV_RANK,
	ENV_WORLD_SIZE,
	ENV_LOCAL_RANK,
	ENV_NODE_RANK,
	ENV_GROUP_RANK,
	ENV_PMI_RANK,
	ENV_PMI_SIZE,
	ENV_OMPI_RANK,
	ENV_OMPI_SIZE,
	ENV_MV2_RANK,
	ENV_MV2_SIZE,
	ENV_HOROVOD_RANK,
	ENV_HOROVOD_SIZE,
	ENV_PADDLE_GLOBAL_RANK,
	ENV_PADDLE_TRAINER_ID,
	ENV_PADDLE_TRAINERS,
	ENV_SLURM_PROCID,
	ENV_SLURM_STEP_TASKS,
	ENV_SLURM_JOB_ID,
	ENV_MAX
};

struct environ_scan {
	int64_t values[ENV_MAX];
};

void environ_init(struct environ_scan *s);
void environ_take(struct environ_scan *s, const char *assignment); /* "KEY=value" */

/* Sets rank, world_size, slurm_job and IOLAT_FACT_LOCAL_RANK. */
void environ_tell(const struct environ_scan *s, struct iolat_process_facts *out);

struct command_scan {
	unsigned int n;	    /* arguments so far */
	bool shell;	    /* the first was a shell */
	bool code_next;	    /* the last was -c */
	bool module_next;   /* the last was -m */
	unsigned int flags; /* enum iolat_fact_flags */
};

/* Arguments from argv[0] on. False: nothing more is to be found in what follows. */
bool command_take(struct command_scan *s, const char *arg);

bool command_is_python(const char *program); /* a path of a program's file */

#endif
