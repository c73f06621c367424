/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The in-flight tables: claim, find and release an entry by the address of its request
 * or bio. An entry is found again only under the very address it was claimed for.
 */
#ifndef IOLAT_FLIGHT_BPF_H
#define IOLAT_FLIGHT_BPF_H

#include "maps.bpf.h"

/* Fibonacci hashing; the low bits of an address are all alike. */
static __always_inline u32 slot_of(u64 address)
{
	return (u32)(address * 0x9E3779B97F4A7C15ULL >> 32) & knobs.slot_mask;
}

#ifdef IOLAT_MODERN
/* Whether the slot is now ours: it was free, or left over from an earlier life of the address. */
#define slot_take(field, address)                                                                  \
	({                                                                                         \
		u64 was = __sync_val_compare_and_swap(field, 0, address);                          \
		was == 0 || was == (address);                                                      \
	})

/* Nothing of the entry may be read or written after this: another CPU may take the slot. */
#ifdef __TARGET_ARCH_x86
#define slot_free(field)                                                                           \
	({                                                                                         \
		asm volatile("" ::: "memory");                                                     \
		*(volatile u64 *)(field) = 0;                                                      \
	})
#else
#define slot_free(field) __sync_lock_test_and_set(field, 0)
#endif
#endif

/* An entry for a starting request, to be filled by the caller; NULL (counted) if there is no room. */
static __always_inline struct flight *flight_claim(u64 rq)
{
	static const struct flight empty;
	struct flight *f;

#ifdef IOLAT_MODERN
	u32 slot = slot_of(rq);

	f = bpf_map_lookup_elem(&iolat_flights, &slot);
	if (f && f->rq == rq)
		count(lost); /* its end was never seen */
	if (f && slot_take(&f->rq, rq))
		return f;
#endif
	if (bpf_map_update_elem(&iolat_flights2, &rq, &empty, BPF_NOEXIST)) {
		f = bpf_map_lookup_elem(&iolat_flights2, &rq);
		if (f)
			count(lost);
		else
			count(map_full);
		return f;
	}
	f = bpf_map_lookup_elem(&iolat_flights2, &rq);
	if (f)
		f->rq = rq;
	return f;
}

static __always_inline struct flight *flight_find(u64 rq)
{
#ifdef IOLAT_MODERN
	u32 slot = slot_of(rq);
	struct flight *f = bpf_map_lookup_elem(&iolat_flights, &slot);

	if (f && f->rq == rq)
		return f;
#endif
	return bpf_map_lookup_elem(&iolat_flights2, &rq);
}

static __always_inline void flight_release(u64 rq)
{
#ifdef IOLAT_MODERN
	u32 slot = slot_of(rq);
	struct flight *f = bpf_map_lookup_elem(&iolat_flights, &slot);

	if (f && f->rq == rq) {
		slot_free(&f->rq);
		return;
	}
#endif
	bpf_map_delete_elem(&iolat_flights2, &rq);
}

/* Remembers when a bio entered the block layer. Without room its request's start stands in. */
static __always_inline void arrival_add(u64 bio, u64 now)
{
	struct arrival entry = {.bio = bio, .start_ns = now};

#ifdef IOLAT_MODERN
	u32 slot = slot_of(bio);
	struct arrival *a = bpf_map_lookup_elem(&iolat_bios, &slot);

	if (a && slot_take(&a->bio, bio)) {
		a->start_ns = now;
		return;
	}
#endif
	bpf_map_update_elem(&iolat_bios2, &bio, &entry, BPF_ANY);
}

/* When a bio entered, 0 if not known; `take` also forgets it. */
static __always_inline u64 arrival_get(u64 bio, bool take)
{
	struct arrival *a;
	u64 start;

#ifdef IOLAT_MODERN
	u32 slot = slot_of(bio);

	a = bpf_map_lookup_elem(&iolat_bios, &slot);
	if (a && a->bio == bio) {
		start = a->start_ns;
		if (take)
			slot_free(&a->bio);
		return start;
	}
#endif
	a = bpf_map_lookup_elem(&iolat_bios2, &bio);
	if (!a)
		return 0;
	start = a->start_ns;
	if (take)
		bpf_map_delete_elem(&iolat_bios2, &bio);
	return start;
}

/* When the bio of a starting request was submitted. The front piece of a split bio is a new bio that
 * never entered by itself: it is chained to the original (bi_private), whose entry stays for the rest. */
static __always_inline u64 submission_time(struct bio *bio)
{
	u64 start = 0;
	void *parent;

	if (knobs.has_bio_queue && bio) {
		start = arrival_get(address_of(bio), true);
		parent = start ? NULL : get(bio, bi_private);
		if (parent)
			start = arrival_get(address_of(parent), false);
	}
	return start ?: bpf_ktime_get_ns();
}

#endif /* IOLAT_FLIGHT_BPF_H */
