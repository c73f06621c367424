// SPDX-License-Identifier: GPL-2.0
/* A comparison for the terminal: before, after and the ratio of each measure, names last. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "render/columns.h"
#include "render/diff.h"

#define CELL_LEN (3 * UNITS_LEN)

static void cell_text(char buf[CELL_LEN], const struct compare_group *g, enum compare_measure m)
{
	char before[UNITS_LEN], after[UNITS_LEN], ratio[UNITS_LEN];

	snprintf(buf, CELL_LEN, "%s -> %s%s", diff_value(before, &g->sums[COMPARE_BEFORE], m),
		 diff_value(after, &g->sums[COMPARE_AFTER], m), diff_ratio(ratio, g, m));
}

static int width_of(const struct compare_list *l, size_t shown, enum compare_measure m)
{
	size_t width = strlen(diff_header(m));
	char cell[CELL_LEN];

	for (size_t i = 0; i < shown; i++) {
		cell_text(cell, &l->groups[i], m);
		width = strlen(cell) > width ? strlen(cell) : width;
	}
	return (int)width;
}

static void put_names(FILE *out, const struct compare_list *l, const struct compare_group *g)
{
	for (size_t i = 0; i < l->by.n; i++) {
		fputs("  ", out);
		column_print_text(out, g->names[l->by.keys[i]]);
	}
	fputc('\n', out);
}

static void put_header_names(FILE *out, const struct by *by)
{
	for (size_t i = 0; i < by->n; i++)
		fprintf(out, "  %s", row_key_name(by->keys[i]));
	fputc('\n', out);
}

static void put_list(FILE *out, const struct compare_list *l, bool tasks, size_t top)
{
	size_t n, shown = top && top < l->n ? top : l->n;
	const enum compare_measure *m = diff_measures(tasks, &n);
	int widths[COMPARE_MEASURES];
	char cell[CELL_LEN];

	for (size_t i = 0; i < n; i++)
		widths[i] = width_of(l, shown, m[i]);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%*s", i ? "  " : "", widths[i], diff_header(m[i]));
	put_header_names(out, &l->by);
	for (size_t r = 0; r < shown; r++) {
		for (size_t i = 0; i < n; i++) {
			cell_text(cell, &l->groups[r], m[i]);
			fprintf(out, "%s%*s", i ? "  " : "", widths[i], cell);
		}
		put_names(out, l, &l->groups[r]);
	}
	if (shown < l->n)
		fprintf(out, "(%zu more)\n", l->n - shown);
}

static void put_run(FILE *out, const struct diff_view *v, enum compare_side side)
{
	const struct snapshot *s = v->comparison->runs[side];
	char stamp[RFC3339_LEN], duration[UNITS_LEN];

	fmt_rfc3339(stamp, s->start_wall_ns);
	fprintf(out, "%s  %.10s %.8s  %s  ", side == COMPARE_BEFORE ? "before" : "after ", stamp, stamp + 11,
		fmt_duration(duration, s->duration_ns));
	column_print_text(out, s->host ? s->host : "?");
	fputs("  ", out);
	column_print_text(out, v->files[side]);
	if (s->coverage.tally.lost)
		fprintf(out, "  (lost %llu)", (unsigned long long)s->coverage.tally.lost);
	fputc('\n', out);
}

int diff_table(FILE *out, const struct diff_view *v)
{
	const struct comparison *c = v->comparison;

	put_run(out, v, COMPARE_BEFORE);
	put_run(out, v, COMPARE_AFTER);
	put_list(out, &c->rows, false, v->o->top);
	if (c->tasks.n)
		put_list(out, &c->tasks, true, v->o->top);
	diff_sentence(out, c);
	fputc('\n', out);
	return 0;
}
