/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram behind every latency column. Most keys see values of a few octaves, so each octave
 * (32 counters) exists only once it was hit: a dense one would take 15 KB a key. Filled by run.c,
 * read through snapshots by the renderers.
 */
#include "stats/hist.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>

/* Octave 0 is the values below 32; octave o >= 1 begins at 32 << (o - 1), each of its buckets
 * 1 << (o - 1) wide. */
static unsigned int octave_of(uint64_t value)
{
	if (value < HIST_SUB)
		return 0;
	return 64 - HIST_SUB_BITS - (unsigned int)__builtin_clzll(value);
}

static unsigned int shift_of(unsigned int octave)
{
	return octave ? octave - 1 : 0;
}

static unsigned int sub_of(uint64_t value, unsigned int octave)
{
	return (unsigned int)(value >> shift_of(octave)) & (HIST_SUB - 1);
}

static void bucket_bounds(unsigned int octave, unsigned int sub, struct hist_bucket *b)
{
	unsigned int shift = shift_of(octave);
	uint64_t base = octave ? HIST_SUB : 0;

	b->lo = (base + sub) << shift;
	b->hi = b->lo + ((1ULL << shift) - 1);
}

void hist_init(struct hist *h)
{
	*h = (struct hist){.min = UINT64_MAX};
}

void hist_free(struct hist *h)
{
	for (unsigned int o = 0; o < HIST_OCTAVES; o++)
		free(h->octaves[o]);
	hist_init(h);
}

static int need_octave(struct hist *h, unsigned int octave)
{
	if (!h->octaves[octave])
		h->octaves[octave] = calloc(HIST_SUB, sizeof(*h->octaves[octave]));
	return h->octaves[octave] ? 0 : -ENOMEM;
}

int hist_add(struct hist *h, uint64_t value)
{
	unsigned int octave = octave_of(value);
	int err = need_octave(h, octave);

	if (err)
		return err;
	h->octaves[octave][sub_of(value, octave)]++;
	h->count++;
	h->sum += (double)value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	return 0;
}

static void merge_octave(uint64_t *into, const uint64_t *from)
{
	for (unsigned int sub = 0; sub < HIST_SUB; sub++)
		into[sub] += from[sub];
}

int hist_merge(struct hist *into, const struct hist *from)
{
	/* All memory first: a merge happens whole or not at all. */
	for (unsigned int o = 0; o < HIST_OCTAVES; o++) {
		if (from->octaves[o] && need_octave(into, o))
			return -ENOMEM;
	}
	for (unsigned int o = 0; o < HIST_OCTAVES; o++) {
		if (from->octaves[o])
			merge_octave(into->octaves[o], from->octaves[o]);
	}
	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	return 0;
}

/* ceil(p * count) in 1..count. A hair is taken off first, since 0.07 * 100 is 7.000000000000001
 * in binary and must not become rank 8. */
static uint64_t rank_of(double p, uint64_t count)
{
	double exact = p * (double)count * (1 - 4 * DBL_EPSILON);
	uint64_t rank;

	if (!(exact > 0))
		return 1;
	if (exact >= (double)count || p >= 1)
		return count;
	rank = (uint64_t)exact;
	if ((double)rank < exact)
		rank++;
	return rank < count ? rank : count;
}

uint64_t hist_percentile(const struct hist *h, double p)
{
	struct hist_bucket b;
	uint64_t rank, seen = 0;

	if (!h->count)
		return 0;
	rank = rank_of(p, h->count);
	for (size_t i = 0; hist_next(h, &i, &b);) {
		seen += b.count;
		if (seen >= rank)
			return b.hi < h->max ? b.hi : h->max;
	}
	return h->max;
}

uint64_t hist_mean(const struct hist *h)
{
	double mean;

	if (!h->count)
		return 0;
	mean = h->sum / (double)h->count;
	/* Rounding of large values may leave min..max, where 2^64 has no integer. */
	if (mean >= (double)h->max)
		return h->max;
	if (mean <= (double)h->min)
		return h->min;
	return (uint64_t)mean;
}

bool hist_next(const struct hist *h, size_t *i, struct hist_bucket *b)
{
	while (*i < HIST_OCTAVES * HIST_SUB) {
		unsigned int octave = (unsigned int)(*i / HIST_SUB);
		unsigned int sub = (unsigned int)(*i % HIST_SUB);

		if (!h->octaves[octave]) {
			*i = (octave + 1UL) * HIST_SUB;
			continue;
		}
		(*i)++;
		b->count = h->octaves[octave][sub];
		if (b->count) {
			bucket_bounds(octave, sub, b);
			return true;
		}
	}
	return false;
}
