// SPDX-License-Identifier: GPL-2.0
/*
 * The path of every request. The short way is a hit in the cache (hot.h) and the adding
 * up; the long way finds process, thread, cgroup, disk, via, row and stream, and leaves
 * them in the cache.
 */
#include "stats/account.h"

#include <errno.h>
#include <string.h>

/* What a request and a share have in common. */
struct io {
	uint64_t at_ns;
	uint64_t cgroup;
	uint32_t disk, tgid, tid, via;
	uint8_t op, owner;
	bool copy;
	bool aggregated;
	uint8_t of;	       /* enum iolat_request_of */
	struct file_key place; /* of the file */
};

static bool by_files(const struct account *a)
{
	return by_has(a->by, BY_FILE) || by_has(a->by, BY_FS);
}

int account_init(struct account *a, struct model *m, struct cover *c, const struct by *by,
		 const struct by *whole, size_t max_rows)
{
	*a = (struct account){.model = m, .cover = c, .by = by, .turns = 1};
	rows_init(&a->rows, by, max_rows);
	a->rows.copies_apart = by != whole;
	a->whole_copies = by_has(whole, BY_DEVICE);
	streams_init(&a->streams);
	return hot_init(&a->hot);
}

void account_free(struct account *a)
{
	streams_free(&a->streams);
	rows_free(&a->rows);
	hot_free(&a->hot);
}

/* Whatever can make a cached answer wrong grows one of these. */
static uint32_t epoch(const struct account *a)
{
	return (uint32_t)(a->turns + model_generation(a->model) + a->streams.forgotten +
			  a->cover->forgotten);
}

/* Leaves out what makes no difference, so that alike I/Os share an entry. */
static struct hot_key key_of(const struct account *a, const struct io *io)
{
	bool task = io->owner == IOLAT_OWNER_TASK;

	return (struct hot_key){
		.cgroup = io->cgroup,
		.tgid = task ? io->tgid : 0,
		.tid = !task || by_has(a->by, BY_THREAD) ? io->tid : 0,
		.disk = io->disk,
		.via = io->via,
		.kind = io->op | (uint32_t)io->owner << 8 | (uint32_t)io->copy << 16 |
			(uint32_t)io->aggregated << 17,
		.epoch = epoch(a),
	};
}

/* The process of a user task's I/O; *span says for how long the answer holds. */
static int find_process(struct account *a, const struct io *io, struct proc_span *span)
{
	*span = (struct proc_span){.until = UINT64_MAX};
	if (io->owner != IOLAT_OWNER_TASK)
		return 0;
	*span = proc_at(&a->model->procs, io->tgid, io->at_ns);
	if (!span->proc)
		span->proc = proc_guess(&a->model->procs, io->tgid, io->at_ns);
	return span->proc ? 0 : -ENOMEM;
}

static int find_thread(struct account *a, const struct io *io, struct row_subjects *s)
{
	if (!s->proc || !by_has(a->by, BY_THREAD) || io->aggregated)
		return 0;
	s->thread = proc_thread_get(&a->model->procs, s->proc, io->tid);
	return s->thread ? 0 : -ENOMEM;
}

/* Also where rows are not by worker: it tells what the process is. */
static int find_worker(struct account *a, struct row_subjects *s)
{
	struct model *m = a->model;

	return s->proc ? worker_of(&m->workers, &m->procs, s->proc, &s->worker) : 0;
}

static int find_cgroup(struct account *a, const struct io *io, struct row_subjects *s)
{
	if (!io->cgroup)
		return 0;
	s->cgroup = cgroups_get(&a->model->cgroups, io->cgroup);
	if (!s->cgroup)
		return -ENOMEM;
	memcpy(s->places, s->cgroup->in, sizeof(s->places));
	return 0;
}

static int find_disk(struct account *a, const struct io *io, struct row_subjects *s)
{
	if (!io->disk || !by_has(a->by, BY_DEVICE))
		return 0;
	s->disk = model_get_disk(a->model, io->disk);
	return s->disk ? 0 : -ENOMEM;
}

static int find_via(struct account *a, const struct io *io, struct row_subjects *s)
{
	struct via_source from = {.queue = io->via, .copy = io->copy};
	bool task = io->owner == IOLAT_OWNER_TASK;

	if (io->aggregated && ((s->proc && by_has(a->by, BY_THREAD)) || by_files(a))) {
		s->via = "aggregated"; /* which thread or file is not known */
		return 0;
	}
	if (task && !io->copy)
		return 0;
	if (!task && io->tid)
		from.thread = proc_at(&a->model->procs, io->tid, io->at_ns).proc;
	return model_via(a->model, &from, &s->via);
}

static int find_file(struct account *a, const struct io *io, struct row_subjects *s)
{
	struct files *known = &a->model->files;

	if (!io->of)
		return 0;
	if (by_has(a->by, BY_FS) && io->place.dev) {
		s->fs = files_system(known, io->place.dev);
		if (!s->fs)
			return -ENOMEM;
	}
	if (!by_has(a->by, BY_FILE))
		return 0;
	s->file = io->of == IOLAT_OF_FILE ? files_get(known, &io->place)
					  : files_special(known, io->of);
	return s->file ? 0 : -ENOMEM;
}

static int find_subjects(struct account *a, const struct io *io, struct row_subjects *s)
{
	int err = find_thread(a, io, s);

	s->op = io->op;
	s->copy = io->copy;
	s->aggregated = io->aggregated;
	if (!err)
		err = find_worker(a, s);
	if (!err)
		err = find_disk(a, io, s);
	if (!err)
		err = find_file(a, io, s);
	if (!err)
		err = find_via(a, io, s);
	return err;
}

/* Whose requests this one follows, for the distance between them. */
static struct stream_key stream_of(const struct io *io, const struct row_subjects *s)
{
	return (struct stream_key){
		.process = s->proc ? s->proc->serial : 0,
		.cgroup = s->proc ? 0 : io->cgroup,
		.via = s->proc ? NULL : s->via,
		.disk = io->disk,
	};
}

static bool moves_data(const struct io *io)
{
	return io->op == IOLAT_OP_READ || io->op == IOLAT_OP_WRITE;
}

static int find_row(struct account *a, const struct io *io, struct row_subjects *s,
		    struct hot_entry *to)
{
	struct stream_key key;
	int err = find_subjects(a, io, s);

	if (err)
		return err;
	to->row = rows_get(&a->rows, s);
	if (!to->row || !moves_data(io) || io->aggregated)
		return to->row ? 0 : -ENOMEM;
	key = stream_of(io, s);
	to->stream = streams_get(&a->streams, &key);
	return to->stream ? 0 : -ENOMEM;
}

/* Whether an I/O is in a row at all: copies below a stacked device only beside their disk. */
static bool counts(struct account *a, const struct io *io, const struct row_subjects *s)
{
	return (!io->copy || by_has(a->by, BY_DEVICE)) && proc_wanted(&a->model->procs, s->proc) &&
	       cgroups_wanted(&a->model->cgroups, s->cgroup);
}

static int look_up(struct account *a, const struct io *io, struct hot_entry *to, bool *lasting)
{
	struct row_subjects s = {.proc = NULL};
	struct proc_span span;
	int err = find_process(a, io, &span);

	s.proc = span.proc;
	err = err ? err : find_cgroup(a, io, &s);
	*to = (struct hot_entry){.from_ns = span.from};
	*lasting = span.until == UINT64_MAX;
	if (err)
		return err;
	if (io->disk) {
		to->cover = cover_disk(a->cover, a->model, io->disk);
		if (!to->cover)
			return -ENOMEM;
	}
	return counts(a, io, &s) ? find_row(a, io, &s, to) : 0;
}

/* *place is where an I/O counts: an entry of the cache, or `spare`. 0 or -ENOMEM. */
static int find_place(struct account *a, const struct io *io, struct hot_entry *spare,
		      const struct hot_entry **place)
{
	struct hot_key key = key_of(a, io);
	const struct hot_entry *hit = io->of ? NULL : hot_get(&a->hot, &key);
	bool lasting;
	int err;

	*place = hit;
	if (hit && io->at_ns >= hit->from_ns)
		return 0;
	*place = spare;
	err = look_up(a, io, spare, &lasting);
	if (err || !lasting || io->of) /* files are not in the key */
		return err;
	spare->key = key;
	spare->key.epoch = epoch(a); /* looking up may have started another */
	*hot_place(&a->hot, &spare->key) = *spare;
	return 0;
}

static int follow(struct account *a, const struct iolat_request *e, const struct hot_entry *at)
{
	if (!at->stream || e->sector == ~0ULL || !e->bytes)
		return 0;
	return stream_add(&a->streams, at->stream, e, at->row);
}

/* How it went over time, where somebody wants to know. */
static int chart(struct account *a, const struct iolat_request *e)
{
	struct known_disk *disk;

	if (!a->timeline)
		return 0;
	disk = e->disk ? model_get_disk(a->model, e->disk) : NULL;
	return e->disk && !disk ? -ENOMEM : timeline_add(a->timeline, disk, e);
}

/* Where rows are by file, and the request tells its own. */
static void take_file(const struct account *a, const struct iolat_request *e, struct io *io)
{
	const struct iolat_request_file *f = (const void *)e;

	if (!by_files(a) || e->head.size < sizeof(*f) || f->of >= IOLAT_OF_MAX)
		return;
	io->of = f->of;
	io->place = (struct file_key){FS_DEV(f->fs_major, f->fs_minor), f->inode};
}

/* A row's via may be of several; that of this one is looked up. */
static int tell(struct account *a, const struct io *io, const struct iolat_request *e,
		const struct hot_entry *at)
{
	struct row_subjects s = {.proc = at->row->proc};
	int err = find_via(a, io, &s);

	return err ? err : a->each(a->each_ctx, &at->row->pub, s.via, e);
}

/* What the selection does not take is seen, but counts nowhere. */
static int only_see(struct account *a, uint32_t disk, uint8_t flags, uint64_t ios)
{
	struct disk_cover *cover = disk ? cover_disk(a->cover, a->model, disk) : NULL;

	if (disk && !cover)
		return -ENOMEM;
	if (cover && !(flags & IOLAT_RQ_PASSTHROUGH))
		cover->now.streamed += ios;
	return 0;
}

static bool is_recorder(const struct account *a, uint32_t tgid)
{
	return tgid && tgid == a->recorder;
}

int account_request(struct account *a, const struct iolat_request *e, bool *counted)
{
	struct io io = {
		.at_ns = e->end_ns - e->device_ns - e->queue_ns,
		.cgroup = e->cgroup,
		.disk = e->disk,
		.tgid = e->tgid,
		.tid = e->tid,
		.via = e->via,
		.op = e->op,
		.owner = e->owner,
		.copy = e->flags & IOLAT_RQ_COPY,
	};
	const struct model_io what = {e->disk, e->part, e->op, e->queue_ns + e->device_ns};
	const struct hot_entry *at;
	struct hot_entry spare;
	int err;

	*counted = false;
	if (!model_wants_io(a->model, &what) || is_recorder(a, e->tgid))
		return only_see(a, e->disk, e->flags, 1);
	take_file(a, e, &io);
	err = find_place(a, &io, &spare, &at);
	*counted = !err && at->row && (!io.copy || a->whole_copies);
	if (err)
		return err;
	if (at->cover && !(e->flags & IOLAT_RQ_PASSTHROUGH))
		at->cover->now.streamed++;
	if (!at->row)
		return 0;
	if (*counted) {
		a->cover->now.requests++;
		a->cover->now.unowned += e->owner == IOLAT_OWNER_NONE;
	}
	err = row_request(at->row, e);
	if (!err)
		err = follow(a, e, at);
	if (err || !*counted)
		return err;
	err = chart(a, e);
	return err || !a->each ? err : tell(a, &io, e, at);
}

int account_share(struct account *a, const struct iolat_share *e)
{
	struct io io = {
		.at_ns = e->end_ns,
		.cgroup = e->cgroup,
		.disk = e->disk,
		.tgid = e->tgid,
		.tid = e->tid,
		.via = e->via,
		.op = e->op,
		.owner = e->owner,
		.copy = e->flags & IOLAT_RQ_COPY,
	};
	const struct model_io what = {e->disk, e->part, e->op, UINT64_MAX};
	const struct hot_entry *at;
	struct hot_entry spare;
	int err;

	if (!model_wants_io(a->model, &what) || is_recorder(a, e->tgid))
		return 0;
	err = find_place(a, &io, &spare, &at);
	if (!err && at->row)
		at->row->pub.bytes += e->bytes;
	return err;
}

static enum iolat_op op_of_wait(const struct iolat_wait *e)
{
	switch (e->call) {
	case IOLAT_CALL_NONE: /* a page fault */
	case IOLAT_CALL_READ:
		return IOLAT_OP_READ;
	case IOLAT_CALL_WRITE:
		return IOLAT_OP_WRITE;
	case IOLAT_CALL_SYNC:
		return IOLAT_OP_FLUSH;
	default:
		return IOLAT_OP_OTHER;
	}
}

/* No request tells of what another machine or process does, so the wait stands for it. */
int account_wait(struct account *a, const struct iolat_wait *e)
{
	struct io io = {
		.at_ns = e->start_ns,
		.cgroup = e->cgroup,
		.tgid = e->tgid,
		.tid = e->tid,
		.op = op_of_wait(e),
		.owner = IOLAT_OWNER_TASK,
		.of = e->inode ? IOLAT_OF_FILE : IOLAT_OF_UNKNOWN,
		.place = {FS_DEV(e->fs_major, e->fs_minor), e->inode},
	};
	const struct hot_entry *at;
	struct hot_entry spare;
	int err;

	if (!by_files(a) || !io.of || e->flags & IOLAT_WAIT_OPEN ||
	    iolat_fs_kind(e->fs_magic) == IOLAT_FS_LOCAL)
		return 0;
	err = find_place(a, &io, &spare, &at);
	return err || !at->row ? err : row_wait(at->row, e->end_ns - e->start_ns);
}

/* What belongs to no row of its own, and to no disk. */
static int add_rest(struct account *a, const struct iolat_aggregate *e)
{
	struct row_slot *s = rows_get_other(&a->rows);

	return s ? row_aggregate(s, e) : -ENOMEM;
}

static void cover_aggregate(struct tally *t, const struct iolat_aggregate *e)
{
	t->requests += e->ios;
	t->aggregated += e->ios;
	t->unowned += e->owner == IOLAT_OWNER_NONE && !e->other ? e->ios : 0;
}

int account_aggregate(struct account *a, const struct iolat_aggregate *e, bool *counted)
{
	struct io io = {
		.at_ns = e->last_ns,
		.cgroup = e->cgroup,
		.disk = e->disk,
		.tgid = e->tgid,
		.tid = e->tid,
		.via = e->via,
		.op = e->op,
		.owner = e->owner,
		.copy = e->flags & IOLAT_RQ_COPY,
		.aggregated = true,
	};
	/* Which of them were slow enough cannot be told. */
	const struct model_io what = {e->disk, 0, e->op, 0};
	const struct hot_entry *at;
	struct hot_entry spare;
	int err;

	*counted = false;
	if (!model_wants_io(a->model, &what) || is_recorder(a, e->tgid))
		return only_see(a, e->other ? 0 : e->disk, e->flags, e->ios);
	*counted = e->other;
	if (e->other) {
		cover_aggregate(&a->cover->now, e);
		return add_rest(a, e);
	}
	err = find_place(a, &io, &spare, &at);
	if (err)
		return err;
	if (at->cover && !(e->flags & IOLAT_RQ_PASSTHROUGH))
		at->cover->now.streamed += e->ios;
	if (!at->row)
		return 0;
	*counted = true;
	if (!io.copy || a->whole_copies)
		cover_aggregate(&a->cover->now, e);
	return row_aggregate(at->row, e);
}

void account_settle(struct account *a)
{
	streams_flush(&a->streams);
}

void account_start_interval(struct account *a)
{
	map_clear(&a->rows.map);
	streams_start_interval(&a->streams);
	a->turns++;
}
