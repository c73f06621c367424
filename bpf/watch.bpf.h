/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disks that selected I/O uses are watched for a while, where waits are traced: the others' I/O there is told,
 * too, since it is what the selected waits for.
 */
#ifndef IOLAT_WATCH_BPF_H
#define IOLAT_WATCH_BPF_H

#include "maps.bpf.h"

#define WATCH_NS 10000000000ULL

static __always_inline u64 *watched_since(u32 number)
{
	u32 low = number & (ANNOUNCED_DISKS - 1);

	return bpf_map_lookup_elem(&iolat_watched, &low);
}

static __always_inline void watch(u32 number, u64 now)
{
	u64 *last = knobs.waits ? watched_since(number) : NULL;

	if (last)
		*last = now;
}

static __always_inline bool is_watched(u32 number, u64 now)
{
	u64 *last = watched_since(number);

	return last && *last && now - *last < WATCH_NS;
}

#endif /* IOLAT_WATCH_BPF_H */
