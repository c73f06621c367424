// SPDX-License-Identifier: GPL-2.0
/*
 * One run from its first event to its summary: puts frames together from what run_events.c
 * had kept.
 */
#include "stats/run_state.h"

#include <errno.h>
#include <stdlib.h>

#define RUN_ROWS 10000
#define STUCK_NS 1000000000ull
#define SERVED_LAG_NS 1000000000ull /* requests that take longer count in part only in who was served */

static const struct by *frame_by(const struct run *r)
{
	return r->detail.n ? &r->detail : &r->by;
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
	r->tasks.forgets = o->forgets;
	phases_init(&r->phases, &r->model);
	gpus_init(&r->gpus, &r->model);
	r->tasks.spent = run_spent;
	r->tasks.spent_ctx = r;
	usages_init(&r->usages, &r->model);
	r->usages.forgets = o->forgets;
	reread_init(&r->reread);
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
		r->account.each = run_tell_request;
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
	reread_free(&r->reread);
	asked_free(&r->asked);
	served_free(&r->served);
	flying_free(&r->flying);
	cover_free(&r->cover);
	model_free(&r->model);
	select_free(&r->recorded);
	free(r);
}

uint64_t run_end(const struct run *r)
{
	return r->end_ns;
}

uint64_t run_refused(const struct run *r)
{
	return r->cover.refused;
}

uint64_t run_start_wall(const struct run *r)
{
	return r->begun ? run_wall(r, r->start_ns) : 0;
}

static void describe(const struct run *r, uint64_t start_ns, uint64_t now_ns, struct snapshot *out)
{
	if (now_ns < start_ns)
		now_ns = start_ns;
	out->host = r->begun ? r->facts.host : NULL;
	out->kernel = r->begun ? r->facts.kernel : NULL;
	out->command = r->command[0] ? r->command : NULL;
	out->start_wall_ns = run_wall(r, start_ns);
	out->start_ns = start_ns;
	out->end_wall_ns = run_wall(r, now_ns);
	out->duration_ns = now_ns - start_ns;
	out->by = &r->by;
	out->bio_submission = r->facts.bio_submission;
	out->clock = r->clock;
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
