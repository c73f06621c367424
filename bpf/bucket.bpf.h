/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bucket that a latency is counted in (see event.h), at little cost. Knows nothing of the kernel, so that it can be tested
 * without one.
 */
#ifndef IOLAT_BUCKET_BPF_H
#define IOLAT_BUCKET_BPF_H

#include "iolat/event.h"

/* How many bits a number of up to 37 has, by the number with all bits set below its highest: multiplied by MIX, each of
 * those 38 has another six bits at the top. (Found by trying.) */
#define MIX 0x77e96a0d93b90dcbULL
const __u8 bits_of_mixed[64] __attribute__((weak)) = {
	0,  4, 22, 0, 0,  0,  32, 12, 0,  35, 20, 10, 18, 0, 29, 15, 0, 3, 0,  0,  31, 0,
	9,  17, 28, 2, 0, 0,  8,  1,  0,  7,  6,  5,  0,  23, 0, 24, 0, 0, 25, 0,  0,  33,
	0,  13, 0, 26, 36, 0, 21, 0,  11, 34, 19, 0,  14, 0,  0, 30, 16, 27, 0, 37,
};

/* The bucket of a latency; see event.h. No loop, and one branch: those of the parts multiply with each other and with
 * every caller's when they are verified. */
static inline __attribute__((always_inline)) __u64 bucket_of(__u64 ns)
{
	__u64 v = ns >> IOLAT_BUCKET_BITS;
	__u64 octave;

	if (v >> 37)
		return IOLAT_BUCKETS - 1;
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	octave = bits_of_mixed[v * MIX >> 58]; /* 0 where a value stands for itself */
	return octave << IOLAT_BUCKET_BITS |
	       (ns >> (octave - (v & 1)) & ((1u << IOLAT_BUCKET_BITS) - 1));
}

#endif /* IOLAT_BUCKET_BPF_H */
