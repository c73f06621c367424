/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sleep of a task was a wait for, from what the kernel side saw of the task and what is
 * known of requests. Pure; used by tasks.c.
 */
#ifndef IOLAT_STATS_REASON_H
#define IOLAT_STATS_REASON_H

#include <stdbool.h>

#include "iolat/wire.h"
#include "stats/snapshot.h"

struct wait_facts {
	uint8_t call;		/* enum iolat_call */
	uint8_t flags;		/* enum iolat_wait_flags */
	uint32_t fs_magic;	/* of the file it asked for; 0: not known */
	bool fs_on_disk;	/* that file system is on a device of its own */
	bool own;		/* a request of the task itself was in flight */
	bool process;		/* one of its process was */
	bool limited;		/* its cgroup has a limit for what it does */
};

/* Verdicts beside the reasons. */
enum { REASON_NONE = REASON_MAX, REASON_UNDECIDED };

/* A reason, REASON_NONE (no I/O at all), or REASON_UNDECIDED: the requests that would tell may still be in
 * flight. */
int reason_of(const struct wait_facts *w);

#endif
