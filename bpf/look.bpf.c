// SPDX-License-Identifier: GPL-2.0
/*
 * What is in flight at a moment: user space has the in-flight tables walked, and an event comes for each entry that
 * is selected. Only here are the requests and bios themselves read; nothing is kept for it while they are on their
 * way.
 */

/* Pointers come from maps here, so no program can follow them with plain loads. */
#undef IOLAT_BTF
#include "finish.bpf.h"
#include "flight.bpf.h"
#include "kind.bpf.h"
#include "owner.bpf.h"
#include "walk.bpf.h"

/* A younger bio most likely gets its request at this very moment. */
#define BIO_AGE_NS 50000000ULL

/* An event, with what its owner tells; NULL when the ring is full. */
static __always_inline struct iolat_inflight *begin(const struct owner *o)
{
	struct iolat_inflight *e = bpf_ringbuf_reserve(&iolat_facts, sizeof(*e), 0);

	if (!e) {
		count(waits_lost);
		return NULL;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->head.kind = IOLAT_EV_INFLIGHT;
	e->head.size = sizeof(*e);
	e->cgroup = o->cgroup;
	e->tgid = o->from == IOLAT_OWNER_TASK ? o->pid_tgid >> 32 : 0;
	e->tid = (u32)o->pid_tgid;
	e->via = o->via;
	e->owner = o->from;
	e->flags = o->copy ? IOLAT_RQ_COPY : 0;
	return e;
}

static __always_inline int tell_flight(const struct flight *f, bool earlier)
{
	struct iolat_inflight *e;
	struct gendisk *disk;
	struct request *rq;
	struct owner o;

	if (!f || !f->rq)
		return 0;
	rq = (struct request *)f->rq;
	disk = request_disk(rq);
	o = f->owner;
	if (!disk || !o.selected || !op_selected(f->op) || !disk_is_selected(disk, request_part(rq)))
		return 0;
	disk_seen(disk);
	e = begin(&o);
	if (!e)
		return 0;
	e->disk = disk_number(disk);
	e->start_ns = f->start_ns;
	e->issue_ns = f->issue_ns;
	e->bytes = BPF_CORE_READ(rq, __data_len);
	e->sector = f->flags & IOLAT_RQ_PASSTHROUGH ? ~0ULL : BPF_CORE_READ(rq, __sector);
	e->part = request_part(rq);
	e->op = f->op;
	e->flags |= f->flags;
	e->earlier = earlier;
	emit_end(e);
	return 0;
}

static __always_inline int look_at_flight(const struct flight *f)
{
	return tell_flight(f, false);
}

/* If it ended just as it was found, the next request at that address has another stamp, and was seen starting. One that
 * the driver gave back goes to it again. */
static __always_inline int look_at_earlier(const struct flight *f)
{
	struct request *rq;
	u64 key, stamp;

	if (!f)
		return 0;
	key = f->rq;
	rq = (struct request *)key;
	stamp = BPF_CORE_READ(rq, start_time_ns);
	if ((stamp && stamp != f->start_ns) || flight_find(key))
		bpf_map_delete_elem(&iolat_earlier, &key);
	else if (request_in_flight(rq))
		tell_flight(f, true);
	return 0;
}

/* Whose a bio without a request is: of its submitter only the number is known any more. */
static __always_inline void owner_of_arrival(struct bio *bio, u64 pid_tgid, struct owner *o)
{
	u32 tgid = pid_tgid >> 32;

	o->pid_tgid = pid_tgid;
	o->cgroup = cgroup_key(knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2, bio_cgroup(bio));
	o->from = IOLAT_OWNER_TASK;
	o->selected = (!knobs.by_task || bpf_map_lookup_elem(&iolat_tasks, &tgid)) &&
		      (!knobs.n_cgroups ||
		       cgroup_selected(bio_cgroup(bio),
				       knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2));
}

static __always_inline int look_at_arrival(const struct arrival *a)
{
	struct iolat_inflight *e;
	struct gendisk *disk;
	struct owner o = {};
	struct bio *bio;
	u8 op;

	if (!a || !a->bio || bpf_ktime_get_ns() - a->start_ns < BIO_AGE_NS)
		return 0;
	bio = (struct bio *)a->bio;
	disk = bio_disk(bio);
	op = op_of(BPF_CORE_READ(bio, bi_opf));
	owner_of_arrival(bio, a->pid_tgid, &o);
	o.copy = a->above != 0;
	o.via = a->above;
	if (!disk || !o.selected || !op_selected(op) || !disk_is_selected(disk, bio_part(bio)))
		return 0;
	disk_seen(disk);
	e = begin(&o);
	if (!e)
		return 0;
	e->disk = disk_number(disk);
	e->start_ns = a->start_ns;
	e->bytes = bio_size(bio);
	e->sector = BPF_CORE_READ(bio, bi_iter.bi_sector);
	e->op = op;
	e->flags |= flags_of(BPF_CORE_READ(bio, bi_opf));
	emit_end(e);
	return 0;
}

/* On a device that has no requests, a bio is the whole I/O. */
static __always_inline int look_at_bio_flight(const struct bio_flight *b)
{
	struct iolat_inflight *e;
	struct owner o;

	if (!b || !b->bio || !b->owner.selected)
		return 0;
	o = b->owner;
	e = begin(&o);
	if (!e)
		return 0;
	e->disk = b->disk;
	e->start_ns = b->start_ns;
	e->bytes = b->bytes;
	e->sector = b->sector;
	e->part = b->part;
	e->op = b->op;
	e->flags |= b->flags;
	emit_end(e);
	return 0;
}

#ifdef IOLAT_MODERN /* bpf_for_each_map_elem, from 5.13 */
/* Slots are walked by their number: most are free, and to be called for each is dearer than to look. */
static int bio_flight_slot(u32 i, void *nothing)
{
	return look_at_bio_flight(bpf_map_lookup_elem(&iolat_bflights, &i));
}

static int flight_slot(u32 i, void *nothing)
{
	return look_at_flight(bpf_map_lookup_elem(&iolat_flights, &i));
}

static int arrival_slot(u32 i, void *nothing)
{
	return look_at_arrival(bpf_map_lookup_elem(&iolat_bios, &i));
}

static int each_bio_flight(struct bpf_map *map, const void *key, struct bio_flight *b, void *nothing)
{
	return look_at_bio_flight(b);
}

static int each_flight(struct bpf_map *map, const void *key, struct flight *f, void *nothing)
{
	return look_at_flight(f);
}

static int each_arrival(struct bpf_map *map, const void *key, struct arrival *a, void *nothing)
{
	return look_at_arrival(a);
}

static int each_earlier(struct bpf_map *map, const void *key, struct flight *f, void *nothing)
{
	return look_at_earlier(f);
}

/* What has no slot is in large maps, mostly empty: they are walked only where something came in since they were found
 * so. */
static void look_at_rest(void)
{
	static u64 looked;
	static long left;
	u64 now = *(volatile u64 *)&spilled;

	if (now == looked && !left)
		return;
	looked = now;
	left = bpf_for_each_map_elem(&iolat_flights2, each_flight, NULL, 0);
	left |= bpf_for_each_map_elem(&iolat_bflights2, each_bio_flight, NULL, 0);
	left |= bpf_for_each_map_elem(&iolat_bios2, each_arrival, NULL, 0);
}

/* A walk over a map of one entry. */
SEC("iter/bpf_map_elem")
int iolat_inflight(struct bpf_iter__bpf_map_elem *ctx)
{
	if (!ctx->value)
		return 0;
	bpf_loop(knobs.slot_mask + 1, flight_slot, NULL, 0);
	bpf_loop(BIO_FLIGHT_SLOTS, bio_flight_slot, NULL, 0);
	bpf_loop(knobs.slot_mask + 1, arrival_slot, NULL, 0);
	look_at_rest();
	if (had_earlier)
		bpf_for_each_map_elem(&iolat_earlier, each_earlier, NULL, 0);
	return 0;
}
#else
/* Without slots (see maps.bpf.h) everything is in the hash maps. */
SEC("iter/bpf_map_elem")
int iolat_bio_flying(struct bpf_iter__bpf_map_elem *ctx)
{
	return look_at_bio_flight(ctx->value);
}

SEC("iter/bpf_map_elem")
int iolat_flying(struct bpf_iter__bpf_map_elem *ctx)
{
	return look_at_flight(ctx->value);
}

SEC("iter/bpf_map_elem")
int iolat_flying_earlier(struct bpf_iter__bpf_map_elem *ctx)
{
	return look_at_earlier(ctx->value);
}

SEC("iter/bpf_map_elem")
int iolat_arriving(struct bpf_iter__bpf_map_elem *ctx)
{
	return look_at_arrival(ctx->value);
}
#endif
