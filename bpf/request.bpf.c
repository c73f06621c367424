// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a request on a device with a queue: start, issue, requeue, merge with
 * another request, completion. Its state is kept by its address; the record leaves at
 * the last completion.
 */
#include "flight.bpf.h"
#include "kind.bpf.h"
#include "owner.bpf.h"
#include "walk.bpf.h"

/* Fills a fresh entry; the owner, the start and what it does are the caller's. */
static __always_inline void flight_begin(struct flight *f)
{
	f->issue_ns = 0;
	f->bytes = 0;
	f->merged = 0;
	f->requeues = 0;
	f->shared = 0;
}

/* A request gets its first bio, in the submitter's context (from 6.5). */
HOOK_SEC("block_io_start")
int iolat_io_start(u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct bio *bio = get(rq, bio);
	struct flight *f;

	if (!request_disk(rq))
		return 0;
	f = flight_claim(address_of(rq));
	if (!f)
		return 0;
	f->start_ns = submission_time(bio);
	owner_now(bio, &f->owner);
	flight_begin(f);
	f->op = op_submitted(get(rq, cmd_flags), get(rq, __data_len));
	f->flags = flags_of(get(rq, cmd_flags));
	return 0;
}

/* Before 6.5: a bio gets a request that is not named; it is found at the first issue, or at the
 * completion of one that never is issued (an empty flush). */
HOOK_SEC("block_getrq")
int iolat_getrq(u64 *ctx)
{
	struct bio *bio = ctx_bio(ctx);
	struct bio_owner o = {.first = 1};
	u64 key = address_of(bio);

	o.start_ns = submission_time(bio);
	owner_now(bio, &o.owner);
	o.op = op_submitted(get(bio, bi_opf), get(bio, bi_iter.bi_size));
	o.flags = flags_of(get(bio, bi_opf));
	if (bpf_map_update_elem(&iolat_owners, &key, &o, BPF_ANY))
		count(map_full);
	return 0;
}

VISITOR visit_first(u32 i, struct walk *w)
{
	struct bio_owner *o;
	u64 key = address_of(w->bio);

	if (!w->bio)
		return 1;
	o = bpf_map_lookup_elem(&iolat_owners, &key);
	if (!o || !o->first) {
		w->bio = next_bio(w->bio);
		return 0;
	}
	w->f = flight_claim(address_of(w->rq));
	if (w->f) {
		w->f->owner = o->owner;
		w->f->start_ns = o->start_ns;
		w->f->op = o->op;
		w->f->flags = o->flags;
	}
	bpf_map_delete_elem(&iolat_owners, &key);
	return 1;
}

/* The entry of a request that was started by getrq: among its bios is the one it was made for. */
static __noinline struct flight *flight_adopt(struct request *rq)
{
	struct walk w = {.rq = rq, .bio = BPF_CORE_READ(rq, bio)};

	walk_bios(visit_first, &w);
	if (w.f)
		flight_begin(w.f);
	return w.f;
}

/* A command by-passes the file system and, before 6.12, starts without an event. */
static __always_inline struct flight *flight_of_command(struct request *rq)
{
	struct flight *f;

	if (!is_passthrough(rq) || !request_disk(rq))
		return NULL;
	f = flight_claim(address_of(rq));
	if (!f)
		return NULL;
	f->start_ns = bpf_ktime_get_ns();
	owner_now(NULL, &f->owner);
	flight_begin(f);
	f->op = op_of(get(rq, cmd_flags));
	f->flags = flags_of(get(rq, cmd_flags));
	return f;
}

static __always_inline struct flight *flight_late(struct request *rq)
{
	struct flight *f = NULL;

	if (!knobs.has_io_start)
		f = flight_adopt(rq);
	return f ?: flight_of_command(rq);
}

static __always_inline bool same_owner(const struct owner *a, const struct owner *b)
{
	return a->pid_tgid == b->pid_tgid && a->cgroup == b->cgroup;
}

VISITOR visit_owner(u32 i, struct walk *w)
{
	struct bio_owner *o;
	u64 key = address_of(w->bio);

	if (!w->bio)
		return 1;
	o = bpf_map_lookup_elem(&iolat_owners, &key);
	if (o && same_owner(&o->owner, &w->f->owner))
		bpf_map_delete_elem(&iolat_owners, &key);
	else if (o)
		w->f->shared = 1;
	else if (w->f->op == IOLAT_OP_DISCARD)
		arrival_get(key, true); /* discards merge without an event */
	w->bios = i + 1; /* a sum would be another state a round to the verifier */
	w->bio = next_bio(w->bio);
	return 0;
}

/* Of a request with several bios: how many, and are they all its owner's? Entries of the owner's own
 * bios are dropped here, the others' at completion. */
static __noinline int count_bios(struct request *rq, struct flight *f)
{
	struct walk w = {.rq = rq, .bio = BPF_CORE_READ(rq, bio), .f = f};

	walk_bios(visit_owner, &w);
	if (w.bios > f->merged)
		f->merged = w.bios - 1;
	return 0;
}

/* Its bios are final when it is issued; but a requeued request may get more. */
static __always_inline bool bios_uncounted(struct request *rq, const struct flight *f)
{
	return (!f->issue_ns || f->requeues) && get(rq, bio) != get(rq, biotail);
}

HOOK_SEC("block_rq_issue")
int iolat_rq_issue(u64 *ctx)
{
	struct request *rq = ctx_request(ctx);
	struct flight *f = flight_find(address_of(rq));

	if (!f && !is_driver_flush(rq))
		f = flight_late(rq);
	if (!f)
		return 0;
	if (bios_uncounted(rq, f))
		count_bios(rq, f);
	f->issue_ns = bpf_ktime_get_ns();
	return 0;
}

HOOK_SEC("block_rq_requeue")
int iolat_rq_requeue(u64 *ctx)
{
	struct flight *f = flight_find(address_of(ctx_request(ctx)));

	if (f && f->requeues < 255)
		f->requeues++;
	return 0;
}

/* Bios without an entry are the owner's of the request that they leave: from now on they have to say. */
VISITOR visit_leaving(u32 i, struct walk *w)
{
	struct bio_owner o = {};
	u64 key = address_of(w->bio);
	long err;

	if (!w->bio)
		return 1;
	o.owner = w->f->owner;
	o.start_ns = w->f->start_ns;
	err = bpf_map_update_elem(&iolat_owners, &key, &o, BPF_NOEXIST);
	if (err && err != -EEXIST)
		count(map_full);
	w->bio = next_bio(w->bio);
	return 0;
}

/* Before 6.5 the owner stands with one of the bios, which must not claim that the other request was
 * made for it. */
VISITOR visit_unclaimed(u32 i, struct walk *w)
{
	struct bio_owner *o;
	u64 key = address_of(w->bio);

	if (!w->bio)
		return 1;
	o = bpf_map_lookup_elem(&iolat_owners, &key);
	if (o)
		o->first = 0;
	w->bio = next_bio(w->bio);
	return 0;
}

/* A request's bios join another request: it ends here. */
HOOK_SEC("block_rq_merge")
int iolat_rq_merge(u64 *ctx)
{
	struct request *rq = ctx_request(ctx);
	u64 key = address_of(rq);
	struct flight *f = flight_find(key);
	struct walk w = {.rq = rq, .bio = BPF_CORE_READ(rq, bio), .f = f};

	if (!f) {
		walk_bios(visit_unclaimed, &w);
		return 0;
	}
	walk_bios(visit_leaving, &w);
	flight_release(key);
	return 0;
}

static __always_inline u64 since(u64 later, u64 earlier)
{
	if (later >= earlier)
		return later - earlier;
	count(backward);
	return 0;
}

static __always_inline bool disk_selected(struct gendisk *disk, u32 part)
{
	u32 major = BPF_CORE_READ(disk, major), minor = BPF_CORE_READ(disk, first_minor);

	for (u32 i = 0; i < IOLAT_MAX_FILTERS; i++) {
		if (i >= knobs.n_disks)
			break;
		if (knobs.disks[i].major == major && knobs.disks[i].minor == minor &&
		    (!knobs.disks[i].part || knobs.disks[i].part == part))
			return true;
	}
	return false;
}

/* The selection, on what was kept at submission and what is known by now. */
static __always_inline bool selected(const struct owner *o, const struct flight *f,
				     struct gendisk *disk, u32 part, u64 now)
{
	if (!o->selected)
		return false;
	if (knobs.op_mask && !(knobs.op_mask & (1u << f->op)))
		return false;
	if (knobs.n_disks && !disk_selected(disk, part))
		return false;
	return now - f->start_ns >= knobs.min_latency_ns;
}

/* Counts a finished I/O that gets no event. */
static __always_inline void count_unselected(u32 number)
{
	struct iolat_unselected *u = bpf_map_lookup_elem(&iolat_unselect, &number);
	struct iolat_unselected one = {};

	if (!u) {
		bpf_map_update_elem(&iolat_unselect, &number, &one, BPF_NOEXIST);
		u = bpf_map_lookup_elem(&iolat_unselect, &number);
	}
	if (u)
		__sync_fetch_and_add(&u->ios, 1);
}

/* Sends the bytes of one foreign bio that is completing. */
static __always_inline void emit_share(const struct owner *o, const struct walk *w, u32 bytes)
{
	struct iolat_share *e;

	if (!selected(o, w->f, w->disk, w->part, w->now))
		return;
	e = emit_begin(&iolat_requests, SHARE, struct iolat_share);
	if (!e)
		return;
	e->disk = w->number;
	e->end_ns = w->now;
	e->cgroup = o->cgroup;
	e->bytes = bytes;
	e->tgid = o->from == IOLAT_OWNER_TASK ? o->pid_tgid >> 32 : 0;
	e->tid = (u32)o->pid_tgid;
	e->via = o->via;
	e->part = w->part;
	e->op = w->f->op;
	e->owner = o->from;
	e->flags = o->copy ? IOLAT_RQ_COPY : 0;
	e->reserved = 0;
	emit_end(e);
}

VISITOR visit_share(u32 i, struct walk *w)
{
	struct bio_owner *o;
	u64 key = address_of(w->bio);
	u32 size, bytes;

	if (!w->bio || !w->bytes_left)
		return 1;
	size = bio_size(w->bio);
	bytes = size < w->bytes_left ? size : w->bytes_left;
	o = bpf_map_lookup_elem(&iolat_owners, &key);
	if (o) {
		emit_share(&o->owner, w, bytes);
		w->others += bytes;
		if (bytes == size)
			bpf_map_delete_elem(&iolat_owners, &key);
	}
	w->bytes_left -= bytes;
	w->bio = next_bio(w->bio);
	return 0;
}

/* Bytes of the part that completes now which are others'; those that are selected are sent. */
static __noinline int share_bytes(struct request *rq, struct flight *f, u32 nr_bytes, u64 now)
{
	struct gendisk *disk = request_disk(rq);
	struct walk w = {
		.rq = rq,
		.bio = BPF_CORE_READ(rq, bio),
		.f = f,
		.bytes_left = nr_bytes,
		.number = disk_number(disk),
		.part = request_part(rq),
		.disk = disk,
		.now = now,
	};

	walk_bios(visit_share, &w);
	return w.others;
}

static __always_inline void emit_request(struct request *rq, struct flight *f, u32 number, u32 part,
					 u8 error, u64 now)
{
	struct iolat_request *e = emit_begin(&iolat_requests, REQUEST, struct iolat_request);
	u64 issue = f->issue_ns;
	u8 flags = f->flags | (f->owner.copy ? IOLAT_RQ_COPY : 0);

	if (!e)
		return;
	if (!issue) {
		flags |= IOLAT_RQ_NO_DEVICE;
		issue = now;
	}
	e->disk = number;
	e->end_ns = now;
	e->queue_ns = since(issue, f->start_ns);
	e->device_ns = since(now, issue);
	e->sector = flags & IOLAT_RQ_PASSTHROUGH ? ~0ULL : get(rq, __sector);
	e->cgroup = f->owner.cgroup;
	e->bytes = f->bytes;
	e->tgid = f->owner.from == IOLAT_OWNER_TASK ? f->owner.pid_tgid >> 32 : 0;
	e->tid = (u32)f->owner.pid_tgid;
	e->via = f->owner.via;
	e->part = part;
	e->merged = f->merged;
	e->requeues = f->requeues;
	e->error = error;
	e->op = f->op;
	e->owner = f->owner.from;
	e->flags = flags;
	emit_end(e);
}

VISITOR visit_unknown(u32 i, struct walk *w)
{
	u64 key = address_of(w->bio);

	if (!w->bio)
		return 1;
	bpf_map_delete_elem(&iolat_owners, &key);
	w->bio = next_bio(w->bio);
	return 0;
}

/* A completion whose start nobody saw; commands and the driver's own flushes never had one. Bios that
 * were merged into it meanwhile may have been seen. */
static __noinline int complete_unknown(struct request *rq, u32 nr_bytes)
{
	struct walk w = {.rq = rq, .bio = BPF_CORE_READ(rq, bio)};
	struct gendisk *disk;

	if (is_driver_flush(rq) || is_passthrough(rq))
		return 0;
	walk_bios(visit_unknown, &w);
	if (nr_bytes < get(rq, __data_len) || request_in_flush_sequence(rq))
		return 0;
	count(unmatched);
	disk = request_disk(rq);
	if (disk)
		count_unselected(disk_seen(disk));
	return 0;
}

/* The entry of a completing request. One that ends without having been issued (an empty flush, or refused)
 * has yet to be found before 6.5, and its bios have yet to be counted. */
static __always_inline struct flight *flight_ending(struct request *rq)
{
	struct flight *f = flight_find(address_of(rq));

	if (!f && !knobs.has_io_start)
		f = flight_adopt(rq);
	if (f && !f->issue_ns && get(rq, bio) != get(rq, biotail))
		count_bios(rq, f);
	return f;
}

/* Fires for each part. The last one reaches the request's length (still the old value here) outside
 * of a flush sequence; its bytes may be 0. */
HOOK_SEC("block_rq_complete")
int iolat_rq_complete(u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	s32 status = (s32)ctx[1];
	u32 nr_bytes = (u32)ctx[2], part, number;
	struct flight *f = flight_ending(rq);
	struct gendisk *disk;
	u64 now;

	if (!f) {
		complete_unknown(rq, nr_bytes);
		return 0;
	}
	now = bpf_ktime_get_ns();
	f->bytes += nr_bytes;
	if (f->shared)
		f->bytes -= share_bytes(rq, f, nr_bytes, now);
	if (nr_bytes < get(rq, __data_len) || request_in_flush_sequence(rq))
		return 0;
	disk = request_disk(rq);
	number = disk_seen(disk);
	part = request_part(rq);
	if (selected(&f->owner, f, disk, part, now))
		emit_request(rq, f, number, part, status_errno(status), now);
	else if (!(f->flags & IOLAT_RQ_PASSTHROUGH))
		count_unselected(number);
	flight_release(address_of(rq));
	return 0;
}
