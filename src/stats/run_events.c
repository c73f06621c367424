// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a run: each kind goes to who keeps what it says. Who asked for requests or
 * waits one by one is told them here.
 */
#include <errno.h>
#include <string.h>

#include "attrib/identity.h"
#include "decode/decode.h"
#include "stats/run_state.h"

int run_tell_request(void *ctx, const struct row *row, const char *via, const struct iolat_request *e)
{
	static const char *const owners[IOLAT_OWNER_MAX] = {
		[IOLAT_OWNER_TASK] = "task", [IOLAT_OWNER_BIO] = "bio", [IOLAT_OWNER_PAGE] = "page"};
	struct run *r = ctx;
	uint64_t start = e->end_ns - e->queue_ns - e->device_ns;
	struct request q = {
		.subject = row->subject,
		.owner_from = owners[e->owner],
		.via = via,
		.start_wall_ns = run_wall(r, start),
		.start_ns = start > r->start_ns ? start - r->start_ns : 0,
		.bytes = e->bytes,
		.sector = e->sector,
		.has_sector = e->sector != ~0ULL,
		.total_ns = e->queue_ns + e->device_ns,
		.queue_ns = e->queue_ns,
		.device_ns = e->device_ns,
		.has_parts = !(e->flags & IOLAT_RQ_NO_SPLIT),
		.issued = !(e->flags & (IOLAT_RQ_NO_DEVICE | IOLAT_RQ_NO_SPLIT)),
		.merged = e->merged,
		.requeues = e->requeues,
		.error = e->error,
		.flags = e->flags,
	};

	return r->each(r->each_ctx, &q);
}

static void tell_wait(struct run *r, const struct task_slot *s, const struct spent *what)
{
	uint64_t from = what->from_ns > r->start_ns ? what->from_ns : r->start_ns;
	const struct task_wait w = {
		.process = &s->proc->pub,
		.thread = &s->thread->pub,
		.reason = what->reason,
		.start_wall_ns = run_wall(r, from),
		.ns = what->to_ns - from,
	};

	if (what->to_ns > from && !r->wait_err)
		r->wait_err = r->each_wait(r->each_wait_ctx, &w);
}

void run_spent(void *ctx, const struct task_slot *s, const struct spent *what)
{
	struct run *r = ctx;

	phases_spent(&r->phases, s, what);
	if (what->on != SPENT_BLOCKED)
		return;
	gpus_spent(&r->gpus, s, what->from_ns, what->to_ns);
	if (r->each_wait && tasks_wanted(&r->tasks, s))
		tell_wait(r, s, what);
}

/* Of a request, the selected tasks' or the others'. */
#define ENDED_IO(e)                                                           \
	((struct ended_io){                                                   \
		.start_ns = (e)->end_ns - (e)->device_ns - (e)->queue_ns,     \
		.end_ns = (e)->end_ns,                                        \
		.cgroup = (e)->cgroup,                                        \
		.tgid = (e)->tgid,                                            \
		.tid = (e)->tid,                                              \
		.via = (e)->via,                                              \
		.disk = (e)->flags & IOLAT_RQ_COPY ? 0 : (e)->disk,           \
	})

/* What the findings are made from. Whether data is read again is of interest beside who waits, or what phases read. */
static int sum_up(struct run *r, const struct iolat_request *e)
{
	struct reread_answer again = {0};
	int err = 0;

	if ((r->tasks.on || r->phases.on) && !r->forgets)
		err = reread_request(&r->reread, e, &again);
	return err ?: usages_request(&r->usages, e, &again) ?: phases_request(&r->phases, e, &again);
}

/* Whom the disk served. What the analysis does not select, by container or name, the kernel side sends all the same. */
static int serve(struct run *r, const struct iolat_request *e, bool counted)
{
	const struct iolat_other other = {
		.disk = e->disk,
		.end_ns = e->end_ns,
		.queue_ns = e->queue_ns,
		.device_ns = e->device_ns,
		.cgroup = e->cgroup,
		.bytes = e->bytes,
		.tgid = e->tgid,
		.tid = e->tid,
		.via = e->via,
		.op = e->op,
		.owner = e->owner,
		.flags = e->flags,
	};

	if (!r->tasks.on || e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	return counted ? served_self(&r->served, e) : served_other(&r->served, &other);
}

static int on_request(void *ctx, const struct iolat_request *e)
{
	struct run *r = ctx;
	bool counted;
	int err = account_request(&r->account, e, &counted);

	if (r->tasks.on)
		tasks_io(&r->tasks, &ENDED_IO(e));
	if (!err && counted)
		err = sum_up(r, e);
	return err ?: serve(r, e, counted);
}

static int on_share(void *ctx, const struct iolat_share *e)
{
	struct run *r = ctx;

	return account_share(&r->account, e);
}

static int on_aggregate(void *ctx, const struct iolat_aggregate *e)
{
	struct run *r = ctx;
	bool counted;
	int err = account_aggregate(&r->account, e, &counted);

	if (r->tasks.on) /* of one of its process's threads, some time in there */
		tasks_io(&r->tasks, &(struct ended_io){.start_ns = e->start_ns,
						       .end_ns = e->end_ns,
						       .cgroup = e->cgroup,
						       .tgid = e->tgid,
						       .tid = e->tid});
	return err || !counted ? err : usages_aggregate(&r->usages, e) ?: phases_aggregate(&r->phases, e);
}

static int on_task(void *ctx, const struct iolat_task *e)
{
	struct run *r = ctx;

	if (e->what == IOLAT_TASK_SEEN && e->here && e->here == r->facts.recorder)
		r->account.recorder = e->tgid;
	return proc_event(&r->model.procs, e) ?: tasks_task(&r->tasks, e);
}

static int on_wait(void *ctx, const struct iolat_wait *e)
{
	struct run *r = ctx;

	return tasks_wait(&r->tasks, e) ?: account_wait(&r->account, e);
}

static int on_other(void *ctx, const struct iolat_other *e)
{
	struct run *r = ctx;

	tasks_io(&r->tasks, &ENDED_IO(e));
	return served_other(&r->served, e);
}

static int on_look(void *ctx, const struct iolat_look *e)
{
	struct run *r = ctx;

	flying_look(&r->flying, e);
	tasks_look(&r->tasks, e->ts_ns);
	return 0;
}

static int on_inflight(void *ctx, const struct iolat_inflight *e)
{
	struct run *r = ctx;

	tasks_inflight(&r->tasks, e);
	return flying_add(&r->flying, e);
}

static int on_limit(void *ctx, const struct iolat_limit *e)
{
	struct run *r = ctx;

	return limited_limit(&r->tasks.limited, e);
}

static int on_process_facts(void *ctx, const struct iolat_process_facts *e)
{
	struct run *r = ctx;

	identity_facts(&r->model.procs, e);
	return 0;
}

static int on_disk(void *ctx, const struct iolat_disk *e)
{
	struct run *r = ctx;
	int err = model_disk(&r->model, e);

	if (err)
		return err;
	return cover_disk(&r->cover, &r->model, e->disk) ? 0 : -ENOMEM;
}

static int on_disk_facts(void *ctx, const struct iolat_disk_facts *e)
{
	struct run *r = ctx;
	int err = model_disk_facts(&r->model, e);

	return err ? err : cover_facts(&r->cover, &r->model, e);
}

static int on_disk_below(void *ctx, const struct iolat_disk_below *e)
{
	struct run *r = ctx;

	return model_disk_below(&r->model, e);
}

static int on_name(void *ctx, const struct iolat_name *e)
{
	struct run *r = ctx;

	limited_name(&r->tasks.limited, e);
	return model_name(&r->model, e);
}

/* Only old recordings have any, of files that are mounted nowhere. */
static int on_dentry(void *ctx, const struct iolat_dentry *e)
{
	return 0;
}

static int on_file(void *ctx, const struct iolat_file *e)
{
	struct run *r = ctx;

	return files_file(&r->model.files, e);
}

static int on_fs(void *ctx, const struct iolat_fs *e)
{
	struct run *r = ctx;

	return files_fs(&r->model.files, e);
}

static int on_called(void *ctx, const struct iolat_called *e)
{
	struct run *r = ctx;

	return asked_called(&r->asked, e);
}

static int on_cgroup(void *ctx, const struct iolat_cgroup *e)
{
	struct run *r = ctx;

	return cgroups_path(&r->model.cgroups, e);
}

static int on_container(void *ctx, const struct iolat_container *e)
{
	struct run *r = ctx;

	return cgroups_container(&r->model.cgroups, e);
}

static int on_cgroup_gone(void *ctx, const struct iolat_cgroup_gone *e)
{
	struct run *r = ctx;

	cgroups_gone(&r->model.cgroups, e);
	return 0;
}

static int on_mark(void *ctx, const struct iolat_mark *e)
{
	struct run *r = ctx;

	return phases_mark(&r->phases, e);
}

static int on_gpu(void *ctx, const struct iolat_gpu *e)
{
	struct run *r = ctx;

	return gpus_sampled(&r->gpus, e);
}

static int on_gpu_process(void *ctx, const struct iolat_gpu_process *e)
{
	struct run *r = ctx;

	return gpus_process(&r->gpus, e);
}

static int on_counters(void *ctx, const struct iolat_counters *e)
{
	struct run *r = ctx;

	cover_counters(&r->cover, e);
	return 0;
}

static int on_run(void *ctx, const struct iolat_run *e)
{
	struct run *r = ctx;

	r->facts = *e;
	if (!r->begun)
		r->start_ns = r->interval_ns = e->mono_ns;
	r->tasks.on = e->waits;
	r->tasks.unseen = e->unseen;
	r->tasks.start_ns = r->start_ns;
	r->tasks.interval_ns = r->interval_ns;
	timeline_start(&r->timeline, e->mono_ns);
	r->phases.start_ns = r->start_ns;
	r->phases.mono_ns = e->mono_ns;
	r->phases.wall_ns = e->wall_ns;
	r->begun = true;
	return 0;
}

/* Of use for whoever selects by name, before it gets here. */
static int on_user(void *ctx, const struct iolat_user *e)
{
	return 0;
}

/* A clock that was set is right from then on, and so for what was before. */
static int on_clock(void *ctx, const struct iolat_clock *e)
{
	struct run *r = ctx;

	r->facts.wall_ns = e->wall_ns - (e->mono_ns - r->facts.mono_ns);
	r->phases.wall_ns = r->facts.wall_ns;
	r->clock = e->synchronized ? CLOCK_SYNCHRONIZED : CLOCK_FREE;
	return 0;
}

static int on_end(void *ctx, const struct iolat_end *e)
{
	struct run *r = ctx;

	r->end_ns = e->mono_ns;
	return 0;
}

static int on_command(void *ctx, const struct iolat_command *e)
{
	struct run *r = ctx;

	memcpy(r->command, e->line, sizeof(e->line));
	if (e->cut)
		memcpy(r->command + strlen(r->command), " ...", sizeof(" ..."));
	return 0;
}

static int on_select(void *ctx, const struct iolat_select *e)
{
	struct run *r = ctx;

	return select_event(&r->recorded, e);
}

static size_t find_hook(const struct run *r, const char *name)
{
	size_t i = 0;

	while (i < r->n_hooks && strcmp(r->hook_names[i], name))
		i++;
	return i;
}

static int on_hook(void *ctx, const struct iolat_hook *e)
{
	struct run *r = ctx;
	size_t i = find_hook(r, e->name);

	if (i == RUN_HOOKS)
		return 0;
	if (i == r->n_hooks)
		r->n_hooks++;
	memcpy(r->hook_names[i], e->name, sizeof(e->name));
	r->hooks[i] = (struct hook){
		.name = r->hook_names[i], .attached = e->attached, .required = e->required};
	return 0;
}

int run_event(struct run *r, const void *data, size_t size)
{
	static const struct event_handlers handlers = {
#define X(KIND, name) .name = on_##name,
		IOLAT_EVENTS(X)
#undef X
	};
	int err = decode_event(&handlers, r, data, size);

	if (err == -EBADMSG || err == -ENOTSUP)
		cover_refused(&r->cover);
	return err ?: r->wait_err;
}
