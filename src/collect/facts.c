// SPDX-License-Identifier: GPL-2.0
/*
 * Stands between the tracer's rings and the analysis (or a recording): looks at each
 * event's cgroup and disk, and puts in what only this host can tell, once each.
 */
#include "collect/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/map.h"
#include "collect/diskwatch.h"
#include "collect/process_facts.h"
#include "collect/procfs.h"
#include "collect/seen.h"

#define MAX_CGROUPS 8192	/* known ids before the set is started anew; the analysis knows twice as many */

#define KNOWN	   ((void *)1)
#define UNRESOLVED ((void *)2)

struct facts {
	struct tracer *tracer;
	const struct cgroupfs *cgroups;
	struct sink sink;
	struct map known_cgroups;	/* by key; KNOWN, or UNRESOLVED until the next frame */
	uint64_t last_cgroup;
	struct diskwatch disks;
	struct process_facts processes;
	uint64_t names_lost;		/* when the tasks were last listed */
};

static int send(struct facts *f, const void *event, size_t size)
{
	return f->sink.event(f->sink.ctx, event, size);
}

/* --- cgroups ---------------------------------------------------------------------- */

static int send_cgroup(struct facts *f, uint64_t key, const char *path)
{
	size_t size = sizeof(struct iolat_cgroup) + strlen(path) + 1;
	struct iolat_cgroup *e = calloc(1, size);
	int err;

	if (!e)
		return -ENOMEM;
	e->head.kind = IOLAT_EV_CGROUP;
	e->head.size = size;
	e->cgroup = key;
	memcpy(e->path, path, strlen(path) + 1);
	err = send(f, e, size);
	free(e);
	return err;
}

/* At first sight, while the cgroup most likely still exists. */
static int know_cgroup(struct facts *f, uint64_t key, uint32_t tgid)
{
	char *path;
	int err;

	f->last_cgroup = key;
	if (map_get(&f->known_cgroups, &key))
		return 0;
	if (f->known_cgroups.count >= MAX_CGROUPS)
		map_clear(&f->known_cgroups);
	path = cgroupfs_path(f->cgroups, key);
	if (!path && tgid)
		path = cgroupfs_path_of_task(f->cgroups, IOLAT_CGROUP_TREE(key), tgid);
	err = map_put(&f->known_cgroups, &key, path ? KNOWN : UNRESOLVED);
	if (!err && path)
		err = send_cgroup(f, key, path);
	free(path);
	return err;
}

/* What could not be resolved may only have been too early: ask again, but once a frame. */
static void retry_cgroups(struct facts *f)
{
	const void *key;
	void *v;

	f->last_cgroup = 0;
	for (size_t i = 0; (v = map_next(&f->known_cgroups, &i, &key));)
		if (v == UNRESOLVED)
			map_del(&f->known_cgroups, key);
}

static int pass_owner(struct facts *f, uint64_t cgroup, uint32_t tgid)
{
	int err = cgroup && cgroup != f->last_cgroup ? know_cgroup(f, cgroup, tgid) : 0;

	return err ?: process_facts_io(&f->processes, tgid);
}

/* --- the stream ------------------------------------------------------------------- */

static int pass(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	const struct iolat_request *rq = data;
	const struct iolat_share *share = data;
	const struct iolat_aggregate *aggregate = data;
	struct facts *f = ctx;
	int err = 0;

	switch (head->kind) {
	case IOLAT_EV_REQUEST:
		err = pass_owner(f, rq->cgroup, rq->tgid);
		break;
	case IOLAT_EV_SHARE:
		err = pass_owner(f, share->cgroup, share->tgid);
		break;
	case IOLAT_EV_AGGREGATE:
		err = pass_owner(f, aggregate->cgroup, aggregate->tgid);
		break;
	case IOLAT_EV_TASK:
		return send(f, data, size) ?: process_facts_task(&f->processes, data);
	case IOLAT_EV_DISK:
		return diskwatch_disk(&f->disks, data, &f->sink);
	}
	return err ?: send(f, data, size);
}

struct sink facts_sink(struct facts *f)
{
	return (struct sink){pass, f};
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int send_run(struct facts *f, const struct iolat_knobs *knobs)
{
	struct iolat_run e = {
		.head = {.kind = IOLAT_EV_RUN, .size = sizeof(e)},
		.bio_submission = tracer_hook_attached(f->tracer, "block_bio_queue"),
		.mono_ns = now_ns(CLOCK_MONOTONIC),
		.wall_ns = now_ns(CLOCK_REALTIME),
		.blkio_v1 = knobs->blkio_v1,
		.selected = knobs->by_task,
	};
	struct utsname u;

	if (!uname(&u)) {
		snprintf(e.host, sizeof(e.host), "%.63s", u.nodename);
		snprintf(e.kernel, sizeof(e.kernel), "%.63s", u.release);
	}
	return send(f, &e, sizeof(e));
}

static int send_hooks(struct facts *f)
{
	const struct tracer_hook *h;
	int err = 0;

	for (size_t i = 0; !err && (h = tracer_hook_at(f->tracer, i)); i++) {
		struct iolat_hook e = {
			.head = {.kind = IOLAT_EV_HOOK, .size = sizeof(e)},
			.attached = h->attached,
			.required = h->def->required,
		};

		snprintf(e.name, sizeof(e.name), "%s", h->def->tracepoint);
		err = send(f, &e, sizeof(e));
	}
	return err;
}

static int list_tasks(struct facts *f)
{
	const struct sink sink = facts_sink(f);
	int err = seen_tasks(f->tracer, &sink);

	return err == -ENOTSUP || err == -EPERM ? 0 : err; /* names come as tasks show up */
}

int facts_begin(struct facts *f, const struct iolat_knobs *knobs)
{
	int err;

	diskwatch_begin(&f->disks);
	err = send_run(f, knobs) ?: send_hooks(f);
	return err ?: list_tasks(f);
}

/* What the ring of facts had no room for is learnt anew. Who is thought alive and not listed has lost its
 * end, unless the list is one of a PID namespace only. */
static int recover_names(struct facts *f, uint64_t names_lost)
{
	struct iolat_task all = {
		.head = {.kind = IOLAT_EV_TASK, .size = sizeof(all)},
		.what = IOLAT_TASK_LISTED,
		.ts_ns = now_ns(CLOCK_MONOTONIC),
	};
	int err;

	if (names_lost == f->names_lost)
		return 0;
	f->names_lost = names_lost;
	err = list_tasks(f);
	if (!err && procfs_in_first_pid_namespace())
		err = send(f, &all, sizeof(all));
	return err;
}

static int send_counters(struct facts *f)
{
	struct iolat_counters e;
	int err;

	tracer_counters(f->tracer, &e);
	err = recover_names(f, e.names_lost);
	return err ?: send(f, &e, sizeof(e));
}

int facts_counters(struct facts *f)
{
	int err = send_counters(f);

	retry_cgroups(f);
	return err ?: diskwatch_report(&f->disks, &f->sink);
}

int facts_freeze(struct facts *f)
{
	return diskwatch_freeze(&f->disks, &f->sink);
}

int facts_new(struct facts **out, struct tracer *t, const struct cgroupfs *cgroups,
	      const struct sink *sink)
{
	struct facts *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return -ENOMEM;
	f->tracer = t;
	f->cgroups = cgroups;
	f->sink = *sink;
	process_facts_init(&f->processes, sink);
	map_init(&f->known_cgroups, sizeof(uint64_t));
	diskwatch_init(&f->disks, t);
	return 0;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	diskwatch_free(&f->disks);
	map_free(&f->known_cgroups);
	process_facts_free(&f->processes);
	free(f);
}
