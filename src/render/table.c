/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table for people: a line of time, the rows in the columns of columns.c, histograms
 * where asked for, and a line that says how complete it all is. A frame is laid out in
 * memory first, so that lines can be cut to the terminal, and sentences broken.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "render/columns.h"
#include "render/formats.h"
#include "render/frame.h"
#include "render/histogram.h"
#include "render/lines.h"
#include "render/order.h"
#include "render/table_coverage.h"
#include "render/table_waits.h"

enum { NAME_LEAST = 15 }; /* columns of the terminal */

/* What a narrow terminal does without, so that the name at the end is seen; the first goes first. */
static const char *const spare[] = {"size", "queue_pct"};

struct table {
	const struct snapshot *frame;
	const struct row **rows; /* in order; only n_rows are shown */
	size_t n_rows;
	const struct column **columns;
	size_t n_columns;
	int *widths; /* -1: left out */
	long sentences; /* where in the text they begin */
};

/* --- what is shown ------------------------------------------------------------- */

static size_t count_columns(void)
{
	size_t n = 0;

	while (column_at(n))
		n++;
	return n;
}

static void choose_columns(struct table *t)
{
	const struct column *c;

	for (size_t i = 0; (c = column_at(i)); i++)
		if (column_shown(c, t->frame, t->rows, t->n_rows))
			t->columns[t->n_columns++] = c;
}

static void take_columns(struct table *t, const struct render_options *o)
{
	for (size_t i = 0; i < o->n_columns; i++)
		t->columns[t->n_columns++] = o->columns[i];
}

static void table_free(struct table *t)
{
	free(t->rows);
	free(t->columns);
	free(t->widths);
}

static int table_init(struct table *t, const struct snapshot *s, const struct render_options *o)
{
	size_t most = o->columns ? o->n_columns : count_columns();

	*t = (struct table){.frame = s, .n_rows = s->n_rows};
	if (o->top && o->top < t->n_rows)
		t->n_rows = o->top;
	t->rows = order_rows(s, o);
	t->columns = calloc(most + 1, sizeof(*t->columns));
	t->widths = calloc(most + 1, sizeof(*t->widths));
	if (!t->rows || !t->columns || !t->widths) {
		table_free(t);
		return -ENOMEM;
	}
	if (o->columns)
		take_columns(t, o);
	else
		choose_columns(t);
	return 0;
}

/* --- cells: the header's and the rows', line by line, each ended by a NUL ------- */

static void put_cells(FILE *out, const struct table *t)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		fputs(t->columns[c]->header, out);
		fputc('\0', out);
	}
	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t c = 0; c < t->n_columns; c++) {
			column_print(t->columns[c], out, &(struct cell){t->frame, t->rows[r]});
			fputc('\0', out);
		}
	}
}

static char *cells_make(const struct table *t)
{
	char *cells = NULL;
	size_t size;
	FILE *mem = open_memstream(&cells, &size);

	if (!mem)
		return NULL;
	put_cells(mem, t);
	if (!fclose(mem))
		return cells;
	free(cells);
	return NULL;
}

static void measure_cells(struct table *t, const char *cell)
{
	for (size_t i = 0; i < (t->n_rows + 1) * t->n_columns; i++) {
		int *width = &t->widths[i % t->n_columns];
		int columns = text_columns(cell);

		if (columns > *width)
			*width = columns;
		cell += strlen(cell) + 1;
	}
}

/* Of the lines, as far as anybody wants to see them: a name may be long. */
static int needed_width(const struct table *t)
{
	size_t last = t->n_columns - 1;
	int width = t->widths[last] < NAME_LEAST ? t->widths[last] : NAME_LEAST;

	for (size_t c = 0; c < last; c++)
		width += t->widths[c] >= 0 ? t->widths[c] + 2 : 0;
	return width;
}

static void leave_out(struct table *t, int width)
{
	for (size_t i = 0; i < sizeof(spare) / sizeof(spare[0]) && needed_width(t) > width; i++)
		for (size_t c = 0; c < t->n_columns; c++)
			if (t->columns[c] == column_find(spare[i]))
				t->widths[c] = -1;
}

/* Two blanks between columns; numbers to the right, texts to the left. */
static void put_cell(FILE *out, const struct column *c, const char *cell, int width, bool first)
{
	int pad = width - text_columns(cell);

	fprintf(out, "%s%*s%s%*s", first ? "" : "  ", c->number ? pad : 0, "", cell,
		c->number ? 0 : pad, "");
}

static void put_grid(FILE *out, const struct table *t, const char *cell)
{
	for (size_t r = 0; r < t->n_rows + 1; r++) {
		for (size_t c = 0; c < t->n_columns; c++) {
			if (t->widths[c] >= 0)
				put_cell(out, t->columns[c], cell, t->widths[c], c == 0);
			cell += strlen(cell) + 1;
		}
		fputc('\n', out);
	}
}

static void put_rest(FILE *out, size_t n)
{
	if (n)
		fprintf(out, "... and %zu more row%s\n", n, n == 1 ? "" : "s");
}

static int put_rows(FILE *out, struct table *t, const struct render_options *o)
{
	char *cells;

	if (!t->n_rows) {
		fputs("no requests\n", out);
		return 0;
	}
	cells = cells_make(t);
	if (!cells)
		return -ENOMEM;
	measure_cells(t, cells);
	if (o->width > 0 && !o->columns)
		leave_out(t, o->width);
	put_grid(out, t, cells);
	free(cells);
	put_rest(out, t->frame->n_rows - t->n_rows);
	return 0;
}

/* --- around the rows ----------------------------------------------------------- */

static void put_time(FILE *out, const struct snapshot *s)
{
	char stamp[RFC3339_LEN], duration[UNITS_LEN];

	fmt_rfc3339(stamp, s->start_wall_ns);
	fprintf(out, "%.10s %.8s  %s, %s\n", stamp, stamp + strlen("YYYY-MM-DDT"),
		s->type == SNAPSHOT_ASKED ? "summary so far" : frame_type(s),
		fmt_duration(duration, s->duration_ns));
}

static void put_histograms(FILE *out, const struct table *t)
{
	for (size_t r = 0; r < t->n_rows; r++) {
		fputc('\n', out);
		histogram_print(out, t->frame, t->rows[r]);
	}
	if (t->n_rows)
		fputc('\n', out);
}

static int put_frame(FILE *out, struct table *t, const struct render_options *o)
{
	int err;

	put_time(out, t->frame);
	err = put_rows(out, t, o);
	if (err)
		return err;
	if (o->histogram)
		put_histograms(out, t);
	table_tasks(out, t->frame, o);
	table_stuck(out, t->frame, o);
	table_gpus(out, t->frame);
	table_phases(out, t->frame, o);
	t->sentences = ftell(out);
	table_coverage(out, t->frame);
	table_findings(out, t->frame);
	return 0;
}

static int table_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	char *text = NULL;
	struct table t;
	size_t size;
	FILE *mem;
	int err;

	err = table_init(&t, s, o);
	if (err)
		return err;
	mem = open_memstream(&text, &size);
	err = mem ? put_frame(mem, &t, o) : -ENOMEM;
	if (mem && fclose(mem))
		err = -ENOMEM;
	if (!err) {
		lines_put(out, text, t.sentences, o->width);
		fputc('\n', out);
	}
	free(text);
	table_free(&t);
	return err;
}

const struct renderer renderer_table = {.name = "table", .snapshot = table_snapshot};
