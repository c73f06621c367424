/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices that have no requests (dm, md, zram, NVMe multipath heads): an I/O of theirs is
 * a bio from its entering to its end. What they pass on to the devices below, as new bios or
 * as the same, is marked as a copy made by them.
 */
#ifndef IOLAT_LAYER_BPF_H
#define IOLAT_LAYER_BPF_H

#include "aggregate.bpf.h"
#include "finish.bpf.h"
#include "flight.bpf.h"
#include "kind.bpf.h"
#include "owner.bpf.h"
#include "request_file.bpf.h"

/* The owner of a bio; of a copy `above` says who made it. */
static __always_inline void owner_of_bio(struct bio *bio, u32 above, struct owner *o)
{
	owner_now(bio, o);
	if (!above)
		return;
	o->copy = 1;
	o->via = above;
}

static __always_inline void fill_bio(struct iolat_request *e, const struct bio_flight *b, u8 error,
				     u64 now)
{
	emit_head(e, REQUEST, struct iolat_request);
	e->disk = b->disk;
	e->end_ns = now;
	e->queue_ns = since(now, b->start_ns);
	e->device_ns = 0;
	e->sector = b->sector;
	e->cgroup = b->owner.cgroup;
	e->bytes = b->bytes;
	e->tgid = b->owner.from == IOLAT_OWNER_TASK ? b->owner.pid_tgid >> 32 : 0;
	e->tid = (u32)b->owner.pid_tgid;
	e->via = b->owner.via;
	e->part = b->part;
	e->merged = 0;
	e->requeues = 0;
	e->error = error;
	e->op = b->op;
	e->owner = b->owner.from;
	e->flags = b->flags | (b->owner.copy ? IOLAT_RQ_COPY : 0);
}

/* With its file; false: there is no room. */
static __always_inline bool emit_bio_file(const struct iolat_request *io, u64 bio)
{
	struct iolat_request_file *e = request_reserve(sizeof(*e));

	if (!e)
		return false;
	e->request = *io;
	file_tell(bio, e);
	emit_end(e);
	return true;
}

static __always_inline void emit_bio(const struct iolat_request *io, u64 bio)
{
	struct iolat_request *e;

	if (knobs.files && emit_bio_file(io, bio))
		return;
	e = request_reserve(sizeof(*e));
	if (e) {
		*e = *io;
		emit_end(e);
	} else if (aggregate_request(io)) {
		count_unselected(io->disk);
	}
}

/* The I/O is over. Of two who say so at once, one is right. Its record is filled before the entry goes;
 * a second copy would not fit on the stack. */
static __always_inline void bio_flight_end(struct bio_flight *b, u8 error, u64 now)
{
	bool wanted = b->owner.selected && now - b->start_ns >= knobs.min_latency_ns;
	struct iolat_request io;
	u64 bio = b->bio;

	fill_bio(&io, b, error, now);
	if (!bio_flight_release(bio))
		return;
	if (wanted)
		emit_bio(&io, bio);
	else
		count_unselected(io.disk);
}

/* The entry that a bio, or what it was split from, has as an I/O of the device above. */
static __always_inline struct bio_flight *bio_flight_of_piece(struct bio *bio)
{
	struct bio_flight *b = bio_flight_find((u64)bio);
	void *parent = b ? NULL : BPF_CORE_READ(bio, bi_private);

	return parent ? bio_flight_find((u64)parent) : b;
}

#endif /* IOLAT_LAYER_BPF_H */
