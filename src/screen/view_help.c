// SPDX-License-Identifier: GPL-2.0
/* The keys, and what is to be seen. */
#include <stdio.h>

#include "screen/paint.h"
#include "screen/screen.h"
#include "screen/view.h"

#define KEY_WIDTH 17 /* of the first column of the text */

static const struct screen_key keys[] = {
	{"q, Ctrl-C", "quit; the summary of the whole run follows"},
	{"Up, Down, j, k", "choose a row; Page, Home, End and the wheel, too"},
	{"Enter, click", "look into the chosen row; Esc or Left come back"},
	{"b, B", "what a row is: the next, the one before"},
	{"s, S", "sort by the next column, the one before; a click on a title, too"},
	{"-", "sort the other way round"},
	{"/", "show only rows that contain a text; Esc shows all again"},
	{"m", "what the last minute shows: blocked, p99, IOPS, bytes"},
	{"p", "pause; tracing goes on, what passes meanwhile is only in the summary"},
	{"r", "a recording from now on, in the current folder; r again or the end ends it"},
	{"w", "the same as a page (HTML)"},
	{"f", "findings of the latest frame, with their numbers"},
	{"?", "help, with what the columns mean"},
	{"Ctrl-L", "draw everything anew"},
	{0},
};

static const struct screen_key columns[] = {
	{"BLOCKED", "of the row's task that waited the longest: the share of its time that it waited for I/O"},
	{"SHARE OF WAIT", "where waits are not traced (--waits), or rows are no tasks: of all the time that requests took"},
	{"P50, P99, MAX", "latency of the requests of the latest frame"},
	{"last minute", "the latest second at the right; blocked to a scale of 100 %, the rest to its highest"},
	{0},
};

const struct screen_key *screen_keys(void)
{
	return keys;
}

static void add_line(struct page *p, const char *what, const char *text)
{
	char line[256];

	snprintf(line, sizeof(line), " %-*s%s", KEY_WIDTH - 1, what, text);
	page_wrap(p, INK_PLAIN, paint_columns(), KEY_WIDTH, line);
}

static void add_lines(struct page *p, const char *title, const struct screen_key *k)
{
	page_add(p, INK_BOLD, " %s", title);
	for (; k->keys; k++)
		add_line(p, k->keys, k->what);
	page_add(p, INK_PLAIN, " ");
}

/* A stroke may be several bytes of one column: it is not for a width in bytes. */
static void add_reason(struct page *p, enum wait_reason r)
{
	const char *stroke = stroke_of(r, paint_utf8());
	char line[256];

	snprintf(line, sizeof(line), " %s%s %-*s%s", stroke, stroke, KEY_WIDTH - 4, reason_name(r), reason_says(r));
	page_wrap(p, INK_PLAIN, paint_columns(), KEY_WIDTH, line);
}

static void add_counts(struct page *p)
{
	page_add(p, INK_BOLD, " Completeness: what the third line counts");
	for (int i = 0; i < TALLY_NUMBERS; i++)
		add_line(p, tally_words[i].word, tally_words[i].what);
	page_add(p, INK_PLAIN, " ");
}

static int draw(struct screen *s, int y, int lines)
{
	struct page *p = &s->page;

	page_clear(p);
	add_lines(p, "Keys", keys);
	add_lines(p, "Columns", columns);
	add_counts(p);
	page_add(p, INK_BOLD, " What a bar is made of: the task slept");
	for (int r = 0; r < REASON_MAX; r++)
		add_reason(p, r);
	page_draw(p, y, lines);
	return 0;
}

static bool key(struct screen *s, const struct term_key *k)
{
	return page_key(&s->page, k);
}

const struct view view_help = {
	.hints = "? back  q quit  arrows scroll",
	.draw = draw,
	.key = key,
};
