/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The course of a disk's I/O: count, bytes and device time of each quarter of a second, the last minute of it.
 * Filled by usage.c, read by the finding about ceilings.
 */
#ifndef IOLAT_STATS_SERIES_H
#define IOLAT_STATS_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define SERIES_STEP_NS	250000000ull
#define SERIES_STEPS	256

struct series_step {
	uint64_t number;	/* of the step since the clock's zero */
	uint64_t ios, bytes, device_ns;
};

struct series {
	struct series_step steps[SERIES_STEPS];
	uint64_t last;		/* number of the latest step */
};

void series_add(struct series *s, uint64_t end_ns, uint64_t bytes, uint64_t device_ns);

/* The step `back` steps before the last whole one; NULL: nothing happened in it, or it is too long ago. */
const struct series_step *series_back(const struct series *s, size_t back);

#endif
