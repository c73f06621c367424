/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What becomes of an I/O that has ended, with a request or without: the selection, times,
 * and the count of those that no event is sent for.
 */
#ifndef IOLAT_FINISH_BPF_H
#define IOLAT_FINISH_BPF_H

#include "maps.bpf.h"

static __always_inline u64 since(u64 later, u64 earlier)
{
	if (later >= earlier)
		return later - earlier;
	count(backward);
	return 0;
}

static __always_inline bool is_named(struct gendisk *disk, u32 i)
{
	const volatile char *wanted = knobs.disks[i].name;
	char name[sizeof(knobs.disks[i].name)] = {};

	bpf_probe_read_kernel_str(name, sizeof(name), &disk->disk_name);
	for (u32 j = 0; j < sizeof(name); j++)
		if (name[j] != wanted[j])
			return false;
	return true;
}

static __noinline bool disk_selected(struct gendisk *disk, u32 part)
{
	u32 major = BPF_CORE_READ(disk, major), minor = BPF_CORE_READ(disk, first_minor);

	for (u32 i = 0; i < IOLAT_MAX_FILTERS; i++) {
		if (i >= knobs.n_disks)
			break;
		if (knobs.disks[i].name[0]) {
			if (is_named(disk, i))
				return true;
		} else if (knobs.disks[i].major == major && knobs.disks[i].minor == minor &&
			   (!knobs.disks[i].part || knobs.disks[i].part == part)) {
			return true;
		}
	}
	return false;
}

static __always_inline bool op_selected(u8 op)
{
	return !knobs.op_mask || knobs.op_mask & (1u << op);
}

static __always_inline bool disk_is_selected(struct gendisk *disk, u32 part)
{
	return !knobs.n_disks || disk_selected(disk, part);
}

/* The selection but for the disk, on what was kept at submission and what is known by now. */
static __always_inline bool selected_by(const struct owner *o, const struct flight *f, u64 now)
{
	return o->selected && op_selected(f->op) && now - f->start_ns >= knobs.min_latency_ns;
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

#endif /* IOLAT_FINISH_BPF_H */
