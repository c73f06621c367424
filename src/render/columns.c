/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The column table, shared by every output that is made for people and by the order of
 * rows everywhere. Works on one row of a snapshot at a time; the layout is table.c's,
 * the order order.c's.
 */
#include "render/columns.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "render/column_numbers.h"
#include "render/render.h"

/* --- texts --------------------------------------------------------------------- */

static const char *text_device(const struct cell *cell)
{
	const struct disk *d = cell->row->subject.disk;

	return d ? d->name : NULL;
}

static const char *text_op(const struct cell *cell)
{
	return by_has(cell->frame->by, BY_OP) ? column_op_name(cell->row->subject.op) : NULL;
}

static const char *text_comm(const struct cell *cell)
{
	const struct process *p = cell->row->subject.process;

	return p && p->comm_known ? p->comm : NULL;
}

static const char *text_thread(const struct cell *cell)
{
	const struct thread *t = cell->row->subject.thread;

	return t && t->comm_known ? t->comm : NULL;
}

static const char *text_worker(const struct cell *cell)
{
	const struct worker *w = cell->row->subject.worker;

	return w ? w->name : NULL;
}

/* The worker's where a row stands for one, for its processes come and go. */
static const char *text_role(const struct cell *cell)
{
	const struct row_subject *s = &cell->row->subject;

	if (s->worker)
		return role_name(s->worker->role);
	return s->process ? role_name(s->process->role) : NULL;
}

static const char *text_cgroup(const struct cell *cell)
{
	const struct cgroup *g = cell->row->subject.cgroup;

	return g ? g->path : NULL;
}

/* Of rows by something else: the one that all of the row was in. */
static const struct container *container_of(const struct cell *cell)
{
	return by_has(cell->frame->by, BY_CONTAINER) ? cell->row->subject.container
						     : cell->row->container;
}

static const char *text_container(const struct cell *cell)
{
	const struct container *c = container_of(cell);

	if (!c)
		return NULL;
	return c->name ? c->name : c->label;
}

static const char *text_pod(const struct cell *cell)
{
	const struct pod *p = cell->row->subject.pod;

	if (!p)
		return NULL;
	return p->name ? p->name : p->uid;
}

static const char *text_job(const struct cell *cell)
{
	const struct job *j = cell->row->subject.job;

	return j ? j->id : NULL;
}

static const char *text_file(const struct cell *cell)
{
	const struct file *f = cell->row->subject.file;

	return f ? f->path : NULL;
}

static const char *text_fs(const struct cell *cell)
{
	const struct fs *fs = cell->row->subject.fs;

	return fs ? fs->type : NULL;
}

static const char *text_host(const struct cell *cell)
{
	return cell->row->subject.host;
}

static const char *text_mount(const struct cell *cell)
{
	const struct fs *fs = cell->row->subject.fs;

	return fs ? fs->point : NULL;
}

static const char *text_from(const struct cell *cell)
{
	return cell->row->owner_from;
}

static const char *text_via(const struct cell *cell)
{
	return cell->row->via;
}

static const char *text_gpu(const struct cell *cell)
{
	const struct process *p = cell->row->subject.process;

	return p && p->gpus ? "gpu" : NULL;
}

/* The numbers of those that the process uses: "0,3". */
static void print_gpu(FILE *out, const struct cell *cell)
{
	const struct process *p = cell->row->subject.process;
	const char *comma = "";

	for (unsigned int i = 0; p && i < 32; i++) {
		if (!(p->gpus & 1u << i))
			continue;
		fprintf(out, "%s%u", comma, i);
		comma = ",";
	}
	if (!*comma)
		fputc('-', out);
}

static void print_bracketed(FILE *out, const char *s)
{
	fputc('[', out);
	column_print_text(out, s);
	fputc(']', out);
}

void column_print_part_in_job(FILE *out, const struct process *p)
{
	if (p->index_known)
		fprintf(out, "[%" PRIu32 "]", p->index);
	if (!p->rank_known)
		return;
	fprintf(out, " rank %" PRIu32, p->rank);
	if (p->world_size)
		fprintf(out, "/%" PRIu32, p->world_size);
}

static void print_comm(FILE *out, const struct cell *cell)
{
	const char *comm = text_comm(cell), *via = cell->row->via;

	if (comm || !via)
		column_print_text(out, comm ? comm : "-");
	if (comm)
		column_print_part_in_job(out, cell->row->subject.process);
	if (comm && via)
		fputc(' ', out);
	if (via)
		print_bracketed(out, via);
}

/* Workers of several loaders have the same numbers: the process id tells them apart. */
static void print_worker(FILE *out, const struct cell *cell)
{
	const struct worker *w = cell->row->subject.worker;

	fputs(w ? w->name : "-", out);
	if (w && !by_has(cell->frame->by, BY_PROCESS))
		fprintf(out, " pid %" PRIu32, w->pid);
}

static void print_cgroup(FILE *out, const struct cell *cell)
{
	const struct cgroup *g = cell->row->subject.cgroup;

	if (g && !g->path)
		fprintf(out, "id %llu", (unsigned long long)IOLAT_CGROUP_ID(g->key));
	else
		column_print_text(out, g ? g->path : "-");
}

static void print_file(FILE *out, const struct cell *cell)
{
	const struct file *f = cell->row->subject.file;

	if (f && !f->path)
		fprintf(out, "inode %" PRIu64, f->inode);
	else
		column_print_text(out, f ? f->path : "-");
}

static void print_fs(FILE *out, const struct cell *cell)
{
	const struct fs *fs = cell->row->subject.fs;

	if (fs && !fs->type)
		fprintf(out, "%" PRIu32 ":%" PRIu32, fs->major, fs->minor);
	else
		column_print_text(out, fs ? fs->type : "-");
	if (fs && fs->source) {
		fputc(' ', out);
		column_print_text(out, fs->source);
	}
}

static void print_pod(FILE *out, const struct cell *cell)
{
	const struct pod *p = cell->row->subject.pod;

	if (p && p->name && p->space) {
		column_print_text(out, p->space);
		fputc('/', out);
	}
	column_print_text(out, p ? text_pod(cell) : "-");
}

static void print_job(FILE *out, const struct cell *cell)
{
	const struct job *j = cell->row->subject.job;

	column_print_text(out, j ? j->id : "-");
	if (j && j->step) {
		fputc('.', out);
		column_print_text(out, j->step);
	}
}

/* --- the table ----------------------------------------------------------------- */

#define ROW(member)   .field = offsetof(struct row, member)
#define COUNT(member) .number = column_number_field, .format = column_format_count, ROW(member)
#define PERCENTILE(member, share)                                                                  \
	.number = column_number_percentile, .format = column_format_duration, ROW(member), .p = (share)
#define TIME(what, member) .number = column_number_##what, .format = column_format_duration, ROW(member)
#define SIZE(what)	   .number = column_number_##what, .format = fmt_bytes, ROW(size)

/* In the order of the default table: measures, then who and where, names last. */
/* clang-format off */
static const struct column columns[] = {
	{ "ios",        "IOS",     SHOW_ALWAYS, COUNT(ios), .what = "I/Os completed" },
	{ "iops",       "IOPS",    SHOW_ALWAYS, .number = column_number_iops, .format = column_format_iops, .what = "I/Os a second" },
	{ "bytes",      "BYTES",   SHOW_ASKED,  .number = column_number_field, .format = fmt_bytes, ROW(bytes), .what = "bytes moved" },
	{ "rate",       "MiB/s",   SHOW_ALWAYS, .number = column_number_rate, .format = column_format_hundredths, .what = "throughput" },
	{ "size",       "AVG-SIZE", SHOW_ALWAYS, SIZE(mean), .what = "mean size of an I/O" },
	{ "size_min",   "MIN-SIZE", SHOW_ASKED, SIZE(min), .what = "smallest I/O" },
	{ "size_max",   "MAX-SIZE", SHOW_ASKED, SIZE(max), .what = "largest I/O" },
	{ "random",     "RANDOM%", SHOW_ASKED,  .number = column_number_random, .format = column_format_tenths,
		.what = "share of I/Os that start more than 128 KiB from the end of the one before, of the process on the device" },
	{ "merged",     "MERGED",  SHOW_ASKED,  COUNT(merged), .what = "bios that joined the I/O of another" },
	{ "wait",       "WAIT",    SHOW_ASKED,  TIME(sum, total), .what = "time that all I/Os took together" },
	{ "min",        "MIN",     SHOW_ASKED,  TIME(min, total), .what = "shortest latency" },
	{ "mean",       "MEAN",    SHOW_ASKED,  TIME(mean, total), .what = "mean latency" },
	{ "p50",        "P50",     SHOW_ALWAYS, PERCENTILE(total, 0.5), .what = "median latency: half of the I/Os took no longer" },
	{ "p90",        "P90",     SHOW_ASKED,  PERCENTILE(total, 0.9), .what = "latency that nine in ten did not exceed" },
	{ "p99",        "P99",     SHOW_ALWAYS, PERCENTILE(total, 0.99), .what = "latency that 99 in 100 did not exceed" },
	{ "p999",       "P99.9",   SHOW_ASKED,  PERCENTILE(total, 0.999), .what = "latency that 999 in 1000 did not exceed" },
	{ "max",        "MAX",     SHOW_ALWAYS, TIME(max, total), .what = "longest latency" },
	{ "queue_mean", "Q-MEAN",  SHOW_ASKED,  TIME(mean, queue),
		.what = "mean time in the queue: from submission to the last issue to the driver" },
	{ "queue_p50",  "Q-P50",   SHOW_ASKED,  PERCENTILE(queue, 0.5), .what = "median time in the queue" },
	{ "queue_p99",  "Q-P99",   SHOW_ASKED,  PERCENTILE(queue, 0.99), .what = "time in the queue that 99 in 100 did not exceed" },
	{ "queue_max",  "Q-MAX",   SHOW_ASKED,  TIME(max, queue), .what = "longest time in the queue" },
	{ "device_mean", "D-MEAN", SHOW_ASKED,  TIME(mean, device), .what = "mean time in the device: from that issue to completion" },
	{ "device_p50", "D-P50",   SHOW_ASKED,  PERCENTILE(device, 0.5), .what = "median time in the device" },
	{ "device_p99", "D-P99",   SHOW_ASKED,  PERCENTILE(device, 0.99), .what = "time in the device that 99 in 100 did not exceed" },
	{ "device_max", "D-MAX",   SHOW_ASKED,  TIME(max, device), .what = "longest time in the device" },
	{ "queue_pct",  "QUEUE%",  SHOW_ALWAYS, .number = column_number_queue_pct, .format = column_format_tenths,
		.what = "part of the latency that was spent in the queue" },
	{ "errors",     "ERRORS",  SHOW_ANY,    COUNT(errors), .what = "I/Os that failed" },
	{ "requeues",   "REQUEUES", SHOW_ANY,   COUNT(requeues), .what = "times that a driver gave a request back" },
	{ "pid",        "PID",     SHOW_KEY,    BY_PROCESS, .number = column_number_pid, .format = column_format_count, .what = "process id" },
	{ "ns_pid",     "NS-PID",  SHOW_ASKED,  .number = column_number_ns_pid, .format = column_format_count,
		.what = "process id in its own PID namespace" },
	{ "tid",        "TID",     SHOW_KEY,    BY_THREAD, .number = column_number_tid, .format = column_format_count, .what = "thread id" },
	{ "device",     "DEVICE",  SHOW_KEY,    BY_DEVICE, .text = text_device, .what = "the disk" },
	{ "op",         "OP",      SHOW_KEY,    BY_OP, .text = text_op, .what = "read, write, flush, discard or other" },
	{ "owner_from", "FROM",    SHOW_ASKED,  .text = text_from, .what = "how the owner was found: task, bio or page" },
	{ "comm",       "COMM",    SHOW_KEY,    BY_PROCESS, .text = text_comm, .print = print_comm,
		.what = "name of the process; of a data loader's worker with number and rank" },
	{ "thread",     "THREAD",  SHOW_KEY,    BY_THREAD, .text = text_thread, .what = "name of the thread" },
	{ "worker",     "WORKER",  SHOW_KEY,    BY_WORKER, .text = text_worker, .print = print_worker,
		.what = "number of the data loader's worker, and its rank" },
	{ "role",       "ROLE",    SHOW_KEY,    BY_WORKER, .text = text_role,
		.what = "what the process or thread is in a training job" },
	{ "container",  "CONTAINER", SHOW_KEY_OR_ANY, BY_CONTAINER, .text = text_container,
		.what = "name of the container, else its id" },
	{ "pod",        "POD",     SHOW_KEY,    BY_POD, .text = text_pod, .print = print_pod,
		.what = "namespace and name of the pod" },
	{ "job",        "JOB",     SHOW_KEY,    BY_JOB, .text = text_job, .print = print_job, .what = "id and step of the job" },
	{ "cgroup",     "CGROUP",  SHOW_KEY,    BY_CGROUP, .text = text_cgroup, .print = print_cgroup, .what = "path of the cgroup" },
	{ "fs",         "FILE-SYSTEM", SHOW_KEY, BY_FS, .text = text_fs, .print = print_fs,
		.what = "type and source of the file system" },
	{ "host",       "HOST",    SHOW_KEY,    BY_HOST, .text = text_host, .what = "where it was recorded" },
	{ "mount",      "MOUNT",   SHOW_KEY,    BY_FS, .text = text_mount, .what = "where the file system is mounted" },
	{ "file",       "FILE",    SHOW_KEY,    BY_FILE, .text = text_file, .print = print_file, .what = "path of the file" },
	{ "gpu",        "GPU",     SHOW_ANY,    .text = text_gpu, .print = print_gpu, .what = "GPUs that the process uses" },
	{ "via",        "VIA",     SHOW_ANY_BUT, BY_PROCESS, .text = text_via,
		.what = "what submitted it, where that was no user task, or what passed it on from a device above" },
};
/* clang-format on */
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

const struct column *column_at(size_t i)
{
	return i < N_COLUMNS ? &columns[i] : NULL;
}

const char *column_name_at(size_t i)
{
	return i < N_COLUMNS ? columns[i].name : NULL;
}

const struct column *column_find(const char *name)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

/* Whether the cell holds something worth a column. */
static bool cell_filled(const struct column *c, const struct cell *cell)
{
	double v;

	if (c->text)
		return c->text(cell);
	return c->number(c, cell, &v) && v != 0;
}

static bool any_filled(const struct column *c, const struct snapshot *frame,
		       const struct row *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cell_filled(c, &(struct cell){frame, rows[i]}))
			return true;
	return false;
}

bool column_shown(const struct column *c, const struct snapshot *frame,
		  const struct row *const *rows, size_t n)
{
	switch (c->show) {
	case SHOW_ASKED:
		return false;
	case SHOW_ALWAYS:
		return true;
	case SHOW_ANY:
		return any_filled(c, frame, rows, n);
	case SHOW_ANY_BUT:
		return !by_has(frame->by, c->key) && any_filled(c, frame, rows, n);
	case SHOW_KEY:
		return by_has(frame->by, c->key);
	case SHOW_KEY_OR_ANY:
		return by_has(frame->by, c->key) || any_filled(c, frame, rows, n);
	}
	return false;
}

static void print_number(const struct column *c, FILE *out, const struct cell *cell)
{
	char buf[UNITS_LEN];
	double v;

	fputs(c->number(c, cell, &v) ? c->format(buf, v) : "-", out);
}

void column_print(const struct column *c, FILE *out, const struct cell *cell)
{
	const char *s;

	if (c->number) {
		print_number(c, out, cell);
	} else if (c->print) {
		c->print(out, cell);
	} else {
		s = c->text(cell);
		column_print_text(out, s ? s : "-");
	}
}

/* Character by character, so that texts of any length need no memory. */
void column_print_text(FILE *out, const char *s)
{
	char clean[TEXT_CHAR];

	while (*s) {
		s += text_printable_char(clean, s);
		fputs(clean, out);
	}
}

const char *column_op_name(enum iolat_op op)
{
	static const char *const names[IOLAT_OP_MAX] = {
		[IOLAT_OP_READ] = "read",   [IOLAT_OP_WRITE] = "write",
		[IOLAT_OP_FLUSH] = "flush", [IOLAT_OP_DISCARD] = "discard",
		[IOLAT_OP_OTHER] = "other",
	};

	return (unsigned int)op < IOLAT_OP_MAX ? names[op] : names[IOLAT_OP_OTHER];
}

void column_print_keys(FILE *out, const struct snapshot *frame, const struct row *row)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct column *c = &columns[i];

		if (!column_shown(c, frame, &row, 1) ||
		    (c->show != SHOW_KEY && !(c->show == SHOW_KEY_OR_ANY && by_has(frame->by, c->key))))
			continue;
		fprintf(out, "%s ", c->name);
		column_print(c, out, &(struct cell){frame, row});
		fputs("  ", out);
	}
}
