/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel side's table of I/Os without an event each (include/iolat/aggregate.h) as
 * events: what was counted since the last time, once a key.
 */
#ifndef IOLAT_COLLECT_AGGREGATES_H
#define IOLAT_COLLECT_AGGREGATES_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/sink.h"

struct aggregates {
	int outer;		/* the map that holds the table in use; borrowed */
	int table;		/* the table in use */
	uint64_t since_ns;	/* CLOCK_MONOTONIC: it is in use since then */
	bool coarse;		/* knobs.coarse */
	uint32_t keys;		/* that the next table has room for */
	uint64_t taken;		/* additions that were made before the last take */
};

/* Makes the first table, which the map of tables is then loaded with. 0 or -errno. */
int aggregates_open(struct aggregates *a, bool coarse);
int aggregates_start(struct aggregates *a, int outer); /* puts it there; 0 or -errno */
void aggregates_close(struct aggregates *a);

/* Passes on what was counted; `additions` is the kernel side's count of them (losses.aggregated, unless coarse). When
 * there were none, this costs nothing; else the kernel makes us wait some milliseconds. 0 or -errno. */
int aggregates_take(struct aggregates *a, uint64_t additions, const struct sink *sink);

#endif
