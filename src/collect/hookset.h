/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks of a run: those of the table that it calls for, what became of each, and their links. */
#ifndef IOLAT_COLLECT_HOOKSET_H
#define IOLAT_COLLECT_HOOKSET_H

#include "collect/hooks.h"

struct bpf_link;
struct bpf_object;

struct hookset {
	struct tracer_hook hooks[HOOKS_MAX];
	struct bpf_link *links[HOOKS_MAX];
	size_t n;
};

/* Takes those that this kernel calls for, with the ones for waits or without; `s` is zeroed. */
void hookset_choose(struct hookset *s, const struct features *f, bool waits);

/* The hook of a program of bpf/, or on a tracepoint; NULL: none. */
struct tracer_hook *hookset_of_program(struct hookset *s, const char *program);
const struct tracer_hook *hookset_on(const struct hookset *s, const char *tracepoint);

/* Whether it sits on a tracepoint; else it is a walk that is read like a file. */
bool hook_is_tracepoint(const struct hook_def *def);

/* The link of the walk, NULL where it is not attached. */
const struct bpf_link *hookset_walk(const struct hookset *s);

/* Attaches those that are loaded. NULL, or the first required one that did not attach, where it stopped. */
const struct tracer_hook *hookset_attach(struct hookset *s, struct bpf_object *obj);
void hookset_detach(struct hookset *s);

#endif
