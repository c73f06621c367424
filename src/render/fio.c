// SPDX-License-Identifier: GPL-2.0
/*
 * What was recorded as a job file of fio(1) with an I/O log for each worker or process beside it: the same
 * offsets, sizes and directions at the same times. Writes are left out unless they are asked for.
 *
 * The log is of version 2, which every fio since 1.17 reads. Its `wait` is in milliseconds from the start of
 * the run (read_iolog_get() in fio's iolog.c), which is less fine than the requests' times.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "render/columns.h"
#include "render/formats.h"

#define JOBS_MOST 200 /* files that are open at once; the rest share the last one */
#define MS_NS	  1000000ull
#define NAME_LEN  48

struct fio_job {
	uint32_t pid; /* 0: no process */
	char name[NAME_LEN];
	FILE *log;
	char *path;
	const struct disk *disk; /* of the last request */
	uint64_t waited_ms;
	uint64_t reads, writes;
};

struct fio {
	struct fio_job *jobs;
	size_t n;
	uint64_t end; /* of the furthest request, in bytes */
	bool whole;   /* the job file is written, too */
};

/* Letters, digits and what else is harmless in a section's name. */
static void put_harmless(char *to, size_t size, const char *from)
{
	size_t i = 0;

	for (; from[i] && i + 1 < size; i++)
		to[i] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", from[i])
				? from[i]
				: '_';
	to[i] = '\0';
}

static void name_job(char name[NAME_LEN], const struct request *q)
{
	const struct process *p = q->subject.process;
	char comm[IOLAT_NAME_LEN];

	put_harmless(comm, sizeof(comm), p ? (p->comm_known ? p->comm : "process") : q->via ? q->via : "nobody");
	if (p && p->index_known)
		snprintf(name, NAME_LEN, "%s-worker-%u-%u", comm, p->index, p->pid);
	else if (p)
		snprintf(name, NAME_LEN, "%s-%u", comm, p->pid);
	else
		snprintf(name, NAME_LEN, "%s", comm);
}

static struct fio_job *find(const struct fio *f, uint32_t pid, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->jobs[i].pid == pid && (pid || !strcmp(f->jobs[i].name, name)))
			return &f->jobs[i];
	return f->n == JOBS_MOST ? &f->jobs[f->n - 1] : NULL;
}

static int explain(const struct fio_job *j)
{
	log_error("cannot write to %s: %s", j->path, strerror(errno ?: EIO));
	return -ECANCELED; /* and said */
}

/* The job of a request's owner, made when it is new. *err says why there is none. */
static struct fio_job *job_of(struct fio *f, const struct request *q, const struct render_options *o, int *err)
{
	uint32_t pid = q->subject.process ? q->subject.process->pid : 0;
	struct fio_job *j, *jobs;
	char name[NAME_LEN];

	name_job(name, q);
	j = find(f, pid, name);
	if (j)
		return j;
	*err = -ENOMEM;
	jobs = realloc(f->jobs, (f->n + 1) * sizeof(*jobs));
	if (!jobs)
		return NULL;
	f->jobs = jobs;
	j = &jobs[f->n];
	*j = (struct fio_job){.pid = pid};
	memcpy(j->name, name, sizeof(name));
	j->log = o->beside(o->beside_ctx, (unsigned int)f->n, &j->path);
	if (!j->log) {
		*err = -ECANCELED; /* and said */
		return NULL;
	}
	f->n++;
	fputs("fio version 2 iolog\n", j->log);
	return j;
}

/* Where it is told on which disk requests are, so that several can be told apart. */
static void put_disk(struct fio_job *j, const struct disk *disk)
{
	if (j->disk == disk)
		return;
	j->disk = disk;
	fprintf(j->log, "/dev/%s add\n/dev/%s open\n", disk->name, disk->name);
}

static bool replayable(const struct request *q, const struct render_options *o)
{
	if (!q->subject.disk || !q->has_sector || !q->bytes || q->flags & IOLAT_RQ_COPY)
		return false;
	return q->subject.op == IOLAT_OP_READ || (q->subject.op == IOLAT_OP_WRITE && o->writes);
}

static int fio_request(FILE *out, const struct request *q, const struct by *by, const struct render_options *o)
{
	struct fio *f = *o->state;
	uint64_t ms = q->start_ns / MS_NS;
	struct fio_job *j;
	int err = 0;

	if (!replayable(q, o))
		return 0;
	j = job_of(f, q, o, &err);
	if (!j)
		return err;
	put_disk(j, q->subject.disk);
	if (ms > j->waited_ms)
		fprintf(j->log, "/dev/%s wait %" PRIu64 " 0\n", j->disk->name, ms);
	j->waited_ms = ms > j->waited_ms ? ms : j->waited_ms;
	fprintf(j->log, "/dev/%s %s %" PRIu64 " %" PRIu64 "\n", j->disk->name, column_op_name(q->subject.op),
		q->sector * 512, q->bytes);
	*(q->subject.op == IOLAT_OP_READ ? &j->reads : &j->writes) += 1;
	if (q->sector * 512 + q->bytes > f->end)
		f->end = q->sector * 512 + q->bytes;
	return ferror(j->log) ? explain(j) : 0;
}

static int fio_start(FILE *out, const struct by *by, const struct render_options *o)
{
	*o->state = calloc(1, sizeof(struct fio));
	return *o->state ? 0 : -ENOMEM;
}

static void put_head(FILE *out, const struct fio *f, const struct snapshot *s, const struct render_options *o)
{
	fputs("; Replays what iolat recorded on ", out);
	column_print_text(out, s->host ? s->host : "a host");
	fprintf(out,
		". Against a disk or a file of at least %" PRIu64 " bytes:\n"
		";\n"
		";	TARGET=/dev/nvme1n1 fio %sFILE\n"
		";\n"
		"; as fast as possible: --replay_no_stall=1; on a smaller target: --replay_scale=N divides the offsets.\n"
		"%s\n"
		"[global]\nioengine=psync\ndirect=1\nthread\ngroup_reporting\nreplay_redirect=${TARGET}\n",
		f->end, o->writes ? "" : "--readonly ",
		o->writes ? "; It WRITES to the target." : "; It reads only; --op read,write takes the writes, too.");
}

static int close_job(FILE *out, struct fio_job *j)
{
	int err = fclose(j->log) ? explain(j) : 0;

	j->log = NULL;
	fprintf(out, "\n; %" PRIu64 " reads, %" PRIu64 " writes\n[%s]\nread_iolog=%s\n", j->reads, j->writes, j->name,
		j->path);
	return err;
}

static int fio_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	struct fio none = {0}, *f = o->state ? *o->state : &none;
	int err = 0;

	if (s->type != SNAPSHOT_SUMMARY)
		return 0;
	put_head(out, f, s, o);
	if (!f->n)
		fputs("; nothing that can be replayed was recorded\n", out);
	for (size_t i = 0; !err && i < f->n; i++)
		err = close_job(out, &f->jobs[i]);
	f->whole = !err && !fflush(out);
	return err;
}

static void fio_free(const struct render_options *o)
{
	struct fio *f = *o->state;

	for (size_t i = 0; f && i < f->n; i++) {
		if (f->jobs[i].log)
			fclose(f->jobs[i].log);
		if (!f->whole)
			unlink(f->jobs[i].path); /* of no use alone */
		free(f->jobs[i].path);
	}
	free(f ? f->jobs : NULL);
	free(f);
	*o->state = NULL;
}

const struct renderer renderer_fio = {
	.name = "fio",
	.snapshot = fio_snapshot,
	.start = fio_start,
	.request = fio_request,
	.end = fio_free,
	.requests = true,
};
