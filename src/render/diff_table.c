// SPDX-License-Identifier: GPL-2.0
/* A comparison for the terminal: before, after and the ratio of each measure, names last. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "render/columns.h"
#include "render/diff.h"
#include "render/lines.h"

#define CELL_LEN   (3 * UNITS_LEN)
#define NAME_LEAST 15 /* columns that a name should have */

/* What a narrow terminal does without, so that the names at the end are seen; the first goes first. */
static const enum compare_measure spare[] = {COMPARE_P90, COMPARE_MAX, COMPARE_BYTES, COMPARE_P99};

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

struct diff_columns {
	const enum compare_measure *measures;
	size_t n;
	int widths[COMPARE_MEASURES]; /* 0: left out */
};

/* As far as anybody wants to see them. */
static int width_of_names(const struct compare_list *l, size_t shown)
{
	int all = 0;

	for (size_t k = 0; k < l->by.n; k++) {
		int most = text_columns(row_key_name(l->by.keys[k]));

		for (size_t i = 0; i < shown; i++) {
			int width = text_columns(l->groups[i].names[l->by.keys[k]]);

			most = width > most ? width : most;
		}
		all += 2 + (most < NAME_LEAST ? most : NAME_LEAST);
	}
	return all;
}

static int needed_width(const struct diff_columns *c, int names)
{
	int width = names - 2;

	for (size_t i = 0; i < c->n; i++)
		width += c->widths[i] ? c->widths[i] + 2 : 0;
	return width;
}

static void leave_out(struct diff_columns *c, int names, int width)
{
	for (size_t s = 0; s < sizeof(spare) / sizeof(spare[0]) && needed_width(c, names) > width; s++)
		for (size_t i = 0; i < c->n; i++)
			if (c->measures[i] == spare[s])
				c->widths[i] = 0;
}

static struct diff_columns choose_columns(const struct compare_list *l, bool tasks, size_t shown, int width)
{
	struct diff_columns c = {.measures = diff_measures(tasks, &c.n)};

	for (size_t i = 0; i < c.n; i++)
		c.widths[i] = width_of(l, shown, c.measures[i]);
	if (width > 0)
		leave_out(&c, width_of_names(l, shown), width);
	return c;
}

/* Of the header (NULL) or a group. */
static void put_cells(FILE *out, const struct diff_columns *c, const struct compare_group *g)
{
	const char *gap = "";
	char cell[CELL_LEN];

	for (size_t i = 0; i < c->n; i++) {
		if (!c->widths[i])
			continue;
		if (g)
			cell_text(cell, g, c->measures[i]);
		fprintf(out, "%s%*s", gap, c->widths[i], g ? cell : diff_header(c->measures[i]));
		gap = "  ";
	}
}

static void put_list(FILE *out, const struct compare_list *l, bool tasks, const struct render_options *o)
{
	size_t shown = o->top && o->top < l->n ? o->top : l->n;
	const struct diff_columns c = choose_columns(l, tasks, shown, o->width);

	put_cells(out, &c, NULL);
	put_header_names(out, &l->by);
	for (size_t r = 0; r < shown; r++) {
		put_cells(out, &c, &l->groups[r]);
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

/* The offset of the sentence at the end. */
static long put_comparison(FILE *out, const struct diff_view *v)
{
	const struct comparison *c = v->comparison;
	long sentence;

	put_run(out, v, COMPARE_BEFORE);
	put_run(out, v, COMPARE_AFTER);
	put_list(out, &c->rows, false, v->o);
	if (c->tasks.n)
		put_list(out, &c->tasks, true, v->o);
	sentence = ftell(out);
	diff_sentence(out, c);
	fputc('\n', out);
	return sentence;
}

int diff_table(FILE *out, const struct diff_view *v)
{
	char *text = NULL;
	long sentence = 0;
	size_t size;
	FILE *mem = open_memstream(&text, &size);
	int err = -ENOMEM;

	if (mem) {
		sentence = put_comparison(mem, v);
		err = fclose(mem) ? -ENOMEM : 0;
	}
	if (!err)
		lines_put(out, text, sentence, v->o->width);
	free(text);
	return err;
}
