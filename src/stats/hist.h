/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear histograms of 64-bit values. Values below 64 have a bucket each; above,
 * every power of two is cut into 32 equal buckets, so a bucket is at most 1/32 of its
 * value wide. An octave takes memory from its first hit on: 32 bytes, 128 in a histogram of
 * more than 255 values, 256 in one of more than 2^32.
 */
#ifndef IOLAT_STATS_HIST_H
#define IOLAT_STATS_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS 5
#define HIST_SUB (1u << HIST_SUB_BITS)
#define HIST_OCTAVES (64 - HIST_SUB_BITS + 1)	/* octave 0 holds 0..31, octave 1 32..63, ... */

#define HIST_BUCKETS (HIST_OCTAVES << HIST_SUB_BITS)

struct hist {
	uint64_t count;
	uint64_t min;		/* UINT64_MAX while count is 0 */
	uint64_t max;
	double sum;
	uint64_t present;	/* bit an octave that has counters */
	void *counters;		/* of those octaves in their order, HIST_SUB each */
	uint8_t width;		/* of each, in bytes: 1, 4 or 8 */
};

struct hist_bucket {
	uint64_t lo;		/* lowest and highest value that falls in, both inclusive */
	uint64_t hi;
	uint64_t count;
};

void hist_init(struct hist *h);
void hist_free(struct hist *h);		/* and leaves it as hist_init does */

int hist_add(struct hist *h, uint64_t value);			/* 0 or -ENOMEM (then not counted) */
/* 0, or -ENOMEM (then `into` counts what it counted before). */
int hist_merge(struct hist *into, const struct hist *from);

/* Counts n values of a bucket (numbered from 0, octave by octave), but leaves min, max and sum as they are:
 * the caller knows them. 0 or -ENOMEM. */
int hist_add_bucket(struct hist *h, unsigned int bucket, uint64_t n);
unsigned int hist_bucket_of(uint64_t value);
struct hist_bucket hist_bucket_at(unsigned int bucket); /* its bounds, count 0 */

/* Upper bound of the bucket that holds rank ceil(p * count), p in 0..1, never above max; 0 when empty. */
uint64_t hist_percentile(const struct hist *h, double p);
uint64_t hist_mean(const struct hist *h);			/* 0 when empty */

/* Non-empty buckets in rising order: for (size_t i = 0; hist_next(h, &i, &b); ) ... */
bool hist_next(const struct hist *h, size_t *i, struct hist_bucket *b);

#endif
