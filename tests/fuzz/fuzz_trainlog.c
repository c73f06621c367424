// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a training log, in pieces of any size, by the built-in patterns and by one of the user's: what comes
 * out is whole events with printable names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trainlog/trainlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static int check(void *ctx, const struct iolat_mark *e)
{
	char printable[sizeof(e->name) + 1];

	require(e->head.size == sizeof(*e) && e->head.kind == IOLAT_EV_MARK);
	require(e->what > IOLAT_MARK_LOG && e->what < IOLAT_MARK_WHATS && e->kind < IOLAT_MARK_KINDS);
	require(memchr(e->name, 0, sizeof(e->name)) != NULL);
	text_printable(printable, sizeof(printable), e->name);
	require(!strcmp(printable, e->name));
	return 0;
}

static void read_with(const char *pattern, const uint8_t *data, size_t size)
{
	const struct mark_sink sink = {check, NULL};
	const uint64_t now = 1796080049ull * 1000000000;
	size_t piece = size ? data[0] % 32 + 1 : 1;
	struct trainlog *l;
	char why[200];

	if (trainlog_new(&l, pattern, why, sizeof(why)))
		abort();
	for (size_t i = 0; i < size; i += piece)
		trainlog_feed(l, (const char *)data + i, size - i < piece ? size - i : piece, now, &sink);
	trainlog_finish(l, now, &sink);
	require(trainlog_found(l).failed != NULL);
	trainlog_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_with(NULL, data, size);
	read_with("^(?:(?<time>.*?) )?(?<name>\\pL+) (?<epoch>\\d+)?(?:/(?<steps>\\d+))?(?<end>!)?", data, size);
	return 0;
}
