// SPDX-License-Identifier: GPL-2.0
/*
 * Chrome's trace format, which Perfetto and torch.profiler's viewers read. Requests are async slices of their process
 * with a part for the queue and one for the device, waits are slices of the thread that waited; phases and counters
 * belong to a process of iolat's own. Everything else of a trace that is merged into stays byte for byte.
 */
#include "render/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "render/columns.h"
#include "render/formats.h"
#include "stats/gpus.h"
#include "stats/timeline.h"

#define OWN_PID ((1u << 22) + 1) /* beyond PID_MAX_LIMIT: nobody's */

enum own_tid { TID_PHASES = 1, TID_NOBODY };

/* --- single events -------------------------------------------------------------------- */

/* Events stand behind one another; the first one is trace_start()'s. */
static void open_event(struct json *j, FILE *out, const char *ph, uint32_t pid, uint32_t tid)
{
	fputs(",\n", out);
	json_begin(j, out);
	json_open(j, '{');
	json_kstr(j, "ph", ph);
	json_kstr(j, "cat", "iolat");
	json_ku64(j, "pid", pid);
	json_ku64(j, "tid", tid);
}

static void open_args(struct json *j)
{
	json_key(j, "args");
	json_open(j, '{');
}

static void close_args(struct json *j)
{
	json_close(j, '}');
	json_close(j, '}');
}

/* Microseconds with the nanoseconds behind the point; a double would lose them. */
static void put_us(struct json *j, const char *key, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", size / 1000, size % 1000);
	json_key(j, key);
	json_raw(j, text);
}

/* What was there when the run began has its beginning at 0: Perfetto leaves out what has a negative time
 * (trace_sorter.h). In another's trace ts 0 is somewhere in the run, and times stay what they are. */
static void put_ts(struct json *j, uint64_t wall_ns, const struct render_options *o)
{
	int64_t ns = (int64_t)(wall_ns - o->base_ns);

	put_us(j, "ts", ns < 0 && !o->merge ? 0 : ns);
}

static void put_name(FILE *out, const char *what, uint32_t pid, uint32_t tid, const char *key, const char *name)
{
	struct json j;

	open_event(&j, out, "M", pid, tid);
	json_kstr(&j, "name", what);
	open_args(&j);
	json_kstr(&j, key, name);
	close_args(&j);
}

/* --- whose ------------------------------------------------------------------------------- */

static bool is_in_merged(const struct render_options *o, uint32_t pid)
{
	return o->merge && trace_scan_has_pid(&o->merge->scan, pid);
}

/* A trace that was made in a container has the numbers that are seen there. */
static uint32_t pid_of(const struct process *p, const struct render_options *o)
{
	if (!p)
		return OWN_PID;
	return p->ns_pid && !is_in_merged(o, p->pid) && is_in_merged(o, p->ns_pid) ? p->ns_pid : p->pid;
}

static uint32_t tid_of(const struct process *p, const struct thread *t, const struct render_options *o)
{
	if (!p)
		return TID_NOBODY;
	return !t || t->tid == p->pid ? pid_of(p, o) : t->tid;
}

/* --- requests ---------------------------------------------------------------------------- */

static void open_part(struct json *j, FILE *out, const struct request *q, const struct render_options *o, const char *ph,
		      const char *name, uint64_t after_ns)
{
	const struct process *p = q->subject.process;
	uint32_t tid = tid_of(p, q->subject.thread, o);
	char id[64];

	snprintf(id, sizeof(id), "%" PRIx64 ".%x.%" PRIx64, q->start_wall_ns, tid, q->sector);
	open_event(j, out, ph, pid_of(p, o), tid);
	json_kstr(j, "id", id);
	json_kstr(j, "name", name);
	put_ts(j, q->start_wall_ns + after_ns, o);
}

static void put_part(FILE *out, const struct request *q, const struct render_options *o, const char *name, uint64_t from_ns,
		     uint64_t to_ns)
{
	struct json j;

	open_part(&j, out, q, o, "b", name, from_ns);
	json_close(&j, '}');
	open_part(&j, out, q, o, "e", name, to_ns);
	json_close(&j, '}');
}

static void put_known(struct json *j, const char *key, bool known, uint64_t v)
{
	if (known)
		json_ku64(j, key, v);
}

static void put_details(struct json *j, const struct request *q)
{
	open_args(j);
	json_kstr(j, "device", q->subject.disk ? q->subject.disk->name : NULL);
	json_kstr(j, "op", column_op_name(q->subject.op));
	json_ku64(j, "bytes", q->bytes);
	put_known(j, "sector", q->has_sector, q->sector);
	put_known(j, "queue_ns", q->has_parts, q->queue_ns);
	put_known(j, "device_ns", q->issued, q->device_ns);
	if (q->subject.file)
		json_kstr(j, "file", q->subject.file->path);
	put_known(j, "errno", q->error, q->error);
	put_known(j, "requeues", q->requeues, q->requeues);
	if (q->via)
		json_kstr(j, "via", q->via);
	close_args(j);
}

static int trace_request(FILE *out, const struct request *q, const struct by *by, const struct render_options *o)
{
	char name[UNITS_LEN + 80], size[UNITS_LEN];
	struct json j;

	snprintf(name, sizeof(name), "%s %s %s", column_op_name(q->subject.op), fmt_bytes(size, (double)q->bytes),
		 q->subject.disk ? q->subject.disk->name : "");
	open_part(&j, out, q, o, "b", name, 0);
	put_details(&j, q);
	if (q->has_parts)
		put_part(out, q, o, "queue", 0, q->queue_ns);
	if (q->issued)
		put_part(out, q, o, "device", q->queue_ns, q->total_ns);
	open_part(&j, out, q, o, "e", name, q->total_ns);
	json_close(&j, '}');
	return 0;
}

/* --- waits -------------------------------------------------------------------------------- */

static int trace_wait(FILE *out, const struct task_wait *w, const struct render_options *o)
{
	char name[32];
	struct json j;

	snprintf(name, sizeof(name), "wait: %s", reason_name((enum wait_reason)w->reason));
	open_event(&j, out, "X", pid_of(w->process, o), tid_of(w->process, w->thread, o));
	json_kstr(&j, "name", name);
	put_ts(&j, w->start_wall_ns, o);
	put_us(&j, "dur", (int64_t)w->ns);
	json_close(&j, '}');
	return 0;
}

/* --- names -------------------------------------------------------------------------------- */

static void name_worker(FILE *out, uint32_t pid, const struct worker *w)
{
	char text[96];

	snprintf(text, sizeof(text), "worker %" PRIu32 "%s%s", w->index, role_name(w->role) ? ", " : "",
		 role_name(w->role) ? role_name(w->role) : "");
	put_name(out, "process_labels", pid, pid, "labels", text);
}

/* What the merged trace has a name for keeps it. */
static void name_process(FILE *out, const struct process *p, const struct worker *w, const struct render_options *o)
{
	uint32_t pid = pid_of(p, o);

	if (is_in_merged(o, pid))
		return;
	if (p->comm_known)
		put_name(out, "process_name", pid, pid, "name", p->comm);
	if (w)
		name_worker(out, pid, w);
}

static void name_thread(FILE *out, const struct process *p, const struct thread *t, const struct render_options *o)
{
	if (t && t->comm_known && !is_in_merged(o, pid_of(p, o)))
		put_name(out, "thread_name", pid_of(p, o), tid_of(p, t, o), "name", t->comm);
}

/* A name that comes twice is the same one. */
static void put_names(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct row_subject *u = &s->rows[i]->subject;

		if (!u->process)
			continue;
		name_process(out, u->process, u->worker, o);
		name_thread(out, u->process, u->thread, o);
	}
	for (size_t i = 0; i < s->n_tasks; i++) {
		const struct row_subject *u = &s->tasks[i].subject;

		if (!s->tasks[i].blocked_ns)
			continue;
		name_process(out, u->process, u->worker, o);
		name_thread(out, u->process, u->thread, o);
	}
}

/* --- counters, phases ----------------------------------------------------------------------- */

static void put_counter(FILE *out, const char *disk, const char *what, uint64_t wall_ns, const struct render_options *o,
			const double v[2])
{
	char name[80];
	struct json j;

	snprintf(name, sizeof(name), "%s %s", disk, what);
	open_event(&j, out, "C", OWN_PID, 0);
	json_kstr(&j, "name", name);
	put_ts(&j, wall_ns, o);
	open_args(&j);
	json_key(&j, "read");
	json_double(&j, v[0], 2);
	json_key(&j, "write");
	json_double(&j, v[1], 2);
	close_args(&j);
}

static void put_disk_counters(FILE *out, const struct snapshot *s, size_t disk, const struct render_options *o)
{
	const struct timeline *t = s->timeline;
	const char *name = timeline_disk(t, disk)->name;
	double width = (double)t->width_ns;

	for (size_t b = 0; b < t->used; b++) {
		uint64_t at = s->start_wall_ns + b * t->width_ns;
		double depth[2] = {0}, rate[2] = {0};

		for (int op = 0; op < IOLAT_OP_MAX; op++) {
			const struct timeline_track *track = t->tracks[disk][TIMELINE_OWN][op];

			if (!track)
				continue;
			depth[op != IOLAT_OP_READ] += (double)track->buckets[b].in_flight_ns / width;
			rate[op != IOLAT_OP_READ] += (double)track->buckets[b].bytes * 1e9 / width / (1 << 20);
		}
		put_counter(out, name, "in flight", at, o, depth);
		put_counter(out, name, "MiB/s", at, o, rate);
	}
}

static void put_gpu(FILE *out, const struct snapshot *s, const struct gpu *g, const struct render_options *o)
{
	struct json j;
	char name[80];

	snprintf(name, sizeof(name), "GPU %u busy %%", g->number);
	for (size_t i = 0; i < g->n_samples; i++) {
		open_event(&j, out, "C", OWN_PID, 0);
		json_kstr(&j, "name", name);
		put_ts(&j, s->start_wall_ns + (g->samples[i].from_ns - s->start_ns), o);
		open_args(&j);
		json_ku64(&j, "busy", g->samples[i].busy_pct);
		close_args(&j);
	}
}

static void put_counters(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	for (size_t i = 0; s->timeline && timeline_disk(s->timeline, i); i++)
		put_disk_counters(out, s, i, o);
	for (size_t i = 0; i < s->n_gpus; i++)
		put_gpu(out, s, &s->gpus[i], o);
}

static void put_phase(FILE *out, const struct phase *p, const struct render_options *o)
{
	struct json j;

	open_event(&j, out, "X", OWN_PID, TID_PHASES);
	json_kstr(&j, "name", p->name);
	put_ts(&j, p->start_wall_ns, o);
	put_us(&j, "dur", (int64_t)p->duration_ns);
	open_args(&j);
	json_ku64(&j, "ios", p->ios);
	json_ku64(&j, "bytes", p->bytes);
	if (p->reread_known)
		json_ku64(&j, "reread_bytes", p->reread_bytes);
	close_args(&j);
}

/* --- around them ------------------------------------------------------------------------------ */

/* Copies up to `end`, which the last copy reached from `at`. */
static int copy(FILE *out, const struct trace_merge *m, uint64_t at, uint64_t end)
{
	char buf[65536];

	while (at < end) {
		size_t most = end - at < sizeof(buf) ? (size_t)(end - at) : sizeof(buf);
		ssize_t n = m->read(m->ctx, buf, most);

		if (n < 0)
			return -EIO;
		if (!n)
			break;
		fwrite(buf, 1, (size_t)n, out);
		at += (uint64_t)n;
	}
	return 0;
}

static int trace_start(FILE *out, const struct by *by, const struct render_options *o)
{
	struct json j;
	int err = 0;

	if (o->merge) {
		err = copy(out, o->merge, 0, o->merge->scan.events_end);
		fputs(o->merge->scan.empty ? "\n" : ",\n", out);
	} else {
		fputs("{\"traceEvents\":[\n", out);
	}
	json_begin(&j, out);
	json_open(&j, '{');
	json_kstr(&j, "ph", "M");
	json_kstr(&j, "cat", "iolat");
	json_ku64(&j, "pid", OWN_PID);
	json_ku64(&j, "tid", 0);
	json_kstr(&j, "name", "process_name");
	open_args(&j);
	json_kstr(&j, "name", "iolat");
	close_args(&j);
	put_name(out, "thread_name", OWN_PID, TID_PHASES, "name", "phases");
	put_name(out, "thread_name", OWN_PID, TID_NOBODY, "name", "kernel");
	return err;
}

static int put_end(FILE *out, const struct render_options *o)
{
	if (o->merge) {
		fputc('\n', out);
		return copy(out, o->merge, o->merge->scan.events_end, o->merge->scan.at);
	}
	fprintf(out, "\n],\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":%" PRIu64 "}\n", o->base_ns);
	return 0;
}

static int trace_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	put_names(out, s, o);
	if (s->type == SNAPSHOT_INTERVAL)
		return 0;
	for (size_t i = 0; i < s->n_phases; i++)
		put_phase(out, &s->phases[i], o);
	put_counters(out, s, o);
	return put_end(out, o);
}

const struct renderer renderer_trace = {
	.name = "trace",
	.snapshot = trace_snapshot,
	.start = trace_start,
	.timeline = true,
	.request = trace_request,
	.wait = trace_wait,
};
