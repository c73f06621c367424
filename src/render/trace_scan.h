/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a Chrome trace that somebody else wrote, byte by byte and whatever its size, to know where further events can
 * go in and what its clock is. Strict: what is no JSON, or no trace, is refused.
 */
#ifndef IOLAT_RENDER_TRACE_SCAN_H
#define IOLAT_RENDER_TRACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum trace_scan_limits {
	TRACE_SCAN_DEPTH = 256,
	TRACE_SCAN_TEXT = 64,	/* of a key or number; what is longer is none that matters */
	TRACE_SCAN_PIDS = 4096,
};

struct trace_scan {
	/* the answers, once trace_scan_end() returned 0 */
	bool bare;		/* an array of events without anything around it */
	uint64_t events_end;	/* where the array's closing bracket stands */
	bool empty;		/* no event stands before it */
	bool has_base;
	uint64_t base_ns;	/* wall clock of ts 0 */
	struct map pids;	/* numbers that its events name as "pid" */

	uint64_t at;		/* bytes read */
	const char *problem;	/* NULL: none so far */
	int want;
	unsigned int depth;
	char open[TRACE_SCAN_DEPTH];	/* '{' or '[' */
	bool in_string, escaped, in_word, is_key;
	char text[TRACE_SCAN_TEXT];	/* of what is being read */
	size_t len;
	char key[TRACE_SCAN_TEXT];	/* the last one */
	unsigned int events_depth;	/* of traceEvents' elements; 0: it has not come */
	bool events_done;
};

void trace_scan_init(struct trace_scan *s);
void trace_scan_free(struct trace_scan *s);

/* 0, -ENOMEM, or -EINVAL with s->problem, at byte s->at. */
int trace_scan_feed(struct trace_scan *s, const char *data, size_t size);
int trace_scan_end(struct trace_scan *s);

bool trace_scan_has_pid(const struct trace_scan *s, uint32_t pid);

#endif
