/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A row as nested fields, in the order that the interface promises. JSON and CSV are
 * written from this one description; a field that is added here appears in both.
 */
#include "render/record.h"

#include <stdio.h>

#include "render/columns.h"

bool record_enter(struct record *r, bool known)
{
	if (r->absent || !known)
		r->absent++;
	return r->absent;
}

bool record_leave(struct record *r)
{
	if (!r->absent)
		return false;
	r->absent--;
	return true;
}

static void put_u64(struct record *r, const char *key, uint64_t v)
{
	r->ops->u64(r, key, true, v);
}

/* 0 stands for not known. */
static void put_id(struct record *r, const char *key, uint64_t id)
{
	r->ops->u64(r, key, id, id);
}

static void put_comm(struct record *r, bool known, const char *comm)
{
	r->ops->str(r, "comm", known ? comm : NULL);
}

/* --- what a row stands for ----------------------------------------------------- */

static void put_process(struct record *r, const struct row_subject *subject)
{
	static const struct process nobody;
	const struct process *p = subject->process ? subject->process : &nobody;

	r->ops->open(r, "process", subject->process);
	put_u64(r, "pid", p->pid);
	put_id(r, "ns_pid", p->ns_pid);
	put_comm(r, p->comm_known, p->comm);
	r->ops->str(r, "role", role_name(p->role));
	r->ops->u64(r, "rank", p->rank_known, p->rank);
	r->ops->close(r);
}

static void put_thread(struct record *r, const struct row_subject *subject)
{
	static const struct thread nobody;
	const struct thread *t = subject->thread ? subject->thread : &nobody;

	r->ops->open(r, "thread", subject->thread);
	put_u64(r, "tid", t->tid);
	put_comm(r, t->comm_known, t->comm);
	r->ops->str(r, "role", t->comm_known ? role_name(role_of_thread(t->comm)) : NULL);
	r->ops->close(r);
}

static void put_worker(struct record *r, const struct row_subject *subject)
{
	static const struct worker none;
	const struct worker *w = subject->worker ? subject->worker : &none;

	r->ops->open(r, "worker", subject->worker);
	put_u64(r, "index", w->index);
	r->ops->u64(r, "rank", w->rank_known, w->rank);
	put_u64(r, "pid", w->pid);
	r->ops->str(r, "role", role_name(w->role));
	r->ops->close(r);
}

static void put_cgroup(struct record *r, const struct row_subject *subject)
{
	static const struct cgroup none;
	const struct cgroup *g = subject->cgroup ? subject->cgroup : &none;

	r->ops->open(r, "cgroup", subject->cgroup);
	put_u64(r, "id", IOLAT_CGROUP_ID(g->key));
	r->ops->str(r, "path", g->path);
	r->ops->close(r);
}

static void put_container(struct record *r, const struct row_subject *subject)
{
	static const struct container none;
	const struct container *c = subject->container ? subject->container : &none;

	r->ops->open(r, "container", subject->container);
	r->ops->str(r, "runtime", c->runtime);
	r->ops->str(r, "id", c->id);
	r->ops->str(r, "name", c->name);
	r->ops->close(r);
}

static void put_pod(struct record *r, const struct row_subject *subject)
{
	static const struct pod none;
	const struct pod *p = subject->pod ? subject->pod : &none;

	r->ops->open(r, "pod", subject->pod);
	r->ops->str(r, "namespace", p->space);
	r->ops->str(r, "name", p->name);
	r->ops->str(r, "uid", p->uid);
	r->ops->close(r);
}

static void put_job(struct record *r, const struct row_subject *subject)
{
	static const struct job none;
	const struct job *j = subject->job ? subject->job : &none;

	r->ops->open(r, "job", subject->job);
	r->ops->str(r, "id", j->id);
	r->ops->str(r, "step", j->step);
	r->ops->close(r);
}

static void put_device(struct record *r, const struct row_subject *subject)
{
	static const struct disk none;
	const struct disk *d = subject->disk ? subject->disk : &none;

	r->ops->open(r, "device", subject->disk);
	r->ops->str(r, "name", d->name);
	put_u64(r, "major", d->major);
	put_u64(r, "minor", d->minor);
	r->ops->u64(r, "diskseq", d->diskseq, d->diskseq);
	r->ops->close(r);
}

static void put_op(struct record *r, const struct row_subject *subject)
{
	r->ops->str(r, "op", column_op_name(subject->op));
}

static void put_file(struct record *r, const struct row_subject *subject)
{
	static const struct file none;
	const struct file *f = subject->file ? subject->file : &none;

	r->ops->open(r, "file", subject->file);
	r->ops->str(r, "path", f->path);
	put_id(r, "inode", f->inode);
	r->ops->close(r);
}

static void put_fs(struct record *r, const struct row_subject *subject)
{
	static const struct fs none;
	const struct fs *fs = subject->fs ? subject->fs : &none;

	r->ops->open(r, "fs", subject->fs);
	r->ops->str(r, "type", fs->type);
	r->ops->str(r, "source", fs->source);
	r->ops->str(r, "mount", fs->point);
	r->ops->close(r);
}

static void put_host(struct record *r, const struct row_subject *subject)
{
	r->ops->str(r, "host", subject->host);
}

void record_subject(struct record *r, enum row_key key, const struct row_subject *subject)
{
	static void (*const objects[BY_MAX])(struct record *, const struct row_subject *) = {
		[BY_PROCESS] = put_process,
		[BY_THREAD] = put_thread,
		[BY_WORKER] = put_worker,
		[BY_CGROUP] = put_cgroup,
		[BY_CONTAINER] = put_container,
		[BY_POD] = put_pod,
		[BY_JOB] = put_job,
		[BY_DEVICE] = put_device,
		[BY_OP] = put_op,
		[BY_FILE] = put_file,
		[BY_FS] = put_fs,
		[BY_HOST] = put_host,
	};

	objects[key](r, subject);
}

static void put_subject(struct record *r, const struct by *by, const struct row_subject *subject)
{
	for (int key = 0; key < BY_MAX; key++)
		if (by_has(by, key))
			record_subject(r, key, subject);
}

/* --- what was measured --------------------------------------------------------- */

static void put_counts(struct record *r, const struct row *row)
{
	put_u64(r, "ios", row->ios);
	r->ops->u64(r, "bytes", !row->waits, row->bytes);
	put_u64(r, "errors", row->errors);
	put_u64(r, "requeues", row->requeues);
	put_u64(r, "merged", row->merged);
	r->ops->real(r, "random_pct", row->random_known, row->random_pct);
}

static void put_times(struct record *r, const char *key, const struct hist *h)
{
	r->ops->open(r, key, h->count);
	put_u64(r, "count", h->count);
	put_u64(r, "min_ns", h->min);
	put_u64(r, "mean_ns", hist_mean(h));
	put_u64(r, "p50_ns", hist_percentile(h, 0.5));
	put_u64(r, "p90_ns", hist_percentile(h, 0.9));
	put_u64(r, "p99_ns", hist_percentile(h, 0.99));
	put_u64(r, "p999_ns", hist_percentile(h, 0.999));
	put_u64(r, "max_ns", h->max);
	r->ops->hist(r, "histogram", h);
	r->ops->close(r);
}

static void put_latency(struct record *r, const struct row *row)
{
	r->ops->open(r, "latency", true);
	put_times(r, "total", &row->total);
	put_times(r, "queue", &row->queue);
	put_times(r, "device", &row->device);
	r->ops->close(r);
}

static void put_size(struct record *r, const struct hist *h)
{
	bool known = h->count;

	r->ops->open(r, "size", true);
	r->ops->u64(r, "min_bytes", known, h->min);
	r->ops->u64(r, "mean_bytes", known, hist_mean(h));
	r->ops->u64(r, "max_bytes", known, h->max);
	r->ops->close(r);
}

void record_row(struct record *r, const struct by *by, const struct row *row)
{
	put_subject(r, by, &row->subject);
	r->ops->str(r, "owner_from", row->owner_from);
	r->ops->str(r, "via", row->via);
	put_counts(r, row);
	put_latency(r, row);
	put_size(r, &row->size);
}

/* --- a request ------------------------------------------------------------------ */

#define FLAGS_LEN 64

/* "readahead sync", NULL for none. */
static const char *flag_words(unsigned int flags, char buf[FLAGS_LEN])
{
	static const struct {
		unsigned int flag;
		const char *word;
	} words[] = {
		{IOLAT_RQ_COPY, "copy"}, {IOLAT_RQ_RAHEAD, "readahead"}, {IOLAT_RQ_META, "metadata"},
		{IOLAT_RQ_SYNC, "sync"}, {IOLAT_RQ_SWAP, "swap"},
	};
	size_t len = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (flags & words[i].flag)
			len += (size_t)snprintf(buf + len, FLAGS_LEN - len, "%s%s", len ? " " : "", words[i].word);
	return len ? buf : NULL;
}

void record_request(struct record *r, const struct by *by, const struct request *q)
{
	char flags[FLAGS_LEN];

	put_subject(r, by, &q->subject);
	r->ops->str(r, "owner_from", q->owner_from);
	r->ops->str(r, "via", q->via);
	r->ops->u64(r, "sector", q->has_sector, q->sector);
	put_u64(r, "bytes", q->bytes);
	put_u64(r, "merged", q->merged);
	put_u64(r, "requeues", q->requeues);
	r->ops->u64(r, "errno", q->error, q->error);
	r->ops->str(r, "flags", flag_words(q->flags, flags));
	put_u64(r, "total_ns", q->total_ns);
	r->ops->u64(r, "queue_ns", q->has_parts, q->queue_ns);
	r->ops->u64(r, "device_ns", q->issued, q->device_ns);
}
