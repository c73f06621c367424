/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The in-flight tables: claim, find and release an entry by the address of its request
 * or bio. An entry is found again only under the very address it was claimed for.
 */
#ifndef IOLAT_FLIGHT_BPF_H
#define IOLAT_FLIGHT_BPF_H

#include "maps.bpf.h"

/* Fibonacci hashing; the low bits of an address are all alike. */
static __always_inline u32 hash_of(u64 address)
{
	return (u32)(low_half(address) * 0x9E3779B97F4A7C15ULL >> 32);
}

#ifdef IOLAT_MODERN
#define in_slot(slots, address, mask)                                                              \
	({                                                                                         \
		u32 slot_ = hash_of(address) & (mask);                                             \
		bpf_map_lookup_elem(slots, &slot_);                                                \
	})

/* What the slot held: it is now ours if that was 0, or our address (left over from an earlier life). */
#define slot_take(field, address) __sync_val_compare_and_swap(field, 0, address)

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

/* Behind the putting, so that look.bpf.c sees the entry or the next time that there is one. */
#define count_spilled() __sync_fetch_and_add(&spilled, 1)
#else
#define in_slot(slots, address, mask) NULL
#define slot_take(field, address)     ~0ULL
#define slot_free(field)	      ((void)0)
#define count_spilled()		      ((void)0)
#endif

/*
 * A table's functions. NAME_claim: an entry for what starts, to be filled by the caller; NULL (counted)
 * if there is no room. NAME_find: NULL if there is none. NAME_release: whether it was there.
 * `key` is the entry's first member.
 */
#define TABLE(name, key, slots, rest, mask)                                                        \
	static __always_inline struct name *name##_claim(u64 address)                              \
	{                                                                                          \
		static const struct name empty;                                                    \
		struct name *e = in_slot(slots, address, mask);                                    \
		u64 was = e ? slot_take(&e->key, address) : ~0ULL;                                 \
                                                                                                   \
		if (e && was == address && e->owner.selected)                                      \
			count(lost); /* its end was never seen */                                  \
		if (e && (was == 0 || was == address))                                             \
			return e;                                                                  \
		if (bpf_map_update_elem(rest, &address, &empty, BPF_NOEXIST)) {                    \
			e = bpf_map_lookup_elem(rest, &address);                                   \
			if (!e)                                                                    \
				count(map_full);                                                   \
			else if (e->owner.selected)                                                \
				count(lost);                                                       \
			return e;                                                                  \
		}                                                                                  \
		count_spilled();                                                                   \
		e = bpf_map_lookup_elem(rest, &address);                                           \
		if (e)                                                                             \
			e->key = address;                                                          \
		return e;                                                                          \
	}                                                                                          \
                                                                                                   \
	static __always_inline struct name *name##_find(u64 address)                               \
	{                                                                                          \
		struct name *e = in_slot(slots, address, mask);                                    \
                                                                                                   \
		return e && e->key == address ? e : bpf_map_lookup_elem(rest, &address);           \
	}                                                                                          \
                                                                                                   \
	static __always_inline bool name##_release(u64 address)                                    \
	{                                                                                          \
		struct name *e = in_slot(slots, address, mask);                                    \
                                                                                                   \
		if (e && e->key == address) {                                                      \
			slot_free(&e->key);                                                        \
			return true;                                                               \
		}                                                                                  \
		return !bpf_map_delete_elem(rest, &address);                                       \
	}

TABLE(flight, rq, &iolat_flights, &iolat_flights2, knobs.slot_mask)
TABLE(bio_flight, bio, &iolat_bflights, &iolat_bflights2, knobs.slot_mask & (BIO_FLIGHT_SLOTS - 1))

/* Remembers when a bio entered the block layer; what passed it on may be known already. Without room
 * its request's start stands in. */
static __noinline int arrival_add_rest(u64 bio, u64 now, u64 pid_tgid)
{
	struct arrival entry = {.bio = bio, .start_ns = now, .pid_tgid = pid_tgid};
	struct arrival *a = layered ? bpf_map_lookup_elem(&iolat_bios2, &bio) : NULL;

	if (a) {
		a->start_ns = now;
	} else {
		bpf_map_update_elem(&iolat_bios2, &bio, &entry, BPF_ANY);
		count_spilled();
	}
	return 0;
}

/* A bio has one entry. What the rest has of it, since the slot was another's at that moment, goes into the slot that is free
 * by now. */
static __always_inline void arrival_fetch(struct arrival *a, u64 bio)
{
	struct arrival *rest = bpf_map_lookup_elem(&iolat_bios2, &bio);

	a->above = rest ? rest->above : 0;
	if (!rest)
		return;
	a->in_place = rest->in_place;
	bpf_map_delete_elem(&iolat_bios2, &bio);
}

/* Without devices that pass bios on, a slot is not claimed by an exchange, which costs more than all else here: of two CPUs
 * that take a free slot in the same moment, one's bio is found by neither, and its request's start stands in. */
static __always_inline void arrival_add(u64 bio, u64 now, u64 pid_tgid)
{
	struct arrival *a = in_slot(&iolat_bios, bio, knobs.slot_mask);
	u64 was = !a ? ~0ULL : layered ? slot_take(&a->bio, bio) : a->bio;

	if (!a || (was && was != bio)) {
		arrival_add_rest(bio, now, pid_tgid);
		return;
	}
	if (!was && layered)
		arrival_fetch(a, bio);
	else if (!was)
		a->above = 0;
	a->start_ns = now;
	a->pid_tgid = pid_tgid;
	a->bio = bio;
}

/* Remembers what passed a bio on, before or after it enters. */
static __always_inline void arrival_mark(const struct arrival *entry)
{
	u64 bio = entry->bio;
	struct arrival *a = in_slot(&iolat_bios, bio, knobs.slot_mask);
	u64 was = a ? slot_take(&a->bio, bio) : ~0ULL;

	if (a && (!was || was == bio)) {
		if (!was)
			arrival_fetch(a, bio);
		a->start_ns = entry->start_ns;
		a->pid_tgid = entry->pid_tgid;
		a->above = entry->above;
		a->in_place = entry->in_place;
		return;
	}
	bpf_map_update_elem(&iolat_bios2, &bio, entry, BPF_ANY);
	count_spilled();
}

/* What is known of a bio that entered, start 0 if nothing; `take` also forgets it. */
static __always_inline struct arrival arrival_get(u64 bio, bool take)
{
	struct arrival *a = in_slot(&iolat_bios, bio, knobs.slot_mask), found = {};

	if (a && a->bio == bio) {
		found = *a;
		if (take)
			slot_free(&a->bio);
		return found;
	}
	a = bpf_map_lookup_elem(&iolat_bios2, &bio);
	if (!a)
		return found;
	found = *a;
	if (take)
		bpf_map_delete_elem(&iolat_bios2, &bio);
	return found;
}

/* When the bio of a starting request was submitted, and what it stands below. The front piece of a split
 * bio is a new bio that never entered by itself: it is chained to the original (bi_private), whose
 * entry stays for the rest. */
static __always_inline struct arrival submission(struct bio *bio)
{
	struct arrival a = {};
	void *parent;

	if (knobs.has_bio_queue && bio) {
		a = arrival_get(address_of(bio), true);
		parent = a.start_ns ? NULL : get(bio, bi_private);
		if (parent)
			a = arrival_get(address_of(parent), false);
	}
	a.start_ns = a.start_ns ?: bpf_ktime_get_ns();
	return a;
}

#endif /* IOLAT_FLIGHT_BPF_H */
