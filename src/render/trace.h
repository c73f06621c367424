/* SPDX-License-Identifier: GPL-2.0 */
/* What the trace format is told besides: another trace that it is written into. */
#ifndef IOLAT_RENDER_TRACE_H
#define IOLAT_RENDER_TRACE_H

#include <sys/types.h>

#include "render/trace_scan.h"

/* A trace that has been scanned. */
struct trace_merge {
	struct trace_scan scan;
	/* Its bytes from the first to the last, once; -1 is an error, 0 the end. */
	ssize_t (*read)(void *ctx, char *buf, size_t size);
	void *ctx;
};

#endif
