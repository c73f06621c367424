/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks as a table: which program sits on which tracepoint, whether a run can do
 * without it, and what is then lost.
 */
#ifndef IOLAT_COLLECT_HOOKS_H
#define IOLAT_COLLECT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

struct features;

struct hook_def {
	const char *tracepoint;		/* shown as the hook's name */
	const char *program;		/* in bpf/ */
	bool required;
	const char *lost;		/* what is not seen without it */
};

/* One of them in a run. */
struct tracer_hook {
	const struct hook_def *def;
	bool attached;
	int err;		/* why not: negative errno */
};

/* The i-th hook, NULL behind the last. */
const struct hook_def *hook_at(size_t i);

/* Whether this kernel needs the hook at all: of two that do the same, the newer is used. */
bool hook_wanted(const struct hook_def *h, const struct features *f);

/* Whether it is there for the waits of tasks alone. */
bool hook_of_waits(const struct hook_def *h);

/* Whether requests, or bios of devices without any, end there. */
bool hook_ends_requests(const struct hook_def *h);

#define HOOKS_MAX 40

#endif
