// SPDX-License-Identifier: GPL-2.0
/* What the table and the page of a comparison say in the same words. */
#include <inttypes.h>
#include <string.h>

#include "render/diff.h"

diff_render *diff_find(const char *format)
{
	static const struct {
		const char *name;
		diff_render *render;
	} all[] = {{"table", diff_table}, {"json", diff_json}, {"html", diff_html}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, format))
			return all[i].render;
	return NULL;
}

char *diff_value(char buf[UNITS_LEN], const struct compare_sums *s, enum compare_measure m)
{
	double v;

	if (!compare_value(s, m, &v))
		snprintf(buf, UNITS_LEN, "-");
	else if (m == COMPARE_IOS)
		snprintf(buf, UNITS_LEN, "%" PRIu64, s->ios);
	else if (m == COMPARE_BYTES)
		fmt_bytes(buf, v);
	else if (m == COMPARE_BLOCKED)
		snprintf(buf, UNITS_LEN, "%.1f%%", v);
	else
		fmt_duration(buf, (uint64_t)v);
	return buf;
}

static void put_factor(char buf[UNITS_LEN], char sign, double factor)
{
	snprintf(buf, UNITS_LEN, " %c%.*f", sign, factor < 9.95 ? 2 : 0, factor);
}

char *diff_ratio(char buf[UNITS_LEN], const struct compare_group *g, enum compare_measure m)
{
	enum compare_change change = compare_change(g, m);
	double before, after;

	*buf = '\0';
	if (change == CHANGE_SAME)
		snprintf(buf, UNITS_LEN, " same");
	if (change == CHANGE_SAME || !compare_value(&g->sums[COMPARE_BEFORE], m, &before) ||
	    !compare_value(&g->sums[COMPARE_AFTER], m, &after) || before <= 0 || after <= 0)
		return buf;
	if (after >= before)
		put_factor(buf, 'x', after / before);
	else
		put_factor(buf, '/', before / after);
	return buf;
}

const char *diff_header(enum compare_measure m)
{
	static const char *const headers[COMPARE_MEASURES] = {
		[COMPARE_IOS] = "IOS", [COMPARE_BYTES] = "BYTES", [COMPARE_P50] = "P50", [COMPARE_P90] = "P90",
		[COMPARE_P99] = "P99", [COMPARE_MAX] = "MAX",	  [COMPARE_BLOCKED] = "BLOCKED",
	};

	return headers[m];
}

const enum compare_measure *diff_measures(bool tasks, size_t *n)
{
	static const enum compare_measure of_requests[] = {COMPARE_IOS, COMPARE_BYTES, COMPARE_P50,
							   COMPARE_P90, COMPARE_P99,   COMPARE_MAX};
	static const enum compare_measure of_tasks[] = {COMPARE_BLOCKED};

	*n = tasks ? 1 : sizeof(of_requests) / sizeof(of_requests[0]);
	return tasks ? of_tasks : of_requests;
}

/* More or fewer requests are neither good nor bad by themselves. */
int diff_goodness(const struct compare_group *g, enum compare_measure m)
{
	enum compare_change change = compare_change(g, m);

	if (m == COMPARE_IOS || m == COMPARE_BYTES)
		return 0;
	return change == CHANGE_LESS ? 1 : change == CHANGE_MORE ? -1 : 0;
}

static void put_percentile(FILE *out, const struct compare_group *all, enum compare_measure m, const char *name)
{
	static const char *const words[] = {"slower than", "as fast as", "faster than"};
	char before[UNITS_LEN], after[UNITS_LEN];

	fprintf(out, "%s %s, %s before (%s)", name, diff_value(after, &all->sums[COMPARE_AFTER], m),
		words[diff_goodness(all, m) + 1], diff_value(before, &all->sums[COMPARE_BEFORE], m));
}

/* How long the tasks that waited were blocked, all together. */
static void put_blocked(FILE *out, const struct compare_list *tasks)
{
	double ns[COMPARE_SIDES] = {0}, wall[COMPARE_SIDES] = {0};

	for (size_t i = 0; i < tasks->n; i++)
		for (int side = 0; side < COMPARE_SIDES; side++) {
			ns[side] += (double)tasks->groups[i].sums[side].blocked_ns;
			wall[side] += (double)tasks->groups[i].sums[side].wall_ns;
		}
	if (wall[0] > 0 && wall[1] > 0)
		fprintf(out, "; tasks blocked %.1f %% of their time after, %.1f %% before", 100 * ns[1] / wall[1],
			100 * ns[0] / wall[0]);
}

void diff_sentence(FILE *out, const struct comparison *c)
{
	const struct compare_group *all = &c->all;

	if (!all->sums[0].total.count || !all->sums[1].total.count) {
		fprintf(out, "no requests %s: nothing to compare", all->sums[0].total.count ? "after" : "before");
		return;
	}
	put_percentile(out, all, COMPARE_P50, "median latency");
	put_percentile(out, all, COMPARE_P99, "; p99");
	put_blocked(out, &c->tasks);
}
