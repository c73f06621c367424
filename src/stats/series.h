/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The course of a disk's I/O: count, bytes and latency of each quarter of a second, the last minute of it.
 * Filled by usage.c, read by the finding about ceilings.
 */
#ifndef IOLAT_STATS_SERIES_H
#define IOLAT_STATS_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define SERIES_STEP_NS	250000000ull
#define SERIES_STEPS	256

/* `ns`: latencies together. */
struct series_part {
	uint64_t ios, bytes, ns;
};

struct series_step {
	uint64_t number;	/* of the step since the clock's zero */
	struct series_part sums;
};

struct series {
	struct series_step steps[SERIES_STEPS];
	uint64_t last;		/* number of the latest step */
};

void series_add(struct series *s, uint64_t end_ns, const struct series_part *part);

/* The step `back` steps before the last whole one; NULL: nothing happened in it, or it is too long ago. */
const struct series_step *series_back(const struct series *s, size_t back);

#endif
