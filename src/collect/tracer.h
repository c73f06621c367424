/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF programs from loading to detaching, and the events they send. The one owner
 * of libbpf objects.
 */
#ifndef IOLAT_COLLECT_TRACER_H
#define IOLAT_COLLECT_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"
#include "collect/hooks.h"
#include "collect/sink.h"

struct tracer;

/* Loads for the running kernel: `knobs` has the selection, the rest of it is filled in here.
 * `buffer_size` in bytes, rounded up to a power of two; 0: the default. `btf` (borrowed until closing): a
 * file with the kernel's BTF, NULL: the kernel's own. Returns an exit status;
 * anything but EXIT_OK has been explained on standard error. */
int tracer_open(struct tracer **out, const struct iolat_knobs *knobs, uint64_t buffer_size,
		const char *btf);

/* Attaches hook by hook. Exit status as above: a required hook that does not attach is an error. */
int tracer_attach(struct tracer *t);

void tracer_detach(struct tracer *t);	/* what has come can still be read */
void tracer_close(struct tracer *t);	/* detaches, too; t may be NULL */

/* Hooks that this kernel calls for, attached or not; NULL behind the last. */
const struct tracer_hook *tracer_hook_at(const struct tracer *t, size_t i);
bool tracer_hook_attached(const struct tracer *t, const char *tracepoint);

/* Selects a process (see iolat_tasks); `start_ns` as in its TASK event. 0 or -errno. */
int tracer_select(struct tracer *t, uint32_t tgid, uint64_t start_ns);

/* Every task of the machine as TASK events. 0 or -errno. */
int tracer_tasks(const struct tracer *t, const struct sink *sink);

/* Notes who is asleep already, where waits are traced; once the selection is in place. 0 or -errno. */
int tracer_note_sleepers(const struct tracer *t);

/* Who of them sleeps at the moment `now`, as open WAIT events: `n` of *out, to be freed. 0 or -errno. */
int tracer_sleepers(const struct tracer *t, uint64_t now, struct iolat_wait **out, size_t *n);

/* As readers_find_earlier(); while attached. */
int tracer_find_earlier(const struct tracer *t, int folder);

/* What is in flight and who is asleep, as LOOK, INFLIGHT and open WAIT events; while attached. 0 or -errno. */
int tracer_look(struct tracer *t, const struct sink *sink);

/* Has the names of files told again as they are used, for who was not there the first time. */
void tracer_tell_files(const struct tracer *t);

/* Reads what has come. Facts always precede the requests that need them. Returns after a bounded
 * number of events: 1 when there is more, 0 when not, or -errno. */
int tracer_drain(struct tracer *t, const struct sink *sink);

/* Reads all that has come by now, and what was counted in the kernel instead of sent. 0 or -errno. */
int tracer_drain_all(struct tracer *t, const struct sink *sink);

/* How full (0 to 1) the fullest ring has been at a drain since the last call. */
double tracer_fullest_ring(struct tracer *t);

/* Totals since the start. */
void tracer_counters(const struct tracer *t, struct iolat_counters *c);
uint64_t tracer_unselected(const struct tracer *t, uint32_t disk);
void tracer_forget_disk(const struct tracer *t, uint32_t disk); /* its count is not needed any more */

/* Memory of the maps in bytes, as the kernel counts it. */
uint64_t tracer_map_bytes(const struct tracer *t);

/* Rings that requests come by. */
unsigned int tracer_rings(const struct tracer *t);

/* Which of the object's forms was loaded: "modern", "btf", "raw". */
const char *tracer_variant(const struct tracer *t);

#endif
