/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events on their way to user space: room in a ring, the head filled in, and the facts
 * that are announced once (disks, work queues). Nobody is woken: user space reads the
 * rings on a timer.
 */
#ifndef IOLAT_EMIT_BPF_H
#define IOLAT_EMIT_BPF_H

#include "maps.bpf.h"

/* Reserves an event; NULL, counted, when the ring is full. */
#define emit_begin(ring, KIND, type)                                                               \
	({                                                                                         \
		type *e_ = bpf_ringbuf_reserve(ring, sizeof(type), 0);                             \
		if (e_) {                                                                          \
			e_->head.kind = IOLAT_EV_##KIND;                                           \
			e_->head.size = sizeof(type);                                              \
		} else {                                                                           \
			count(lost);                                                               \
		}                                                                                  \
		e_;                                                                                \
	})

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

/* Tells the name of a work queue or device, once; whether it is told. */
static __always_inline bool announce_name(u32 id, const char name[IOLAT_NAME_LEN])
{
	struct iolat_name *e;
	u8 yes = 1;

	if (bpf_map_lookup_elem(&iolat_names, &id))
		return true;
	e = emit_begin(&iolat_facts, NAME, struct iolat_name);
	if (!e)
		return false;
	e->id = id;
	__builtin_memcpy(e->name, name, IOLAT_NAME_LEN);
	e->name[IOLAT_NAME_LEN - 1] = 0;
	emit_end(e);
	bpf_map_update_elem(&iolat_names, &id, &yes, BPF_ANY);
	return true;
}

#endif /* IOLAT_EMIT_BPF_H */
