/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON Lines: an object a frame. Every key is always present: null is what is not
 * known or not collected, [] what is collected and empty. Rows are json_row.c's.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/units.h"
#include "render/formats.h"
#include "render/frame.h"
#include "render/json_row.h"
#include "render/order.h"

static void put_u64(struct json *j, const char *key, bool known, uint64_t v)
{
	json_key(j, key);
	if (known)
		json_u64(j, v);
	else
		json_null(j);
}

static void put_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

static void put_null(struct json *j, const char *key)
{
	json_key(j, key);
	json_null(j);
}

/* Where "" means that there is none to know. */
static void put_word(struct json *j, const char *key, const char *s)
{
	json_kstr(j, key, s[0] ? s : NULL);
}

/* --- rows ---------------------------------------------------------------------- */

static void put_buckets(struct json *j, const struct hist *h)
{
	struct hist_bucket b;

	json_open(j, '[');
	for (size_t i = 0; hist_next(h, &i, &b);) {
		json_open(j, '{');
		json_ku64(j, "le_ns", b.hi);
		json_ku64(j, "count", b.count);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_rows(struct json *j, const struct snapshot *s, const struct row *const *rows)
{
	json_key(j, "rows");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_rows; i++)
		json_row(j, s->by, rows[i], put_buckets);
	json_close(j, ']');
}

/* --- the frame ----------------------------------------------------------------- */

static void put_time(struct json *j, const char *key, uint64_t wall_ns)
{
	char buf[RFC3339_LEN];

	json_kstr(j, key, wall_ns ? fmt_rfc3339(buf, wall_ns) : NULL);
}

static void put_head(struct json *j, const struct snapshot *s)
{
	json_kstr(j, "schema", "iolat/1");
	json_kstr(j, "type", frame_type(s));
	json_kstr(j, "iolat", IOLAT_VERSION);
	json_kstr(j, "host", s->host);
	json_kstr(j, "kernel", s->kernel);
	put_time(j, "start", s->start_wall_ns);
	put_time(j, "end", s->end_wall_ns);
	json_ku64(j, "duration_ns", s->duration_ns);
}

static void put_by(struct json *j, const struct by *by)
{
	json_key(j, "by");
	json_open(j, '[');
	for (size_t i = 0; i < by->n; i++)
		json_str(j, row_key_name(by->keys[i]));
	json_close(j, ']');
}

static void put_hooks(struct json *j, const struct snapshot *s)
{
	json_key(j, "hooks");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_hooks; i++) {
		json_open(j, '{');
		json_kstr(j, "name", s->hooks[i].name);
		put_bool(j, "attached", s->hooks[i].attached);
		put_bool(j, "required", s->hooks[i].required);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_rotational(struct json *j, int rotational)
{
	json_key(j, "rotational");
	if (rotational < 0)
		json_null(j);
	else
		json_bool(j, rotational);
}

static void put_below(struct json *j, const struct disk *d)
{
	json_key(j, "stands_on");
	if (!d->below_known) {
		json_null(j);
		return;
	}
	json_open(j, '[');
	for (uint32_t i = 0; i < d->n_below; i++)
		json_str(j, d->below[i]);
	json_close(j, ']');
}

static void put_disk(struct json *j, const struct coverage_disk *c)
{
	static const struct disk no_facts = {.rotational = -1};
	const struct disk *facts = c->disk->facts_known ? c->disk : &no_facts;

	json_open(j, '{');
	json_kstr(j, "device", c->disk->name);
	put_u64(j, "kernel", c->kernel_known, c->kernel);
	json_ku64(j, "seen", c->seen);
	put_word(j, "model", facts->model);
	put_rotational(j, facts->rotational);
	put_word(j, "scheduler", facts->scheduler);
	put_u64(j, "nr_requests", facts->nr_requests, facts->nr_requests);
	put_word(j, "transport", facts->transport);
	put_below(j, c->disk);
	json_close(j, '}');
}

static void put_coverage(struct json *j, const struct coverage *c)
{
	json_key(j, "coverage");
	json_open(j, '{');
	for (size_t i = 0; i < TALLY_NUMBERS; i++)
		put_u64(j, tally_words[i].name, tally_known(c, i), c->tally.all[i]);
	json_key(j, "devices");
	json_open(j, '[');
	for (size_t i = 0; i < c->n_disks; i++)
		put_disk(j, &c->disks[i]);
	json_close(j, ']');
	json_close(j, '}');
}

/* --- tasks, what is stuck, findings --------------------------------------------- */

static void put_reasons(struct json *j, const struct task *t)
{
	json_key(j, "reasons");
	json_open(j, '{');
	for (enum wait_reason i = 0; i < REASON_MAX; i++)
		json_ku64(j, reason_name(i), t->reasons[i]);
	json_close(j, '}');
}

static void put_task(struct json *j, const struct task *t)
{
	double pct = t->wall_ns ? 100.0 * (double)t->blocked_ns / (double)t->wall_ns : 0;

	json_open(j, '{');
	json_subject(j, BY_PROCESS, &t->subject);
	json_subject(j, BY_THREAD, &t->subject);
	json_subject(j, BY_WORKER, &t->subject);
	json_subject(j, BY_CONTAINER, &t->subject);
	json_ku64(j, "wall_ns", t->wall_ns);
	json_ku64(j, "blocked_ns", t->blocked_ns);
	json_key(j, "blocked_pct");
	json_double(j, pct > 100 ? 100 : pct, 2);
	put_reasons(j, t);
	json_close(j, '}');
}

static void put_tasks(struct json *j, const struct snapshot *s)
{
	if (!s->waits) {
		put_null(j, "tasks");
		return;
	}
	json_key(j, "tasks");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_tasks; i++)
		put_task(j, &s->tasks[i]);
	json_close(j, ']');
}

static void put_one_stuck(struct json *j, const struct stuck *k)
{
	json_open(j, '{');
	json_subject(j, BY_PROCESS, &k->subject);
	json_subject(j, BY_THREAD, &k->subject);
	json_subject(j, BY_CONTAINER, &k->subject);
	json_subject(j, BY_DEVICE, &k->subject);
	json_subject(j, BY_OP, &k->subject);
	put_u64(j, "sector", k->has_sector && !k->inferred, k->sector);
	put_u64(j, "bytes", !k->inferred, k->bytes);
	json_ku64(j, "age_ns", k->age_ns);
	json_kstr(j, "stage", stage_name(k->stage));
	put_bool(j, "inferred", k->inferred);
	json_kstr(j, "via", k->via);
	json_close(j, '}');
}

static void put_stuck(struct json *j, const struct snapshot *s)
{
	if (!s->stuck_known) {
		put_null(j, "stuck");
		return;
	}
	json_key(j, "stuck");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_stuck; i++)
		put_one_stuck(j, &s->stuck[i]);
	json_close(j, ']');
}

static void put_files(struct json *j, const struct finding *f)
{
	json_key(j, "files");
	json_open(j, '[');
	for (size_t i = 0; i < f->n_files; i++) {
		json_open(j, '{');
		json_kstr(j, "path", f->files[i].file->path);
		json_ku64(j, "inode", f->files[i].file->inode);
		json_ku64(j, "wait_ns", f->files[i].wait_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_pct(struct json *j, const char *key, bool known, double pct)
{
	json_key(j, key);
	if (known)
		json_double(j, pct, 2);
	else
		json_null(j);
}

static void put_phase_worker(struct json *j, const struct phase_worker *w)
{
	json_open(j, '{');
	json_subject(j, BY_PROCESS, &(struct row_subject){.process = w->process});
	json_subject(j, BY_WORKER, &(struct row_subject){.worker = w->worker});
	json_ku64(j, "wall_ns", w->wall_ns);
	json_ku64(j, "blocked_ns", w->blocked_ns);
	put_pct(j, "blocked_pct", w->wall_ns, 100.0 * (double)w->blocked_ns / (double)w->wall_ns);
	json_close(j, '}');
}

static void put_phase_workers(struct json *j, const struct phase *p)
{
	json_key(j, "workers");
	if (!p->blocked_known) {
		json_null(j);
		return;
	}
	json_open(j, '[');
	for (size_t i = 0; i < p->n_workers; i++)
		put_phase_worker(j, &p->workers[i]);
	json_close(j, ']');
}

static void put_phase(struct json *j, const struct phase *p)
{
	json_open(j, '{');
	json_kstr(j, "name", p->name);
	put_time(j, "start", p->start_wall_ns);
	put_time(j, "end", p->end_wall_ns);
	json_ku64(j, "duration_ns", p->duration_ns);
	put_bool(j, "open", p->open);
	json_ku64(j, "ios", p->ios);
	json_ku64(j, "bytes", p->bytes);
	put_u64(j, "reread_bytes", p->reread_known, p->reread_bytes);
	put_u64(j, "p50_ns", p->ios, p->p50_ns);
	put_u64(j, "p99_ns", p->ios, p->p99_ns);
	put_pct(j, "blocked_pct", p->blocked_known, p->blocked_pct);
	put_phase_workers(j, p);
	json_close(j, '}');
}

static void put_phases(struct json *j, const struct snapshot *s)
{
	if (!s->phases_known) {
		put_null(j, "phases");
		return;
	}
	json_key(j, "phases");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_phases; i++)
		put_phase(j, &s->phases[i]);
	json_close(j, ']');
}

static void put_gpu_process(struct json *j, const struct gpu_process *p)
{
	json_open(j, '{');
	json_ku64(j, "pid", p->process->pid);
	json_kstr(j, "comm", p->process->comm_known ? p->process->comm : NULL);
	put_u64(j, "memory_bytes", p->memory, p->memory);
	json_close(j, '}');
}

static void put_gpu(struct json *j, const struct gpu *g)
{
	json_open(j, '{');
	json_ku64(j, "index", g->number);
	json_kstr(j, "name", g->name);
	put_pct(j, "busy_pct", g->sampled, g->busy_pct);
	put_u64(j, "memory_used_bytes", g->memory_total, g->memory_used);
	put_u64(j, "memory_total_bytes", g->memory_total, g->memory_total);
	put_u64(j, "idle_ns", g->compared_ns, g->idle_ns);
	put_u64(j, "starved_ns", g->compared_ns, g->starved_ns);
	json_key(j, "processes");
	json_open(j, '[');
	for (size_t i = 0; i < g->n_processes; i++)
		put_gpu_process(j, &g->processes[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_gpus(struct json *j, const struct snapshot *s)
{
	if (!s->n_gpus) {
		put_null(j, "gpus");
		return;
	}
	json_key(j, "gpus");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_gpus; i++)
		put_gpu(j, &s->gpus[i]);
	json_close(j, ']');
}

/* Counts are whole; shares and rates have decimals. */
static void put_evidence(struct json *j, const struct finding *f)
{
	json_key(j, "evidence");
	json_open(j, '{');
	for (size_t i = 0; i < f->n_evidence; i++) {
		double v = f->evidence[i].value;
		bool whole = v >= 0 && v < 0x1p53 && v == (double)(uint64_t)v;

		json_key(j, f->evidence[i].key);
		if (f->evidence[i].text)
			json_str(j, f->evidence[i].text);
		else if (whole)
			json_u64(j, (uint64_t)v);
		else
			json_double(j, v, 2);
	}
	if (f->n_files)
		put_files(j, f);
	json_close(j, '}');
}

static void put_findings(struct json *j, const struct snapshot *s)
{
	if (!s->findings_known) {
		put_null(j, "findings");
		return;
	}
	json_key(j, "findings");
	json_open(j, '[');
	for (size_t i = 0; i < s->n_findings; i++) {
		const struct finding *f = &s->findings[i];

		json_open(j, '{');
		json_kstr(j, "code", f->code);
		json_kstr(j, "subject", f->subject);
		json_kstr(j, "text", f->text);
		put_evidence(j, f);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_clock(struct json *j, const struct snapshot *s)
{
	json_key(j, "clock_synchronized");
	if (s->clock == CLOCK_UNKNOWN)
		json_null(j);
	else
		json_bool(j, s->clock == CLOCK_SYNCHRONIZED);
}

static int json_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	const struct row **rows = order_rows(s, o);
	struct json j;

	if (!rows)
		return -ENOMEM;
	json_begin(&j, out);
	json_open(&j, '{');
	put_head(&j, s);
	put_by(&j, s->by);
	json_kstr(&j, "submission", s->bio_submission ? "bio" : "request");
	put_clock(&j, s);
	put_hooks(&j, s);
	put_coverage(&j, &s->coverage);
	put_rows(&j, s, rows);
	put_tasks(&j, s);
	put_stuck(&j, s);
	put_phases(&j, s);
	put_gpus(&j, s);
	put_findings(&j, s);
	json_close(&j, '}');
	json_end(&j);
	free(rows);
	return 0;
}

static int json_request(FILE *out, const struct request *q, const struct by *by, const struct render_options *o)
{
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	json_kstr(&j, "schema", "iolat/1");
	json_kstr(&j, "type", "request");
	put_time(&j, "start", q->start_wall_ns);
	json_request_fields(&j, by, q);
	json_close(&j, '}');
	json_end(&j);
	return 0;
}

const struct renderer renderer_json = {
	.name = "json",
	.snapshot = json_snapshot,
	.request = json_request,
};
