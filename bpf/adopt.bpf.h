/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a request's bios tell of it: whose it is, where (before 6.5) only its first bio was
 * seen starting, and how many they are. Asked at its issue, or at its completion if it was
 * never issued.
 */
#ifndef IOLAT_ADOPT_BPF_H
#define IOLAT_ADOPT_BPF_H

#include "flight.bpf.h"
#include "kind.bpf.h"
#include "request_file.bpf.h"
#include "walk.bpf.h"

/* Fills a fresh entry; the owner, the start, what it does and where from are the caller's. */
static __always_inline void flight_begin(struct flight *f)
{
	f->issue_ns = 0;
	f->bytes = 0;
	f->merged = 0;
	f->requeues = 0;
	f->shared = 0;
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
		w->f->in_place = o->in_place;
		if (knobs.files)
			file_move(key, address_of(w->rq));
	}
	bpf_map_delete_elem(&iolat_owners, &key);
	return 1;
}

/* Finds the bio that a request was made for. A loop is a global function, given numbers alone: verified once
 * by itself, and not again for all that its callers may have come to. */
__weak __noinline u32 iolat_find_first(u64 rq)
{
	struct walk w = {.rq = (struct request *)rq, .bio = BPF_CORE_READ((struct request *)rq, bio)};

	walk_bios(visit_first, &w);
	if (w.f)
		flight_begin(w.f);
	return w.f != NULL;
}

/* The entry of a request that was started by getrq: among its bios is the one it was made for. */
static __always_inline struct flight *flight_adopt(struct request *rq)
{
	u64 key = number_of(rq);

	return iolat_find_first(key) ? flight_find(key) : NULL;
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
__weak __noinline int iolat_count_bios(u64 rq)
{
	struct walk w = {.bio = BPF_CORE_READ((struct request *)rq, bio), .f = flight_find(rq)};

	if (!w.f)
		return 0;
	walk_bios(visit_owner, &w);
	if (w.bios > w.f->merged)
		w.f->merged = w.bios - 1;
	return 0;
}

#endif /* IOLAT_ADOPT_BPF_H */
