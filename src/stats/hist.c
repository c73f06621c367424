/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The histogram behind every latency column. Most keys see few values of a few octaves, so each octave
 * (32 counters) exists only once it was hit, with counters as wide as the values are many: a dense one
 * would take 15 KB a key. Filled by row.c, read through snapshots by the renderers.
 */
#include "stats/hist.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

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

unsigned int hist_bucket_of(uint64_t value)
{
	unsigned int octave = octave_of(value);

	return octave << HIST_SUB_BITS |
	       ((unsigned int)(value >> shift_of(octave)) & (HIST_SUB - 1));
}

struct hist_bucket hist_bucket_at(unsigned int bucket)
{
	unsigned int octave = bucket >> HIST_SUB_BITS, shift = shift_of(octave);
	uint64_t lo = ((octave ? HIST_SUB : 0) + (uint64_t)(bucket & (HIST_SUB - 1))) << shift;

	return (struct hist_bucket){.lo = lo, .hi = lo + ((1ULL << shift) - 1)};
}

void hist_init(struct hist *h)
{
	*h = (struct hist){.min = UINT64_MAX, .width = sizeof(uint8_t)};
}

void hist_free(struct hist *h)
{
	free(h->counters);
	hist_init(h);
}

/* Octaves that have counters before this one. */
static unsigned int octaves_before(const struct hist *h, unsigned int octave)
{
	return (unsigned int)__builtin_popcountll(h->present & ((1ULL << octave) - 1));
}

static bool has_octave(const struct hist *h, unsigned int octave)
{
	return h->present >> octave & 1;
}

/* Where a bucket of an octave that has counters stands among them. */
static size_t place_of(const struct hist *h, unsigned int bucket)
{
	return octaves_before(h, bucket >> HIST_SUB_BITS) << HIST_SUB_BITS |
	       (bucket & (HIST_SUB - 1));
}

static uint64_t counter(const struct hist *h, size_t place)
{
	switch (h->width) {
	case sizeof(uint8_t):
		return ((const uint8_t *)h->counters)[place];
	case sizeof(uint32_t):
		return ((const uint32_t *)h->counters)[place];
	default:
		return ((const uint64_t *)h->counters)[place];
	}
}

static void add_to(struct hist *h, size_t place, uint64_t n)
{
	switch (h->width) {
	case sizeof(uint8_t):
		((uint8_t *)h->counters)[place] += (uint8_t)n;
		break;
	case sizeof(uint32_t):
		((uint32_t *)h->counters)[place] += (uint32_t)n;
		break;
	default:
		((uint64_t *)h->counters)[place] += n;
	}
}

static size_t octave_bytes(const struct hist *h)
{
	return HIST_SUB * (size_t)h->width;
}

/* Copies the counters of one into another of the same width that has all of its octaves, and more. */
static void spread(const struct hist *from, struct hist *to)
{
	size_t bytes = octave_bytes(from);
	const char *at = from->counters;

	for (unsigned int o = 0; o < HIST_OCTAVES; o++) {
		if (!has_octave(from, o))
			continue;
		memcpy((char *)to->counters + octaves_before(to, o) * bytes, at, bytes);
		at += bytes;
	}
}

/* Counters for these octaves besides those that there are. 0 or -ENOMEM (then nothing changed). */
static int need_octaves(struct hist *h, uint64_t octaves)
{
	struct hist more = *h;

	if (!(octaves & ~h->present))
		return 0;
	more.present |= octaves;
	more.counters = calloc(octaves_before(&more, HIST_OCTAVES), octave_bytes(h));
	if (!more.counters)
		return -ENOMEM;
	spread(h, &more);
	free(h->counters);
	*h = more;
	return 0;
}

static int widen(struct hist *h, uint8_t width)
{
	size_t counters = (size_t)octaves_before(h, HIST_OCTAVES) << HIST_SUB_BITS;
	struct hist wider = *h;

	wider.width = width;
	wider.counters = calloc(counters + 1, width); /* there may be none yet */
	if (!wider.counters)
		return -ENOMEM;
	for (size_t i = 0; i < counters; i++)
		add_to(&wider, i, counter(h, i));
	free(h->counters);
	*h = wider;
	return 0;
}

/* The most that a counter holds. */
static uint64_t most_of(uint8_t width)
{
	return UINT64_MAX >> (64 - 8 * width);
}

/* Makes sure that no counter overflows when n values come: none is above the count of all. */
static int need_width(struct hist *h, uint64_t n)
{
	uint8_t width = h->width;

	while (width < sizeof(uint64_t) && n > most_of(width) - h->count)
		width = width < sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(uint64_t);
	return width == h->width ? 0 : widen(h, width);
}

static int make_room(struct hist *h, uint64_t octaves, uint64_t n)
{
	return need_octaves(h, octaves) ?: need_width(h, n);
}

static bool has_room(const struct hist *h, uint64_t octaves, uint64_t n)
{
	return !(octaves & ~h->present) && n <= most_of(h->width) - h->count;
}

int hist_add_bucket(struct hist *h, unsigned int bucket, uint64_t n)
{
	uint64_t octave = 1ULL << (bucket >> HIST_SUB_BITS);
	int err = has_room(h, octave, n) ? 0 : make_room(h, octave, n);

	if (err)
		return err;
	add_to(h, place_of(h, bucket), n);
	h->count += n;
	return 0;
}

int hist_add(struct hist *h, uint64_t value)
{
	int err = hist_add_bucket(h, hist_bucket_of(value), 1);

	if (err)
		return err;
	h->sum += (double)value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	return 0;
}

static void merge_octave(struct hist *into, const struct hist *from, unsigned int octave)
{
	size_t to = place_of(into, octave << HIST_SUB_BITS);
	size_t at = place_of(from, octave << HIST_SUB_BITS);

	for (unsigned int sub = 0; sub < HIST_SUB; sub++)
		add_to(into, to + sub, counter(from, at + sub));
}

int hist_merge(struct hist *into, const struct hist *from)
{
	/* All memory first: a merge happens whole or not at all. */
	int err = make_room(into, from->present, from->count);

	if (err)
		return err;
	for (unsigned int o = 0; o < HIST_OCTAVES; o++)
		if (has_octave(from, o))
			merge_octave(into, from, o);
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
	while (*i < HIST_BUCKETS) {
		unsigned int bucket = (unsigned int)*i;
		uint64_t n;

		if (!has_octave(h, bucket >> HIST_SUB_BITS)) {
			*i = ((bucket >> HIST_SUB_BITS) + 1UL) << HIST_SUB_BITS;
			continue;
		}
		(*i)++;
		n = counter(h, place_of(h, bucket));
		if (n) {
			*b = hist_bucket_at(bucket);
			b->count = n;
			return true;
		}
	}
	return false;
}
