/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events on their way to user space: room in a ring, the head filled in, and the facts
 * that are announced once (disks, work queues). Nobody is woken: user space reads the
 * rings on a timer.
 */
#ifndef IOLAT_EMIT_BPF_H
#define IOLAT_EMIT_BPF_H

#include "maps.bpf.h"

/* Fills in an event's head. */
#define emit_head(e, KIND, type)                                                                   \
	do {                                                                                       \
		(e)->head.kind = IOLAT_EV_##KIND;                                                  \
		(e)->head.size = sizeof(type);                                                     \
	} while (0)

/* Reserves a fact; NULL, counted, when the ring is full. */
#define emit_begin(ring, KIND, type)                                                               \
	({                                                                                         \
		type *e_ = bpf_ringbuf_reserve(ring, sizeof(type), 0);                             \
		if (e_)                                                                            \
			emit_head(e_, KIND, type);                                                 \
		else                                                                               \
			count(names_lost);                                                         \
		e_;                                                                                \
	})

/* Room in this CPU's ring; NULL: it is full. */
static __always_inline void *record_reserve(const u64 size)
{
	u32 i = knobs.n_rings > 1 ? bpf_get_smp_processor_id() % knobs.n_rings : 0;
	void *ring;

	if (knobs.n_rings <= 1)
		return bpf_ringbuf_reserve(&iolat_requests, size, 0);
	ring = bpf_map_lookup_elem(&iolat_rings, &i);
	return ring ? bpf_ringbuf_reserve(ring, size, 0) : NULL;
}

/* The same for a finished request or share; NULL: to be counted instead (aggregate.bpf.h). */
static __always_inline void *request_reserve(const u64 size)
{
	return knobs.aggregate_only ? NULL : record_reserve(size);
}

#define emit_end(e) bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP)

/* Tells a disk's name. */
static __noinline int announce_disk(struct gendisk *disk, u32 number)
{
	struct iolat_disk *e = emit_begin(&iolat_facts, DISK, struct iolat_disk);

	if (!e)
		return -1;
	e->disk = number;
	e->ts_ns = bpf_ktime_get_ns();
	e->major = BPF_CORE_READ(disk, major);
	e->minor = BPF_CORE_READ(disk, first_minor);
	bpf_probe_read_kernel(e->name, sizeof(e->name), &disk->disk_name);
	e->name[sizeof(e->name) - 1] = 0;
	emit_end(e);
	return 0;
}

/* The number of a disk, which is announced when it is new. */
static __always_inline u32 disk_seen(struct gendisk *disk)
{
	u32 number = disk_number(disk);
	u32 low = number & (ANNOUNCED_DISKS - 1);
	u32 *last = bpf_map_lookup_elem(&iolat_disks, &low);

	if (last && *last != number && !announce_disk(disk, number))
		*last = number;
	return number;
}

static __always_inline u64 name_mixed(u32 id, const char name[IOLAT_NAME_LEN])
{
	const u64 *words = (const u64 *)name;
	u64 h = id;

	for (u32 i = 0; i < IOLAT_NAME_LEN / sizeof(*words); i++)
		h = (h ^ words[i]) * 0x9E3779B97F4A7C15ULL;
	return h;
}

/* Tells the name (filled up with zeroes) of a work queue or device when it is new; whether it is told. */
static __always_inline bool announce_name(u32 id, const char name[IOLAT_NAME_LEN])
{
	u64 *last = bpf_map_lookup_elem(&iolat_names, &id);
	u64 mixed = name_mixed(id, name);
	struct iolat_name *e;

	if (last && *last == mixed)
		return true;
	e = emit_begin(&iolat_facts, NAME, struct iolat_name);
	if (!e)
		return false;
	e->id = id;
	__builtin_memcpy(e->name, name, IOLAT_NAME_LEN);
	e->name[IOLAT_NAME_LEN - 1] = 0;
	emit_end(e);
	bpf_map_update_elem(&iolat_names, &id, &mixed, BPF_ANY);
	return true;
}

#endif /* IOLAT_EMIT_BPF_H */
