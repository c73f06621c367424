// SPDX-License-Identifier: GPL-2.0
/*
 * The table of names that training frameworks give to processes and threads, and the rules
 * for processes that no name tells apart. Names are the kernel's: cut after 15 bytes.
 */
#include "attrib/role.h"

#include <string.h>

#include "iolat/wire.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum match { EXACT, PREFIX };
enum whose { PROCESS = 1 << 0, THREAD = 1 << 1 };

/* The first that fits. A new framework is a row here. */
/* clang-format off */
static const struct name_rule {
	const char *comm;
	enum match match;
	unsigned int whose;
	enum role role;
} name_rules[] = {
	/* PyTorch: names since 2.4 or 2.5 (pytorch PR 128448); before that workers are called as their trainer */
	{ "pt_data_worker",  EXACT,  PROCESS, ROLE_DATALOADER_WORKER },
	{ "pt_multiprocess", EXACT,  PROCESS, ROLE_DATALOADER_WORKER },	/* pt_multiprocess_data_worker, PR 161044 */
	{ "pt_elastic",      EXACT,  PROCESS, ROLE_LAUNCHER },
	{ "pt_thread_data_", PREFIX, THREAD,  ROLE_DATALOADER_THREAD },
	{ "pt_data_pin",     EXACT,  THREAD,  ROLE_PIN_MEMORY },
	{ "pt_thread_pool",  EXACT,  THREAD,  ROLE_COMPUTE },
	{ "pt_autograd_",    PREFIX, THREAD,  ROLE_COMPUTE },
	/* Python: the names of `threading` reach the kernel since 3.14 (cpython gh-59705) */
	{ "QueueFeederThre", EXACT,  THREAD,  ROLE_QUEUE_FEEDER },
	{ "ThreadPoolExecu", EXACT,  THREAD,  ROLE_POOL },
	/* JAX grain, also since Python 3.14 */
	{ "grain-prefetch",  PREFIX, THREAD,  ROLE_DATALOADER_THREAD },
	{ "grain-thread-pr", EXACT,  THREAD,  ROLE_DATALOADER_THREAD },
	/* TensorFlow: a name of 16 bytes or more fails to be set, so tf_data_prefetch is never seen */
	{ "tf_data_",        PREFIX, THREAD,  ROLE_DATALOADER_THREAD },
	{ "prefetch_thread", EXACT,  THREAD,  ROLE_DATALOADER_THREAD },
	{ "tf_Compute",      EXACT,  THREAD,  ROLE_COMPUTE },
	/* DALI: no processes (PR 3912) */
	{ "[DALI][TP",       PREFIX, THREAD,  ROLE_DECODE },
	{ "[DALI][WT",       PREFIX, THREAD,  ROLE_PIPELINE },
	/* Paddle */
	{ "Dataloader_",     PREFIX, THREAD,  ROLE_READER },
	/* Ray: titles set by setproctitle */
	{ "ray::IDLE",       EXACT,  PROCESS, ROLE_RAY_IDLE },
	{ "ray::",           PREFIX, PROCESS, ROLE_RAY_TASK },
	{ "raylet",          EXACT,  PROCESS, ROLE_RAYLET },
};
/* clang-format on */

const char *role_name(enum role role)
{
	static const char *const names[ROLE_MAX] = {
		[ROLE_DATALOADER_WORKER] = "dataloader-worker",
		[ROLE_MP_FORK] = "mp-child(fork)",
		[ROLE_MP_SPAWN] = "mp-child(spawn)",
		[ROLE_MP_SERVED] = "mp-child(forkserver)",
		[ROLE_MP_FORKSERVER] = "mp-forkserver",
		[ROLE_HELPER] = "helper",
		[ROLE_LAUNCHER] = "launcher",
		[ROLE_PIPE_READER] = "pipe-reader",
		[ROLE_RAY_IDLE] = "idle-worker",
		[ROLE_RAY_TASK] = "task-or-actor",
		[ROLE_RAYLET] = "raylet",
		[ROLE_DATALOADER_THREAD] = "dataloader-thread",
		[ROLE_PIN_MEMORY] = "pin-memory",
		[ROLE_COMPUTE] = "compute",
		[ROLE_QUEUE_FEEDER] = "queue-feeder",
		[ROLE_POOL] = "thread-pool",
		[ROLE_DECODE] = "decode-pool",
		[ROLE_PIPELINE] = "pipeline-worker",
		[ROLE_READER] = "reader-thread",
	};

	return names[role];
}

bool role_is_worker(enum role role)
{
	return role == ROLE_DATALOADER_WORKER || role == ROLE_MP_FORK || role == ROLE_MP_SPAWN ||
	       role == ROLE_MP_SERVED;
}

bool role_is_shared(enum role role)
{
	return role == ROLE_HELPER || role == ROLE_MP_FORKSERVER;
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool role_comm_is_python(const char *comm)
{
	return starts_with(comm, "python");
}

static enum role role_of_name(const char *comm, enum whose whose)
{
	for (size_t i = 0; i < ARRAY_SIZE(name_rules); i++) {
		const struct name_rule *r = &name_rules[i];
		bool fits = r->match == EXACT ? !strcmp(comm, r->comm) : starts_with(comm, r->comm);

		if (fits && r->whose & whose)
			return r->role;
	}
	return ROLE_NONE;
}

enum role role_of_thread(const char *comm)
{
	return role_of_name(comm, THREAD);
}

/* A name that came with the fork is the parent's and says nothing of the child (as when
 * PyTorch called every process and thread pt_main_thread, Mar to Aug 2024). */
static bool has_own_name(const struct role_clues *c)
{
	return c->comm && !(c->forked && c->parent_comm && !strcmp(c->comm, c->parent_comm));
}

/* Command lines are inherited at fork like names. */
static enum role role_of_forked(const struct role_clues *c)
{
	if (c->parent_role == ROLE_MP_FORKSERVER)
		return ROLE_MP_SERVED;
	return c->parent_python ? ROLE_MP_FORK : ROLE_NONE;
}

static enum role role_of_command(const struct role_clues *c)
{
	if (c->flags & IOLAT_FACT_TRACKER)
		return ROLE_HELPER;
	if (c->flags & IOLAT_FACT_FORKSERVER)
		return ROLE_MP_FORKSERVER;
	if (c->flags & IOLAT_FACT_SPAWNED)
		return ROLE_MP_SPAWN;
	if (c->flags & IOLAT_FACT_SHELL_COMMAND && c->parent_role == ROLE_DATALOADER_WORKER)
		return ROLE_PIPE_READER;
	return ROLE_NONE;
}

enum role role_of_process(const struct role_clues *c)
{
	enum role named = has_own_name(c) ? role_of_name(c->comm, PROCESS) : ROLE_NONE;

	if (named)
		return named;
	return c->forked ? role_of_forked(c) : role_of_command(c);
}
