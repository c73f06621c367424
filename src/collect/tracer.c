// SPDX-License-Identifier: GPL-2.0
/*
 * A run's kernel side: loaded by load.c, attached by hookset.c, read through rings.c and aggregates.c. What
 * is selected, asked for and counted while it runs is here.
 */
#include "collect/tracer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "collect/aggregates.h"
#include "collect/counters.h"
#include "collect/features.h"
#include "collect/hookset.h"
#include "collect/load.h"
#include "collect/object.h"
#include "collect/reader.h"
#include "collect/refusal.h"
#include "collect/rings.h"
#include "collect/tasks.h"

#define DRAIN_BATCH 4096u /* events a drain at most: in between it is looked whether a frame is due, or the end */

struct tracer {
	struct features features;
	struct bpf_object *obj;
	const char *variant;
	struct hookset hooks;
	bool waits, waits_of_all;	/* whoever it is */
	struct readers readers;
	struct rings rings;
	struct aggregates aggregates;
	struct object_written written;
	struct iolat_losses before;	/* what they were when all hooks were attached */
};

/* What the machine is short of is no lack of the kernel's. */
static int status_of(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return EXIT_PERM;
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return EXIT_FAILED;
	}
	return EXIT_KERNEL;
}

/* --- from opening to closing ------------------------------------------------------ */

static int explain_btf(const struct features *f, int err)
{
	if (f->foreign) {
		log_error("--btf %s: %s", f->path,
			  access(f->path, R_OK) ? strerror(errno) : "holds no BTF");
		return EXIT_FAILED;
	}
	if (status_of(err) == EXIT_FAILED) {
		log_error("cannot read the kernel's BTF at %s: %s", f->path, strerror(-err));
		return EXIT_FAILED;
	}
	if (err == -EACCES || err == -EPERM) {
		log_error("cannot read the kernel's BTF at %s: %s; make it readable (0444 is the "
			  "kernel's own mode)", f->path, strerror(-err));
		return EXIT_PERM;
	}
	log_error("no usable BTF at %s: %s; iolat needs a kernel built with CONFIG_DEBUG_INFO_BTF, or "
		  "--btf FILE with this kernel's BTF", f->path, strerror(-err));
	return EXIT_KERNEL;
}

/* What is needed before any program can be fitted to the kernel. */
static int check_kernel(struct tracer *t, const char *btf)
{
	int err = features_read(&t->features, btf);

	if (err)
		return explain_btf(&t->features, err);
	hookset_choose(&t->hooks, &t->features, t->waits);
	for (size_t i = 0; i < t->hooks.n; i++) {
		const struct hook_def *def = t->hooks.hooks[i].def;

		if (def->required && !features_tracepoint(&t->features, def->tracepoint)) {
			log_error("this kernel has no tracepoint %s, without which iolat cannot see %s",
				  def->tracepoint, def->lost);
			return EXIT_KERNEL;
		}
	}
	return EXIT_OK;
}

static int load(struct tracer *t, const struct iolat_knobs *knobs)
{
	const struct load_plan plan = {
		.features = &t->features,
		.knobs = knobs,
		.rings = &t->rings,
		.hooks = &t->hooks,
		.table = t->aggregates.table,
	};

	return load_object(&plan, &t->obj, &t->variant);
}

static int open_maps(struct tracer *t)
{
	int err = rings_open(&t->rings, t->obj);

	err = err ?: object_map_written(t->obj, &t->written);
	err = err ?: aggregates_start(&t->aggregates, object_map_fd(t->obj, "iolat_aggregates"));
	if (!err)
		return EXIT_OK;
	log_error("cannot make the ring buffers: %s", strerror(-err));
	return EXIT_FAILED;
}

static int open_all(struct tracer *t, const struct iolat_knobs *knobs, uint64_t buffer_size,
		    const char *btf)
{
	int err, status = check_kernel(t, btf);

	if (status != EXIT_OK)
		return status;
	/* Only waits are sent where all requests are counted in the kernel. */
	rings_size(&t->rings, knobs->aggregate_only && !knobs->waits ? 1 : buffer_size, knobs->files);
	err = aggregates_open(&t->aggregates, knobs->coarse);
	if (err)
		return load_explain(err);
	return load(t, knobs) ?: open_maps(t);
}

int tracer_open(struct tracer **out, const struct iolat_knobs *knobs, uint64_t buffer_size,
		const char *btf)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int status;

	*out = NULL;
	if (!t) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	refusal_listen();
	t->waits = knobs->waits;
	t->waits_of_all = t->waits && !knobs->by_task && !knobs->n_cgroups;
	status = open_all(t, knobs, buffer_size, btf);
	features_free(&t->features); /* megabytes */
	if (status != EXIT_OK) {
		tracer_close(t);
		return status;
	}
	*out = t;
	return EXIT_OK;
}

int tracer_attach(struct tracer *t)
{
	const struct tracer_hook *failed = hookset_attach(&t->hooks, t->obj);

	if (failed) {
		log_error("cannot attach to tracepoint %s: %s; without it iolat cannot see %s",
			  failed->def->tracepoint, strerror(-failed->err), failed->def->lost);
		return status_of(failed->err);
	}
	/* While some hooks are there and others not yet, nothing can match. */
	t->before = *t->written.losses;
	readers_open(&t->readers, t->obj);
	return EXIT_OK;
}

void tracer_detach(struct tracer *t)
{
	hookset_detach(&t->hooks);
	readers_close(&t->readers);
}

void tracer_close(struct tracer *t)
{
	if (!t)
		return;
	tracer_detach(t);
	rings_close(&t->rings);
	aggregates_close(&t->aggregates);
	object_unmap_written(&t->written);
	bpf_object__close(t->obj);
	free(t);
}

/* --- events ----------------------------------------------------------------------- */

int tracer_drain(struct tracer *t, const struct sink *sink)
{
	return intake_drain(&t->rings.intake, sink, DRAIN_BATCH);
}

int tracer_drain_all(struct tracer *t, const struct sink *sink)
{
	int err = intake_drain(&t->rings.intake, sink, SIZE_MAX);

	return err < 0 ? err : aggregates_take(&t->aggregates, t->written.losses->aggregated, sink);
}

double tracer_fullest_ring(struct tracer *t)
{
	return intake_fullest(&t->rings.intake);
}

/* --- tasks ---------------------------------------------------------------------- */

int tracer_select(struct tracer *t, uint32_t tgid, uint64_t start_ns)
{
	/* One that /proc rounded is no help: then any process of that number. */
	struct iolat_task_entry e = {.start_ns = t->features.foreign ? 0 : start_ns};
	int fd = object_map_fd(t->obj, "iolat_tasks");

	if (!bpf_map_update_elem(fd, &tgid, &e, BPF_NOEXIST)) {
		__atomic_fetch_add(&t->written.marks->selected[tgid % IOLAT_MARKS], 1, __ATOMIC_SEQ_CST);
		return 0;
	}
	return bpf_map_update_elem(fd, &tgid, &e, BPF_EXIST) ? -errno : 0;
}

struct marking {
	const struct tracer *tracer;
	const struct sink *sink;
};

/* The iterator's program knows whether a task is selected; /proc does not. */
static int mark_selected(void *ctx, const void *data, size_t size)
{
	const struct marking *m = ctx;
	struct iolat_task e = *(const struct iolat_task *)data;
	struct iolat_task_entry entry;

	if (!bpf_map_lookup_elem(object_map_fd(m->tracer->obj, "iolat_tasks"), &e.tgid, &entry))
		e.flags |= IOLAT_TASK_SELECTED | (m->tracer->waits ? IOLAT_TASK_TRACED : 0);
	if (m->tracer->waits_of_all && !(e.flags & IOLAT_TASK_KTHREAD))
		e.flags |= IOLAT_TASK_TRACED;
	return m->sink->event(m->sink->ctx, &e, sizeof(e));
}

static int tasks_without_iterator(const struct tracer *t, const struct sink *sink)
{
	struct marking m = {t, sink};
	const struct sink marker = {mark_selected, &m};

	return tasks_read(monotonic_ns(), &marker);
}

int tracer_tasks(const struct tracer *t, const struct sink *sink)
{
	const struct bpf_link *walk = hookset_walk(&t->hooks);

	return walk ? reader_events(walk, sizeof(struct iolat_task), sink)
		    : tasks_without_iterator(t, sink);
}

/* --- the state at a moment ---------------------------------------------------------- */

int tracer_note_sleepers(const struct tracer *t)
{
	return t->waits ? readers_note_sleepers(&t->readers) : 0;
}

int tracer_sleepers(const struct tracer *t, uint64_t now, struct iolat_wait **out, size_t *n)
{
	*out = NULL;
	*n = 0;
	return t->waits ? reader_sleeps(object_map_fd(t->obj, "iolat_sleeps"), now, out, n) : 0;
}

int tracer_find_earlier(const struct tracer *t, int folder)
{
	return readers_find_earlier(&t->readers, t->obj, folder);
}

/* What ended before the look is told before those who still sleep, so that each wait is counted once. */
static int look_at_sleepers(struct tracer *t, uint64_t now, const struct sink *sink)
{
	AUTO_FREE struct iolat_wait *waits = NULL;
	size_t n;
	int err = tracer_sleepers(t, now, &waits, &n);

	err = err ?: intake_drain(&t->rings.intake, sink, SIZE_MAX);
	for (size_t i = 0; !err && i < n; i++)
		err = sink->event(sink->ctx, &waits[i], sizeof(waits[i]));
	return err < 0 ? err : 0;
}

int tracer_look(struct tracer *t, const struct sink *sink)
{
	struct iolat_look look = {.head = {IOLAT_EV_LOOK, sizeof(look)}, .ts_ns = monotonic_ns()};
	int err = intake_facts(&t->rings.intake, sink), walked;

	if (err)
		return err;
	walked = readers_inflight(&t->readers);
	if (walked && walked != -ENOTSUP)
		return walked;
	look.inflight = !walked;
	err = sink->event(sink->ctx, &look, sizeof(look));
	return err ?: look_at_sleepers(t, look.ts_ns, sink);
}

void tracer_tell_files(const struct tracer *t)
{
	__atomic_fetch_add(&t->written.marks->telling, 1, __ATOMIC_SEQ_CST);
}

/* --- what there is and what was counted --------------------------------------------- */

const struct tracer_hook *tracer_hook_at(const struct tracer *t, size_t i)
{
	return i < t->hooks.n ? &t->hooks.hooks[i] : NULL;
}

bool tracer_hook_attached(const struct tracer *t, const char *tracepoint)
{
	const struct tracer_hook *h = hookset_on(&t->hooks, tracepoint);

	return h && h->attached;
}

void tracer_counters(const struct tracer *t, struct iolat_counters *c)
{
	counters_read(c, t->obj, &t->before, t->written.losses);
}

uint64_t tracer_unselected(const struct tracer *t, uint32_t disk)
{
	struct iolat_unselected u = {};

	bpf_map_lookup_elem(object_map_fd(t->obj, "iolat_unselect"), &disk, &u);
	return u.ios;
}

void tracer_forget_disk(const struct tracer *t, uint32_t disk)
{
	bpf_map_delete_elem(object_map_fd(t->obj, "iolat_unselect"), &disk);
}

uint64_t tracer_map_bytes(const struct tracer *t)
{
	return object_maps_bytes(t->obj) + rings_bytes(&t->rings) +
	       object_map_bytes(t->aggregates.table);
}

unsigned int tracer_rings(const struct tracer *t)
{
	return t->rings.n;
}

const char *tracer_variant(const struct tracer *t)
{
	return t->variant;
}
