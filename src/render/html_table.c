// SPDX-License-Identifier: GPL-2.0
/*
 * The rows as an HTML table: the columns of the other tables, who and where first. Plain text
 * without scripts; a cell's number stands beside it for the script that sorts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "render/columns.h"
#include "render/html.h"

#define TABLE_BYTES 400000
#define MAX_COLUMNS 64

struct html_columns {
	const struct column *at[MAX_COLUMNS];
	size_t n;
};

static void add_column(struct html_columns *cols, const struct column *c)
{
	if (cols->n < MAX_COLUMNS)
		cols->at[cols->n++] = c;
}

/* Beside the default columns: a page has the room. */
static bool is_extra(const struct column *c)
{
	return !strcmp(c->name, "wait") || !strcmp(c->name, "random");
}

static bool shown(const struct column *c, const struct html_page *p)
{
	return is_extra(c) ||
	       column_shown(c, p->s, (const struct row *const *)p->rows, p->s->n_rows);
}

/* What a row stands for comes first, and names, which the column table has last, before numbers. */
static void choose_columns(struct html_columns *cols, const struct html_page *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->o->n_columns; i++)
		add_column(cols, p->o->columns[i]);
	if (cols->n)
		return;
	while (column_at(n))
		n++;
	for (size_t i = n; i-- > 0;)
		if (column_at(i)->show == SHOW_KEY && shown(column_at(i), p))
			add_column(cols, column_at(i));
	for (size_t i = 0; i < n; i++)
		if (column_at(i)->show != SHOW_KEY && shown(column_at(i), p))
			add_column(cols, column_at(i));
}

static void put_head(FILE *out, const struct html_columns *cols)
{
	fputs("<thead><tr>", out);
	for (size_t i = 0; i < cols->n; i++) {
		fprintf(out, "<th scope=\"col\"%s data-name=\"%s\">",
			cols->at[i]->number ? " class=\"n\"" : "", cols->at[i]->name);
		html_text(out, cols->at[i]->header);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static int put_cell_text(FILE *out, const struct column *c, const struct cell *cell)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	if (!mem)
		return -ENOMEM;
	column_print(c, mem, cell);
	if (fclose(mem)) {
		free(text);
		return -ENOMEM;
	}
	html_text(out, text);
	free(text);
	return 0;
}

static int put_cell(FILE *out, const struct column *c, const struct cell *cell)
{
	struct json number;
	double v;
	int err;

	json_begin(&number, out); /* with a point in every locale */
	fputs(c->number ? "<td class=\"n\"" : "<td", out);
	if (c->number && c->number(c, cell, &v)) {
		fputs(" data-v=\"", out);
		json_double(&number, v, 3);
		putc('"', out);
	}
	putc('>', out);
	err = put_cell_text(out, c, cell);
	fputs("</td>", out);
	return err;
}

static int put_row(FILE *out, const struct html_columns *cols, const struct cell *cell)
{
	int err = 0;

	fputs("<tr>", out);
	for (size_t i = 0; !err && i < cols->n; i++)
		err = put_cell(out, cols->at[i], cell);
	fputs("</tr>\n", out);
	return err;
}

/* A row that does not fit in what is left ends the table: `*left` becomes 0. */
static int put_row_within(FILE *out, const struct html_columns *cols, const struct cell *cell,
			  size_t *left)
{
	char *text = NULL;
	size_t size = 0;
	FILE *mem = open_memstream(&text, &size);
	int err = mem ? put_row(mem, cols, cell) : -ENOMEM;

	if (mem && fclose(mem))
		err = -ENOMEM;
	if (!err && size <= *left) {
		fwrite(text, 1, size, out);
		*left -= size;
	} else {
		*left = 0;
	}
	free(text);
	return err;
}

static void put_left_out(FILE *out, const struct html_page *p, size_t shown_rows)
{
	uint64_t ios = 0;

	for (size_t i = shown_rows; i < p->s->n_rows; i++)
		ios += p->rows[i]->ios;
	if (shown_rows < p->s->n_rows)
		fprintf(out,
			"<p class=\"note\">%zu more rows with %llu requests are left out.</p>\n",
			p->s->n_rows - shown_rows, (unsigned long long)ios);
}

int html_table(FILE *out, const struct html_page *p)
{
	struct html_columns cols = {.n = 0};
	size_t left = TABLE_BYTES, i;
	int err = 0;

	choose_columns(&cols, p);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All rows\">"
	      "<table id=\"rows\">\n",
	      out);
	put_head(out, &cols);
	fputs("<tbody>\n", out);
	for (i = 0; !err && i < p->s->n_rows; i++) {
		err = put_row_within(out, &cols, &(struct cell){p->s, p->rows[i]}, &left);
		if (!left)
			break;
	}
	fputs("</tbody></table></div>\n", out);
	put_left_out(out, p, i);
	return err;
}
