// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as somebody's trace: what is taken ends its events with a bracket at the place that is told, and is the same
 * in pieces of any size.
 */
#include <stdint.h>
#include <stdlib.h>

#include "render/trace_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static int scan(struct trace_scan *s, const uint8_t *data, size_t size, size_t piece)
{
	int err = 0;

	trace_scan_init(s);
	for (size_t i = 0; !err && i < size; i += piece)
		err = trace_scan_feed(s, (const char *)data + i, size - i < piece ? size - i : piece);
	return err ? err : trace_scan_end(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_scan whole, pieces;
	int err = scan(&whole, data, size, size + 1), other = scan(&pieces, data, size, 3);

	require(err == other);
	require(err ? whole.problem != NULL : whole.events_end < size && data[whole.events_end] == ']');
	require(err || (whole.events_end == pieces.events_end && whole.empty == pieces.empty && whole.base_ns == pieces.base_ns));
	trace_scan_free(&whole);
	trace_scan_free(&pieces);
	return 0;
}
