/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that disks have had since before tracing began, which no hook has seen: bpf/earlier.bpf.c finds them, here is
 * chosen on which disks. Of a device without requests of its own (dm, md) those of the disks below are found.
 */
#ifndef IOLAT_COLLECT_EARLIER_H
#define IOLAT_COLLECT_EARLIER_H

#include <stdbool.h>

struct tracer;

/* Once, while attached. Of the disks that have any in flight; with `of_sleepers` only of those below a file that a sleeper
 * waits for who is noted already: whose a request is nobody can tell, but that is where his would be. 0 or -errno. */
int earlier_find(const struct tracer *t, bool of_sleepers);

#endif
