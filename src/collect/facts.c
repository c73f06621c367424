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
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "collect/called.h"
#include "collect/cgroup_facts.h"
#include "collect/diskwatch.h"
#include "collect/earlier.h"
#include "collect/file_facts.h"
#include "collect/limits.h"
#include "collect/process_facts.h"
#include "collect/procfs.h"
#include "collect/seen.h"
#include "collect/user_facts.h"

#define LOOK_NS	      200000000ull /* between two looks at what is in flight */
#define CLOCK_STEP_NS 1000000	   /* what is less may be the time that reading takes */

struct facts {
	struct tracer *tracer;
	struct cgroup_facts *cgroups;
	struct sink sink;
	struct diskwatch disks;
	struct process_facts processes;
	bool host_pids;		/* the host's root has a /proc with the pids that events have */
	struct file_facts files;
	struct called called;
	struct user_facts users;
	struct limits *limits;		/* of the cgroups of waiting tasks */
	uint64_t next_look;		/* CLOCK_MONOTONIC */
	bool frozen;
	struct iolat_clock clock;	/* as last told; size 0: never */
	uint64_t names_lost;		/* when the tasks were last listed */
	struct map names;		/* NAME events, which come once, for who follows later */
	struct iolat_mark log;		/* the one that says that a log is followed; size 0: none */
	struct facts *leader, *follower;	/* of the same tracer, or NULL */
	struct iolat_counters before;	/* what had been counted when it began, */
	struct iolat_counters counted;	/* and when it was told last */
};

#define NAMES_KEPT 4096

static int send(struct facts *f, const void *event, size_t size)
{
	return f->sink.event(f->sink.ctx, event, size);
}

static int pass_owner(struct facts *f, uint64_t cgroup, uint32_t tgid)
{
	int err = cgroup_facts_see(f->cgroups, cgroup, tgid);

	return err || !f->host_pids ? err : process_facts_io(&f->processes, tgid);
}

/* A disk that a limit is for may not have done any I/O yet. */
static int pass_limit(void *ctx, const void *data, size_t size)
{
	const struct iolat_limit *limit = data;
	struct facts *f = ctx;
	int err = diskwatch_introduce(&f->disks, limit->major, limit->minor, &f->sink);

	return err ?: send(f, data, size);
}

/* The limits of a waiting task's cgroup are read at first sight, too. */
static int pass_waiter(struct facts *f, const struct iolat_wait *w)
{
	return pass_owner(f, w->cgroup, w->tgid) ?: limits_know(f->limits, w->cgroup);
}

/* In a namespace of pids /proc would tell of other processes. */
static int pass_task(struct facts *f, const struct iolat_task *e, size_t size)
{
	int err = user_facts_task(&f->users, e) ?: send(f, e, size);

	return err || !f->host_pids ? err : process_facts_task(&f->processes, e) ?: called_task(&f->called, e);
}

/* --- two streams of one tracer ------------------------------------------------------ */

static int keep_name(struct facts *f, const struct iolat_name *e)
{
	struct iolat_name *copy;

	if (f->names.count >= NAMES_KEPT || map_get(&f->names, &e->id))
		return 0;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *e;
	if (!map_put(&f->names, &e->id, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

static void free_names(struct facts *f)
{
	void *name;

	for (size_t i = 0; (name = map_next(&f->names, &i, NULL));)
		free(name);
	map_free(&f->names);
}

static int send_names(struct facts *f, const struct facts *of)
{
	const struct iolat_name *e;
	int err = 0;

	for (size_t i = 0; !err && (e = map_next(&of->names, &i, NULL));)
		err = send(f, e, sizeof(*e));
	return err;
}

static void keep_log(struct facts *f, const struct iolat_mark *e)
{
	if (e->what == IOLAT_MARK_LOG)
		f->log = *e;
}

static int send_log(struct facts *f, const struct facts *of)
{
	return of->log.head.size ? send(f, &of->log, sizeof(of->log)) : 0;
}

/* Its errors are its own: whoever owns its sink knows. */
static void lead(struct facts *f, const void *data, size_t size)
{
	const struct sink sink = facts_sink(f->follower);

	if (sink.event(sink.ctx, data, size))
		f->follower = NULL;
}

/* --- the stream ------------------------------------------------------------------- */

static int pass(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	const struct iolat_request *rq = data;
	const struct iolat_share *share = data;
	const struct iolat_aggregate *aggregate = data;
	const struct iolat_other *other = data;
	const struct iolat_inflight *inflight = data;
	const struct iolat_cgroup_gone *gone = data;
	struct facts *f = ctx;
	int err = 0;

	if (f->follower)
		lead(f, data, size);
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
	case IOLAT_EV_OTHER:
		err = pass_owner(f, other->cgroup, other->tgid);
		break;
	case IOLAT_EV_INFLIGHT:
		err = pass_owner(f, inflight->cgroup, inflight->tgid);
		break;
	case IOLAT_EV_WAIT:
		err = pass_waiter(f, data);
		break;
	case IOLAT_EV_TASK:
		return pass_task(f, data, size);
	case IOLAT_EV_DISK:
		return diskwatch_disk(&f->disks, data, &f->sink);
	case IOLAT_EV_NAME:
		err = keep_name(f, data);
		break;
	case IOLAT_EV_MARK:
		keep_log(f, data);
		break;
	case IOLAT_EV_DENTRY:
		return file_facts_dentry(&f->files, data);
	case IOLAT_EV_CGROUP_GONE:
		cgroup_facts_gone(f->cgroups, gone->cgroup);
		break;
	case IOLAT_EV_CGROUP:
		return cgroup_facts_made(f->cgroups, data);
	}
	return err ?: send(f, data, size);
}

void facts_turn(struct facts *f)
{
	process_facts_turn(&f->processes);
	if (f->follower)
		facts_turn(f->follower);
}

struct sink facts_sink(struct facts *f)
{
	return (struct sink){pass, f};
}

/* The same moment on both clocks, unless something comes between each time. */
static void read_clocks(uint64_t *mono_ns, uint64_t *wall_ns)
{
	uint64_t before = monotonic_ns(), after;

	for (int i = 0; i < 10; i++, before = after) {
		*wall_ns = clock_ns(CLOCK_REALTIME);
		after = monotonic_ns();
		*mono_ns = before + (after - before) / 2;
		if (after - before < CLOCK_STEP_NS / 100)
			return;
	}
}

/* By the clock that was told last, to the nanosecond, unless that has been set. */
static uint64_t wall_by_last(const struct facts *f, uint64_t mono, uint64_t wall)
{
	int64_t moved = (int64_t)((wall - f->clock.wall_ns) - (mono - f->clock.mono_ns));

	return f->clock.mono_ns && llabs(moved) < CLOCK_STEP_NS ? wall - moved : wall;
}

static int send_run(struct facts *f, const struct iolat_knobs *knobs, bool records)
{
	struct iolat_run e = {
		.head = {.kind = IOLAT_EV_RUN, .size = sizeof(e)},
		.bio_submission = tracer_hook_attached(f->tracer, "block_bio_queue"),
		.blkio_v1 = knobs->blkio_v1,
		.selected = knobs->by_task,
		.waits = knobs->waits,
		.unseen = knobs->aggregate_only,
		.recorder = records ? (uint32_t)getpid() : 0,
	};
	uint64_t mono, wall;
	struct utsname u;

	read_clocks(&mono, &wall);
	e.wall_ns = f->clock.wall_ns = wall_by_last(f, mono, wall);
	e.mono_ns = f->clock.mono_ns = mono;
	if (!uname(&u)) {
		snprintf(e.host, sizeof(e.host), "%.63s", u.nodename);
		snprintf(e.kernel, sizeof(e.kernel), "%.63s", u.release);
	}
	return send(f, &e, sizeof(e));
}

static int send_command(struct facts *f)
{
	struct iolat_command e = {.head = {.kind = IOLAT_EV_COMMAND, .size = sizeof(e)}};

	e.cut = !procfs_command_line(e.line, sizeof(e.line));
	return e.line[0] ? send(f, &e, sizeof(e)) : 0;
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

int facts_begin(struct facts *f, const struct iolat_knobs *knobs, bool records)
{
	int err;

	diskwatch_begin(&f->disks, NULL);
	err = send_run(f, knobs, records) ?: send_command(f) ?: send_hooks(f) ?: list_tasks(f);
	err = err ?: cgroup_facts_begin(f->cgroups) ?: records ? file_facts_begin(&f->files) : 0;
	err = err ?: tracer_note_sleepers(f->tracer) ?: earlier_find(f->tracer, knobs->by_task);
	return err == -ENOTSUP ? 0 : err; /* who sleeps already shows at its next sleep */
}

int facts_follow(struct facts *f, struct facts *leader, const struct facts *before, const struct iolat_knobs *knobs)
{
	const struct diskwatch *disks = before ? &before->disks : NULL;
	int err;

	f->leader = leader;
	diskwatch_begin(&f->disks, disks);
	if (before) {
		f->before = before->counted;
		f->clock = before->clock;
		f->clock.head.size = 0;
	} else {
		tracer_counters(f->tracer, &f->before);
	}
	f->names_lost = f->before.names_lost;
	err = send_run(f, knobs, true) ?: send_command(f) ?: send_hooks(f) ?: list_tasks(f);
	err = err ?: cgroup_facts_begin(f->cgroups) ?: file_facts_begin(&f->files);
	err = err ?: send_names(f, leader) ?: send_log(f, leader);
	err = err ?: diskwatch_copy(&f->disks, &leader->disks, disks, &f->sink);
	if (err)
		return err;
	leader->follower = f;
	tracer_tell_files(f->tracer);
	return 0;
}

/* What the ring of facts had no room for is learnt anew. Who is thought alive and not listed has lost its
 * end, unless the list is one of a PID namespace only. */
static int recover_names(struct facts *f, uint64_t names_lost)
{
	struct iolat_task all = {
		.head = {.kind = IOLAT_EV_TASK, .size = sizeof(all)},
		.what = IOLAT_TASK_LISTED,
		.ts_ns = clock_ns(CLOCK_MONOTONIC),
	};
	int err;

	if (names_lost == f->names_lost)
		return 0;
	f->names_lost = names_lost;
	err = list_tasks(f);
	if (!err && procfs_is_host())
		err = send(f, &all, sizeof(all));
	return err;
}

static void count_from(struct iolat_counters *e, const struct iolat_counters *before)
{
	for (size_t i = 0; i < IOLAT_COUNTERS; i++)
		e->all[i] -= before->all[i];
}

/* The wall clock between two readings of the other, when it has been set, or is kept right, since it was told last. */
static int send_clock(struct facts *f)
{
	struct timex tx = {0};
	int state = adjtimex(&tx); /* only asks; -1: it may not */
	struct iolat_clock e = {
		.head = {.kind = IOLAT_EV_CLOCK, .size = sizeof(e)},
		.synchronized = state >= 0 && state != TIME_ERROR,
	};
	uint64_t mono, wall;
	int64_t moved;

	read_clocks(&mono, &wall);
	e.mono_ns = mono;
	e.wall_ns = wall;
	moved = (int64_t)((e.wall_ns - f->clock.wall_ns) - (e.mono_ns - f->clock.mono_ns));
	if (llabs(moved) < CLOCK_STEP_NS) {
		if (f->clock.head.size && e.synchronized == f->clock.synchronized)
			return 0;
		e.wall_ns -= moved; /* the same clock as at the start, to the nanosecond */
	}
	f->clock = e;
	return send(f, &e, sizeof(e));
}

static int send_counters(struct facts *f)
{
	struct iolat_counters e;
	int err;

	tracer_counters(f->tracer, &e);
	f->counted = e;
	err = recover_names(f, e.names_lost);
	count_from(&e, &f->before);
	return err ?: send_clock(f) ?: send(f, &e, sizeof(e));
}

/* Looking costs a walk over all slots, so quick frames share one. */
static int look(struct facts *f, bool anyway)
{
	const struct sink sink = facts_sink(f);
	uint64_t now = monotonic_ns();
	int err = 0;

	if (f->frozen || (!anyway && now < f->next_look))
		return 0;
	f->next_look = now + LOOK_NS;
	if (!f->leader) /* else it is shown what the leader sees */
		err = tracer_look(f->tracer, &sink);
	return err ?: limits_update(f->limits) ?: called_update(&f->called);
}

int facts_counters(struct facts *f)
{
	int err = look(f, false) ?: send_counters(f) ?: cgroup_facts_retry(f->cgroups);

	return err ?: diskwatch_report(&f->disks, &f->sink);
}

int facts_freeze(struct facts *f)
{
	int err;

	if (f->frozen)
		return 0;
	err = look(f, true);
	if (f->follower)
		facts_freeze(f->follower);
	f->frozen = true;
	return err ?: diskwatch_freeze(&f->disks, &f->sink);
}

int facts_new(struct facts **out, struct tracer *t, const struct cgroupfs *cgroups,
	      const struct sink *sink)
{
	struct facts *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return -ENOMEM;
	f->tracer = t;
	f->sink = *sink;
	process_facts_init(&f->processes, strcmp(cgroups->root, "/") ? cgroups->root : "", sink);
	f->host_pids = cgroups->host_pids;
	file_facts_init(&f->files, f->processes.root, sink, f->host_pids);
	called_init(&f->called, f->processes.root, sink);
	user_facts_init(&f->users, f->processes.root, sink);
	f->limits = limits_new(cgroups, &(struct sink){pass_limit, f});
	if (!f->limits) {
		free(f);
		*out = NULL;
		return -ENOMEM;
	}
	diskwatch_init(&f->disks, t);
	map_init(&f->names, sizeof(uint32_t));
	return cgroup_facts_new(&f->cgroups, cgroups, &f->sink);
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	if (f->leader && f->leader->follower == f)
		f->leader->follower = NULL;
	free_names(f);
	diskwatch_free(&f->disks);
	process_facts_free(&f->processes);
	file_facts_free(&f->files);
	called_free(&f->called);
	user_facts_free(&f->users);
	cgroup_facts_free(f->cgroups);
	limits_free(f->limits);
	free(f);
}
