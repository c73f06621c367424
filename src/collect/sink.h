/* SPDX-License-Identifier: GPL-2.0 */
/* Where events go, from the rings or from the host, on their way to the analysis. */
#ifndef IOLAT_COLLECT_SINK_H
#define IOLAT_COLLECT_SINK_H

#include <stddef.h>

/* Each event is valid during the call only. 0 or a negative errno, which ends the reading. */
struct sink {
	int (*event)(void *ctx, const void *data, size_t size);
	void *ctx;
};

#endif
