// SPDX-License-Identifier: GPL-2.0
/*
 * One run from its first event to its summary: hands each kind of event to who keeps
 * what it says, and puts frames together from what they have.
 */
#include "stats/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attrib/identity.h"
#include "decode/decode.h"
#include "stats/account.h"
#include "stats/asked.h"
#include "stats/findings.h"
#include "stats/gpus.h"
#include "stats/phases.h"
#include "stats/view.h"

enum run_limits {
	RUN_ROWS = 10000,
	RUN_HOOKS = 64,
};

#define STUCK_NS 1000000000ull
#define SERVED_LAG_NS 1000000000ull /* requests that take longer count in part only in who was served */

struct run {
	struct by by;	  /* of the whole run's rows */
	struct by detail; /* of the frames', where that is more */
	struct selection selection; /* a copy that owns nothing; `also` is: */
	struct selection recorded;
	struct model model;
	struct cover cover;
	struct account account;
	struct rows whole; /* of all intervals that have ended */
	struct rows folded; /* the current one's like those, for a view of the whole */
	struct view view;
	struct tasks tasks;
	struct usages usages;
	struct asked asked;
	struct served served;
	struct flying flying;
	struct findings findings;
	struct phases phases;
	struct gpus_known gpus;
	uint64_t stuck_ns;
	int (*each)(void *ctx, const struct request *q);
	void *each_ctx;
	int (*each_wait)(void *ctx, const struct task_wait *w);
	void *each_wait_ctx;
	int wait_err; /* what it returned */
	bool forgets;
	struct timeline timeline;
	bool begun;		/* the RUN event was there */
	struct iolat_run facts; /* the last one */
	uint64_t start_ns;	/* of the run */
	uint64_t end_ns;	/* of a recording, 0: not told */
	uint64_t interval_ns;	/* start of the current interval */
	char command[sizeof(((struct iolat_command *)0)->line) + sizeof(" ...")]; /* "": not told */
	struct hook hooks[RUN_HOOKS];
	char hook_names[RUN_HOOKS][sizeof(((struct iolat_hook *)0)->name)];
	size_t n_hooks;
};

static const struct by *frame_by(const struct run *r)
{
	return r->detail.n ? &r->detail : &r->by;
}
static int tell_request(void *ctx, const struct row *row, const char *via, const struct iolat_request *e);
static void tell_wait(struct run *r, const struct task_slot *s, const struct spent *what);

static void on_spent(void *ctx, const struct task_slot *s, const struct spent *what)
{
	struct run *r = ctx;

	phases_spent(&r->phases, s, what);
	if (what->on != SPENT_BLOCKED)
		return;
	gpus_spent(&r->gpus, s, what->from_ns, what->to_ns);
	if (r->each_wait && tasks_wanted(&r->tasks, s))
		tell_wait(r, s, what);
}

int run_new(struct run **out, const struct run_options *o)
{
	struct run *r = calloc(1, sizeof(*r));
	size_t max_rows = o->max_rows ? o->max_rows : RUN_ROWS;

	if (!r)
		return -ENOMEM;
	r->by = o->by;
	r->forgets = o->forgets;
	r->stuck_ns = o->stuck_ns ? o->stuck_ns : STUCK_NS;
	if (o->selection)
		r->selection = *o->selection;
	r->selection.also = &r->recorded;
	model_init(&r->model, &r->selection, true);
	tasks_init(&r->tasks, &r->model);
	phases_init(&r->phases, &r->model);
	gpus_init(&r->gpus, &r->model);
	r->tasks.spent = on_spent;
	r->tasks.spent_ctx = r;
	usages_init(&r->usages, &r->model);
	asked_init(&r->asked, &r->model);
	served_init(&r->served, &r->model);
	cover_init(&r->cover);
	timeline_init(&r->timeline);
	r->detail = o->detail;
	rows_init(&r->whole, &r->by, max_rows);
	rows_init(&r->folded, &r->by, max_rows);
	if (account_init(&r->account, &r->model, &r->cover, frame_by(r), &r->by, max_rows)) {
		run_free(r);
		return -ENOMEM;
	}
	r->account.rows.host = r->whole.host = r->folded.host = r->facts.host;
	r->each = o->request;
	r->each_ctx = o->request_ctx;
	r->each_wait = o->wait;
	r->each_wait_ctx = o->wait_ctx;
	if (o->request) {
		r->account.each = tell_request;
		r->account.each_ctx = r;
	}
	if (o->timeline)
		r->account.timeline = &r->timeline;
	*out = r;
	return 0;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	account_free(&r->account);
	timeline_free(&r->timeline);
	view_free(&r->view);
	rows_free(&r->whole);
	rows_free(&r->folded);
	phases_free(&r->phases);
	gpus_free(&r->gpus);
	tasks_free(&r->tasks);
	usages_free(&r->usages);
	asked_free(&r->asked);
	served_free(&r->served);
	flying_free(&r->flying);
	cover_free(&r->cover);
	model_free(&r->model);
	select_free(&r->recorded);
	free(r);
}

static int on_request(void *ctx, const struct iolat_request *e)
{
	struct run *r = ctx;
	bool counted;
	int err = account_request(&r->account, e, &counted);

	if (r->tasks.on)
		tasks_io(&r->tasks, &(struct ended_io){
					    .start_ns = e->end_ns - e->device_ns - e->queue_ns,
					    .end_ns = e->end_ns,
					    .cgroup = e->cgroup,
					    .tgid = e->tgid,
					    .tid = e->tid,
					    .via = e->via,
				    });
	if (!err && counted)
		err = usages_request(&r->usages, e) ?: phases_request(&r->phases, e);
	if (!err && counted && r->tasks.on)
		err = served_self(&r->served, e);
	return err;
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

	return err || !counted ? err : phases_aggregate(&r->phases, e);
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

	tasks_io(&r->tasks, &(struct ended_io){
				    .start_ns = e->end_ns - e->device_ns - e->queue_ns,
				    .end_ns = e->end_ns,
				    .cgroup = e->cgroup,
				    .tgid = e->tgid,
				    .tid = e->tid,
				    .via = e->via,
			    });
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

static int on_dentry(void *ctx, const struct iolat_dentry *e)
{
	struct run *r = ctx;

	return files_dentry(&r->model.files, e);
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

	r->cover.now.refused += err == -EBADMSG || err == -ENOTSUP;
	return err ?: r->wait_err;
}

uint64_t run_end(const struct run *r)
{
	return r->end_ns;
}

uint64_t run_refused(const struct run *r)
{
	return r->cover.now.refused;
}

size_t run_selected_alive(const struct run *r)
{
	/* Asking brings memberships up to date, which changes nothing that shows. */
	return proc_selected_alive(&r->account.model->procs, r->facts.selected);
}

static bool any_cgroup(const struct run *r)
{
	const struct known_cgroup *c;

	for (size_t i = 0; (c = map_next(&r->model.cgroups.ids.map, &i, NULL));)
		if (select_wants_cgroup(&r->selection, c->path))
			return true;
	return false;
}

static bool any_device(const struct run *r)
{
	for (size_t i = 0; i < r->selection.devices.n; i++)
		if (model_has_device(&r->model, r->selection.devices.at[i]))
			return true;
	return false;
}

static bool is_place(void *ctx, const struct known_cgroup *c)
{
	return true;
}

const char *run_unmet(const struct run *r)
{
	const struct selection *s = &r->selection;
	unsigned int hits = r->model.procs.hits;

	if (s->n_pids && !(hits & SELECT_PID))
		return "pid";
	if (s->n_names && !(hits & SELECT_NAME))
		return "name";
	if (s->n_uids && !(hits & SELECT_USER))
		return "user";
	if (s->cgroups.n && !any_cgroup(r))
		return "cgroup";
	if (s->devices.n && !any_device(r))
		return "device";
	if (!(s->containers.n || s->pods.n || s->jobs.n) ||
	    cgroups_any_selected(&r->model.cgroups, is_place, NULL))
		return NULL;
	return s->containers.n ? "container" : s->pods.n ? "pod" : "job";
}

struct search {
	bool (*exists)(void *ctx, const char *file);
	void *ctx;
};

static bool is_left(void *ctx, const struct known_cgroup *c)
{
	const struct known_place *container = c->in[PLACE_CONTAINER];
	const char *source = container ? container->container.source : NULL;
	const struct search *s = ctx;

	return !c->gone || (s->exists && source && s->exists(s->ctx, source));
}

bool run_places_ended(const struct run *r, bool (*exists)(void *ctx, const char *file), void *ctx)
{
	struct search s = {exists, ctx};

	return select_has_places(r->model.cgroups.selection) &&
	       !cgroups_any_selected(&r->model.cgroups, is_left, &s);
}

struct visit {
	void (*each)(void *ctx, const struct container *c, const struct pod *p,
		     const struct job *j);
	void *ctx;
};

static void visit_places(void *ctx, const struct known_cgroup *c)
{
	const struct known_place *container = c->in[PLACE_CONTAINER], *pod = c->in[PLACE_POD],
				 *job = c->in[PLACE_JOB];
	const struct visit *v = ctx;

	v->each(v->ctx, container ? &container->container : NULL, pod ? &pod->pod : NULL,
		job ? &job->job : NULL);
}

void run_each_place(const struct run *r,
		    void (*each)(void *ctx, const struct container *c, const struct pod *p,
				 const struct job *j),
		    void *ctx)
{
	struct visit v = {each, ctx};

	cgroups_each_living(&r->model.cgroups, visit_places, &v);
}

static uint64_t wall(const struct run *r, uint64_t mono_ns)
{
	return r->facts.wall_ns + (mono_ns - r->facts.mono_ns);
}

static int tell_request(void *ctx, const struct row *row, const char *via, const struct iolat_request *e)
{
	static const char *const owners[IOLAT_OWNER_MAX] = {
		[IOLAT_OWNER_TASK] = "task", [IOLAT_OWNER_BIO] = "bio", [IOLAT_OWNER_PAGE] = "page"};
	struct run *r = ctx;
	uint64_t start = e->end_ns - e->queue_ns - e->device_ns;
	struct request q = {
		.subject = row->subject,
		.owner_from = owners[e->owner],
		.via = via,
		.start_wall_ns = wall(r, start),
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
		.start_wall_ns = wall(r, from),
		.ns = what->to_ns - from,
	};

	if (what->to_ns > from && !r->wait_err)
		r->wait_err = r->each_wait(r->each_wait_ctx, &w);
}

uint64_t run_start_wall(const struct run *r)
{
	return r->begun ? wall(r, r->start_ns) : 0;
}

static void describe(const struct run *r, uint64_t start_ns, uint64_t now_ns, struct snapshot *out)
{
	if (now_ns < start_ns)
		now_ns = start_ns;
	out->host = r->begun ? r->facts.host : NULL;
	out->kernel = r->begun ? r->facts.kernel : NULL;
	out->command = r->command[0] ? r->command : NULL;
	out->start_wall_ns = wall(r, start_ns);
	out->start_ns = start_ns;
	out->end_wall_ns = wall(r, now_ns);
	out->duration_ns = now_ns - start_ns;
	out->by = &r->by;
	out->bio_submission = r->facts.bio_submission;
	out->hooks = r->hooks;
	out->n_hooks = r->n_hooks;
}

/* Tasks, what is stuck, and what there is to say about it all. */
static int conclude(struct run *r, bool whole, uint64_t now_ns, struct snapshot *out)
{
	struct known known = {
		.whole = whole,
		.duration_ns = out->duration_ns,
		.model = &r->model,
		.tasks = &r->tasks,
		.flying = &r->flying,
		.usages = &r->usages,
		.asked = &r->asked,
		.served = &r->served,
		.streams = &r->account.streams,
		.phases = &r->phases,
		.gpus = &r->gpus,
	};
	int err = tasks_view(&r->tasks, whole, now_ns) ?:
		  flying_view(&r->flying, &r->tasks, now_ns, r->stuck_ns,
			     r->forgets || (r->detail.n && !whole)) ?:
		  phases_view(&r->phases, &r->tasks, whole ? r->start_ns : r->interval_ns, now_ns, whole) ?:
		  gpus_view(&r->gpus, &r->tasks, whole, now_ns);

	if (err)
		return err;
	served_close(&r->served, whole			  ? now_ns
				 : now_ns > SERVED_LAG_NS ? now_ns - SERVED_LAG_NS
							  : 0);
	findings_find(&r->findings, &known);
	out->waits = r->tasks.on;
	out->tasks = r->tasks.list;
	out->n_tasks = r->tasks.n_list;
	out->stuck_known = r->flying.known;
	out->stuck_ns = r->stuck_ns;
	out->stuck = r->flying.stuck;
	out->n_stuck = r->flying.n_stuck;
	out->n_flying = r->flying.n_listed;
	out->gpus = r->gpus.list;
	out->n_gpus = r->gpus.n_list;
	out->phases_known = r->phases.on;
	out->phases = r->phases.list;
	out->n_phases = r->phases.n_list;
	out->findings_known = true;
	out->findings = r->findings.list;
	out->n_findings = r->findings.n;
	return 0;
}

int run_interval(struct run *r, uint64_t now_ns, struct snapshot *out)
{
	int err, view_err;

	*out = (struct snapshot){.type = SNAPSHOT_INTERVAL};
	describe(r, r->interval_ns, now_ns, out);
	out->by = frame_by(r);
	account_settle(&r->account);
	err = cover_describe(&r->cover, true, &out->coverage) ?: conclude(r, false, now_ns, out);
	view_err = view_interval(&r->view, &r->account.rows, r->forgets ? NULL : &r->whole);
	account_start_interval(&r->account);
	tasks_turn(&r->tasks, now_ns);
	gpus_turn(&r->gpus);
	usages_turn(&r->usages);
	asked_turn(&r->asked);
	served_turn(&r->served);
	cover_turn(&r->cover);
	if (now_ns > r->interval_ns)
		r->interval_ns = now_ns;
	out->rows = r->view.list;
	out->n_rows = r->view.n;
	return err ? err : view_err;
}

/* The current interval's rows, by the keys that the run's are by; NULL: out of memory. */
static const struct rows *fold_interval(struct run *r)
{
	struct row_slot *s;

	if (!r->detail.n)
		return &r->account.rows;
	rows_free(&r->folded);
	rows_init(&r->folded, &r->by, r->whole.max);
	r->folded.host = r->facts.host;
	for (size_t i = 0; (s = rows_next(&r->account.rows, &i));)
		if (rows_fold(&r->folded, s))
			return NULL;
	return &r->folded;
}

int run_whole(struct run *r, uint64_t now_ns, enum snapshot_type type, struct snapshot *out)
{
	const struct rows *interval;
	int err;

	*out = (struct snapshot){.type = type};
	describe(r, r->start_ns, now_ns, out);
	account_settle(&r->account);
	timeline_reach(&r->timeline, now_ns);
	err = cover_describe(&r->cover, false, &out->coverage) ?: conclude(r, true, now_ns, out);
	interval = fold_interval(r);
	if (!err)
		err = interval ? view_whole(&r->view, interval, &r->whole) : -ENOMEM;
	out->rows = r->view.list;
	out->n_rows = r->view.n;
	out->timeline = r->account.timeline;
	return err;
}
