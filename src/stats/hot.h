/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small cache in front of all look-ups a request needs: what the same submitter's same
 * kind of request led to a moment ago. An entry is good for one epoch; whoever changes
 * what look-ups give starts another.
 */
#ifndef IOLAT_STATS_HOT_H
#define IOLAT_STATS_HOT_H

#include "stats/coverage.h"
#include "stats/random.h"
#include "stats/rows.h"

#define HOT_ENTRIES 4096 /* a power of two */

/* All of a request that decides where it is counted; no padding. */
struct hot_key {
	uint64_t cgroup;
	uint32_t tgid, tid;
	uint32_t disk, via;
	uint32_t kind; /* operation, owner's step, copy or not */
	uint32_t epoch;
};

/* Where it is counted: a cache line. */
struct hot_entry {
	struct hot_key key;
	uint64_t from_ns;	  /* holds for requests submitted from then on */
	struct row_slot *row;	  /* NULL: in none */
	struct stream *stream;	  /* NULL: not looked up yet */
	struct disk_cover *cover; /* NULL: no disk */
};

struct hot {
	struct hot_entry *entries;
};

int hot_init(struct hot *h); /* 0 or -ENOMEM */
void hot_free(struct hot *h);

static inline uint64_t hot_hash(const struct hot_key *k)
{
	uint64_t h = k->cgroup * 0x9e3779b97f4a7c15u;

	h ^= ((uint64_t)k->tid << 32 | k->tgid) * 0xc2b2ae3d27d4eb4fu;
	h ^= ((uint64_t)k->via << 32 | k->disk) * 0x165667b19e3779f9u;
	h ^= k->kind * 0xd6e8feb86659fd93u;
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15u >> 32;
}

static inline bool hot_same(const struct hot_key *a, const struct hot_key *b)
{
	return a->cgroup == b->cgroup && a->tgid == b->tgid && a->tid == b->tid &&
	       a->disk == b->disk && a->via == b->via && a->kind == b->kind && a->epoch == b->epoch;
}

/* The entry of a key, which may be in either of two neighbours, or NULL. */
static inline struct hot_entry *hot_get(const struct hot *h, const struct hot_key *k)
{
	uint64_t i = hot_hash(k) & (HOT_ENTRIES - 1);

	if (hot_same(&h->entries[i].key, k))
		return &h->entries[i];
	if (hot_same(&h->entries[i ^ 1].key, k))
		return &h->entries[i ^ 1];
	return NULL;
}

/* Where to put a key that is not in: over what is out of date, if possible. */
static inline struct hot_entry *hot_place(const struct hot *h, const struct hot_key *k)
{
	uint64_t i = hot_hash(k) & (HOT_ENTRIES - 1);

	if (h->entries[i].key.epoch == k->epoch && h->entries[i ^ 1].key.epoch != k->epoch)
		i ^= 1;
	return &h->entries[i];
}

#endif
