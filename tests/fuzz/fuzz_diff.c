// SPDX-License-Identifier: GPL-2.0
/*
 * Two recordings' blocks, the first behind its length in two bytes, compared with each other: in every format, and
 * with only such changes as there are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/decoder.h"
#include "render/diff.h"
#include "stats/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(void *run, const void *event, size_t size)
{
	run_event(run, event, size);
	return 0;
}

static void summarise(struct run **r, struct snapshot *s, const uint8_t *data, size_t size)
{
	const struct run_options o = {.by = {.keys = {BY_PROCESS, BY_OP}, .n = 2, .mask = 1u << BY_PROCESS | 1u << BY_OP}};

	struct decoder *d = decoder_new();

	if (!d || run_new(r, &o))
		abort();
	decoder_block(d, data, size, take, *r);
	decoder_free(d);
	if (run_whole(*r, run_end(*r), SNAPSHOT_SUMMARY, s))
		abort();
}

static void check_changes(const struct compare_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (int m = 0; m < COMPARE_MEASURES; m++)
			if (compare_change(&l->groups[i], m) > CHANGE_MORE)
				abort();
}

static void render(const struct comparison *c)
{
	static const char *const formats[] = {"table", "json", "html"};
	struct render_options o = {0};
	const struct diff_view view = {.comparison = c, .files = {"before", "after"}, .o = &o};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		FILE *out = fopen("/dev/null", "w");

		if (!out || diff_find(formats[i])(out, &view))
			abort();
		fclose(out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run *runs[COMPARE_SIDES];
	struct snapshot s[COMPARE_SIDES];
	struct comparison c;
	size_t n;

	if (size < 2)
		return 0;
	n = data[0] | data[1] << 8;
	n = n < size - 2 ? n : size - 2;
	summarise(&runs[COMPARE_BEFORE], &s[COMPARE_BEFORE], data + 2, n);
	summarise(&runs[COMPARE_AFTER], &s[COMPARE_AFTER], data + 2 + n, size - 2 - n);
	if (compare_runs(&c, &s[COMPARE_BEFORE], &s[COMPARE_AFTER]))
		abort();
	check_changes(&c.rows);
	check_changes(&c.tasks);
	render(&c);
	compare_free(&c);
	run_free(runs[COMPARE_BEFORE]);
	run_free(runs[COMPARE_AFTER]);
	return 0;
}
