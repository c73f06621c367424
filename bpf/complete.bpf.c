// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a request: its parts add up, foreign bios get their bytes, and at the last
 * completion the record leaves, or is only counted.
 */
#include "adopt.bpf.h"
#include "aggregate.bpf.h"
#include "layer.bpf.h"
#include "watch.bpf.h"

static __always_inline void fill_share(struct iolat_share *e, const struct owner *o, u8 op, u32 bytes,
				       u64 number_part, u64 now)
{
	emit_head(e, SHARE, struct iolat_share);
	e->disk = number_part >> 32;
	e->end_ns = now;
	e->cgroup = o->cgroup;
	e->bytes = bytes;
	e->tgid = o->from == IOLAT_OWNER_TASK ? o->pid_tgid >> 32 : 0;
	e->tid = (u32)o->pid_tgid;
	e->via = o->via;
	e->part = (u32)number_part;
	e->op = op;
	e->owner = o->from;
	e->flags = o->copy ? IOLAT_RQ_COPY : 0;
	e->reserved = 0;
}

/* Sends the bytes of one foreign bio that is completing. */
static __always_inline void emit_share(const struct owner *o, u8 op, u32 bytes, u64 number_part, u64 now)
{
	struct iolat_share *e = request_reserve(sizeof(*e)), own;

	if (e) {
		fill_share(e, o, op, bytes, number_part, now);
		emit_end(e);
	} else {
		fill_share(&own, o, op, bytes, number_part, now);
		aggregate_share(&own);
	}
}

#define NOT_SENT 0

/* One bio of which up to `left` bytes complete: how many do, and in the upper half how many of them are
 * another's than the request's owner's. Those are sent for the request `rq`, unless that is NOT_SENT. Global,
 * so that it is verified once and not in every round of a loop. */
__noinline u64 share_of_bio(u64 bio, u64 rq, u32 left, u64 number_part, u64 now)
{
	u32 size = bio_size((struct bio *)bio), bytes = size < left ? size : left;
	struct bio_owner *o = bpf_map_lookup_elem(&iolat_owners, &bio);
	struct flight *f;

	if (!o)
		return bytes;
	f = rq == NOT_SENT ? NULL : flight_find(rq);
	if (f && selected_by(&o->owner, f, now))
		emit_share(&o->owner, f->op, bytes, number_part, now);
	if (bytes == size)
		bpf_map_delete_elem(&iolat_owners, &bio);
	return (u64)bytes << 32 | bytes;
}

VISITOR visit_share(u32 i, struct walk *w)
{
	u64 shared;

	if (!w->bio || !w->bytes_left)
		return 1;
	shared = share_of_bio((u64)w->bio, (u64)w->rq, w->bytes_left, w->number_part, w->now);
	w->others += shared >> 32;
	w->bytes_left -= (u32)shared;
	w->bio = next_bio(w->bio);
	return 0;
}

__noinline u32 share_of_bios(u64 first, u64 rq, u32 nr_bytes, u64 number_part, u64 now)
{
	struct walk w = {
		.rq = (struct request *)rq,
		.bio = (struct bio *)first,
		.bytes_left = nr_bytes,
		.number_part = number_part,
		.now = now,
	};

	walk_bios(visit_share, &w);
	return w.others;
}

/* The rest of what a record is made of, besides its request and flight. */
struct ending {
	struct gendisk *disk;
	u32 number, part;	/* of the disk */
	u64 now;
	u8 error;
};

/* Bytes of the part that completes now which are others'. */
static __always_inline u32 share_bytes(struct request *rq, u32 nr_bytes, const struct ending *end)
{
	return share_of_bios((u64)BPF_CORE_READ(rq, bio),
			     disk_is_selected(end->disk, end->part) ? number_of(rq) : NOT_SENT, nr_bytes,
			     (u64)disk_number(end->disk) << 32 | end->part, end->now);
}

static __always_inline void fill_request(struct iolat_request *e, struct request *rq,
					 const struct flight *f, const struct ending *end)
{
	u8 flags = f->flags | (f->owner.copy ? IOLAT_RQ_COPY : 0);
	u64 issue = f->issue_ns;

	if (!issue) {
		flags |= IOLAT_RQ_NO_DEVICE;
		issue = end->now;
	}
	emit_head(e, REQUEST, struct iolat_request);
	e->disk = end->number;
	e->end_ns = end->now;
	e->queue_ns = since(issue, f->start_ns);
	e->device_ns = since(end->now, issue);
	e->sector = flags & IOLAT_RQ_PASSTHROUGH ? ~0ULL : get(rq, __sector);
	e->cgroup = f->owner.cgroup;
	e->bytes = f->bytes;
	e->tgid = f->owner.from == IOLAT_OWNER_TASK ? f->owner.pid_tgid >> 32 : 0;
	e->tid = (u32)f->owner.pid_tgid;
	e->via = f->owner.via;
	e->part = end->part;
	e->merged = f->merged;
	e->requeues = f->requeues;
	e->error = end->error;
	e->op = f->op;
	e->owner = f->owner.from;
	e->flags = flags;
}

/* With its file. Returns 0 when there is no room. */
static __noinline int emit_request_file(struct request *rq, const struct flight *f,
					const struct ending *end)
{
	struct iolat_request_file *e;

	if (!f || !end)
		return 0;
	e = request_reserve(sizeof(*e));
	if (!e)
		return 0;
	fill_request(&e->request, rq, f, end);
	file_tell(address_of(rq), e);
	emit_end(e);
	return 1;
}

/* Where nothing else is done with a request, a call and a record in memory take a good part of the time. */
static __always_inline bool counted_here(struct request *rq, const struct flight *f,
					 const struct ending *end)
{
	struct iolat_request own;

	fill_request(&own, rq, f, end);
	return !aggregate_here(&own) || f->flags & IOLAT_RQ_PASSTHROUGH;
}

static __always_inline void emit_request(struct request *rq, const struct flight *f,
					 const struct ending *end)
{
	struct iolat_request *e, own;

	if (f->flags & IOLAT_RQ_PASSTHROUGH && commands_counted())
		count_unselected(end->number); /* user space does not know which kernels do */
	if (knobs.coarse) {
		if (!counted_here(rq, f, end))
			count_unselected(end->number);
		return;
	}
	if (knobs.files && emit_request_file(rq, f, end))
		return;
	e = request_reserve(sizeof(*e));
	if (e) {
		fill_request(e, rq, f, end);
		emit_end(e);
		return;
	}
	fill_request(&own, rq, f, end);
	if (aggregate_request(&own) && !(f->flags & IOLAT_RQ_PASSTHROUGH))
		count_unselected(end->number);
}

static __always_inline void fill_other(struct iolat_other *e, const struct flight *f,
				       const struct ending *end)
{
	emit_head(e, OTHER, struct iolat_other);
	e->disk = end->number;
	e->end_ns = end->now;
	e->queue_ns = since(f->issue_ns ?: end->now, f->start_ns);
	e->device_ns = f->issue_ns ? since(end->now, f->issue_ns) : 0;
	e->cgroup = f->owner.cgroup;
	e->bytes = f->bytes;
	e->tgid = f->owner.from == IOLAT_OWNER_TASK ? f->owner.pid_tgid >> 32 : 0;
	e->tid = (u32)f->owner.pid_tgid;
	e->via = f->owner.via;
	e->op = f->op;
	e->owner = f->owner.from;
	e->flags = f->flags | (f->owner.copy ? IOLAT_RQ_COPY : 0) |
		   (f->issue_ns ? 0 : IOLAT_RQ_NO_DEVICE);
	e->reserved = 0;
	e->reserved2 = 0;
}

/* Tells of an I/O that is in no row: the others' on a watched disk, a selected task's own that the rest
 * of the selection leaves out, and what a limit held back. */
static __noinline int emit_other(const struct flight *f, const struct ending *end)
{
	struct iolat_other *e;

	if (!f || !end)
		return 0;
	if (!f->owner.selected && !f->owner.throttled && !is_watched(end->number, end->now))
		return 0;
	e = request_reserve(sizeof(*e));
	if (!e) {
		count(waits_lost);
		return 0;
	}
	fill_other(e, f, end);
	emit_end(e);
	return 0;
}

/* A request that is in no row. */
static __always_inline void leave_out(const struct flight *f, const struct ending *end)
{
	if (!(f->flags & IOLAT_RQ_PASSTHROUGH) || commands_counted())
		count_unselected(end->number);
	if (knobs.waits && !knobs.aggregate_only)
		emit_other(f, end);
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

__noinline int forget_bios(u64 rq)
{
	struct walk w = {.bio = BPF_CORE_READ((struct request *)rq, bio)};

	walk_bios(visit_unknown, &w);
	return 0;
}

/* A completion whose start nobody saw; commands and the driver's own flushes never had one. Bios that
 * were merged into it meanwhile may have been seen. */
static __noinline int complete_unknown(struct request *rq, u32 nr_bytes, struct gendisk *disk)
{
	u64 key = address_of(rq);

	if (is_driver_flush(rq))
		return 0;
	if (nr_bytes >= get(rq, __data_len) && had_earlier)
		bpf_map_delete_elem(&iolat_earlier, &key);
	if (is_passthrough(rq))
		return 0;
	forget_bios(number_of(rq));
	if (nr_bytes < get(rq, __data_len) || request_in_flush_sequence(rq))
		return 0;
	count(unmatched);
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
	if (f && !f->issue_ns && BPF_CORE_READ(rq, bio) != BPF_CORE_READ(rq, biotail))
		iolat_count_bios(number_of(rq));
	return f;
}

#define ALL_BYTES (~0U)

/* A bio that was passed on in place ends if it is in the `left` bytes that complete; returns how many are
 * left then, 0 to stop. Its end comes by no block_bio_complete. Global, as above. */
__noinline u32 in_place_ended(u64 bio, u32 left, u32 error, u64 now)
{
	u32 size = bio_size((struct bio *)bio);
	struct bio_flight *b;

	if (size > left)
		return 0;
	b = bio_flight_of_piece((struct bio *)bio);
	if (b) {
		__sync_fetch_and_add(&b->pieces, -1);
		if (!b->pieces)
			bio_flight_end(b, error, now);
	}
	return left == ALL_BYTES ? left : left - size;
}

VISITOR visit_in_place(u32 i, struct walk *w)
{
	if (!w->bio || !w->bytes_left)
		return 1;
	w->bytes_left = in_place_ended((u64)w->bio, w->bytes_left, w->error, w->now);
	w->bio = next_bio(w->bio);
	return 0;
}

__noinline int end_bios(u64 rq, u32 bytes, u32 error, u64 now)
{
	struct walk w = {
		.bio = BPF_CORE_READ((struct request *)rq, bio),
		.bytes_left = bytes,
		.error = error,
		.now = now,
	};

	walk_bios(visit_in_place, &w);
	return 0;
}

/* The bios of a request that are the device's above end there, too. */
static __always_inline void end_above(struct request *rq, u32 nr_bytes, const struct ending *end)
{
	u32 bytes = nr_bytes < get(rq, __data_len) ? nr_bytes : ALL_BYTES;

	if (!request_in_flush_sequence(rq))
		end_bios(number_of(rq), bytes, end->error, end->now);
}

/* Fires for each part. The last one reaches the request's length (still the old value here) outside
 * of a flush sequence; its bytes may be 0. */
HOOK_SEC("block_rq_complete")
int iolat_rq_complete(u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	s32 status = (s32)ctx[1];
	u32 nr_bytes = (u32)ctx[2];
	struct ending end = {.disk = request_disk(rq), .part = request_part(rq)};
	struct flight *f = flight_ending(rq);

	if (!f) {
		complete_unknown(rq, nr_bytes, end.disk);
		return 0;
	}
	end.now = bpf_ktime_get_ns();
	end.error = status_errno(status);
	f->bytes += nr_bytes;
	if (f->shared)
		f->bytes -= share_bytes(rq, nr_bytes, &end);
	if (f->in_place)
		end_above(rq, nr_bytes, &end);
	if (nr_bytes < get(rq, __data_len) || request_in_flush_sequence(rq))
		return 0;
	end.number = disk_seen(end.disk);
	if (selected_by(&f->owner, f, end.now) && disk_is_selected(end.disk, end.part)) {
		emit_request(rq, f, &end);
		watch(end.number, end.now);
	} else {
		leave_out(f, &end);
	}
	flight_release(address_of(rq));
	return 0;
}
