// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as the records of a ring, each behind its length in two bytes: nothing is read beyond a record, and what the
 * decoder lets through does not upset the analysis.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In room of its own, so that the first byte behind it is noticed. */
static void take(struct run *r, const uint8_t *record, size_t size)
{
	void *copy = malloc(size);
	uint64_t refused = run_refused(r);
	int err;

	if (!copy)
		abort();
	memcpy(copy, record, size);
	err = run_event(r, copy, size);
	if (err && run_refused(r) == refused && err != -ENOTSUP)
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run_options o = {.by.mask = (1u << BY_MAX) - 1};
	struct snapshot s;
	struct run *r;
	size_t n;

	for (int key = 0; key < BY_MAX; key++)
		o.by.keys[o.by.n++] = key;
	if (run_new(&r, &o))
		abort();
	for (; size > 2; data += n, size -= n) {
		n = data[0] | data[1] << 8;
		data += 2;
		size -= 2;
		n = n < size ? n : size;
		take(r, data, n);
	}
	if (run_whole(r, 1000000000, SNAPSHOT_SUMMARY, &s))
		abort();
	run_free(r);
	return 0;
}
