// SPDX-License-Identifier: GPL-2.0
/* The rows: one line a group, with its blocked share as a bar, the columns that the terminal is wide enough for, its last
 * minute, and who it is. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "screen/paint.h"
#include "screen/view.h"

/* A place on the line. */
enum kind { KIND_BAR, KIND_COLUMN, KIND_MINUTE, KIND_NAME };

struct place {
	enum kind kind;
	const struct column *column;
	int x, width;
};

#define PLACES_MAX 16

struct layout {
	struct place places[PLACES_MAX];
	size_t n;
};

/* Columns and from what width of the terminal on they show. */
static const struct {
	const char *name;
	int width, from;
} columns[] = {
	{"p50", 6, 60},   {"p99", 6, 0},   {"max", 6, 100},  {"queue_pct", 6, 130},
	{"iops", 6, 40}, {"rate", 7, 70}, {"size", 8, 120},
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define PCT_WIDTH 5 /* " 100%" */

static void place(struct layout *l, enum kind kind, const struct column *c, int width)
{
	const struct place *last = l->n ? &l->places[l->n - 1] : NULL;

	l->places[l->n++] = (struct place){kind, c, last ? last->x + last->width + 1 : 1, width};
}

static int bar_width(int terminal)
{
	return terminal < 60 ? 6 : terminal < 100 ? 8 : terminal < 160 ? 16 : 24;
}

static int minute_width(int terminal)
{
	return terminal < 70 ? 0 : terminal < 100 ? 12 : terminal < 160 ? 20 : terminal < 240 ? 30 : 60;
}

static struct layout lay_out(void)
{
	int terminal = paint_columns(), minute = minute_width(terminal), left;
	struct layout l = {.n = 0};

	place(&l, KIND_BAR, NULL, bar_width(terminal) + PCT_WIDTH);
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (terminal >= columns[i].from)
			place(&l, KIND_COLUMN, column_find(columns[i].name), columns[i].width);
	if (minute)
		place(&l, KIND_MINUTE, NULL, minute);
	left = terminal - l.places[l.n - 1].x - l.places[l.n - 1].width - 2;
	place(&l, KIND_NAME, NULL, left > 0 ? left : 0);
	return l;
}

/* --- drawing ---------------------------------------------------------------------------- */

/* Blocked shares are known of tasks. */
static enum line_of line_shown(const struct screen *s)
{
	return s->line == LINE_BLOCKED && !s->board.waits ? LINE_IOPS : s->line;
}

static const char *bar_title(const struct screen *s)
{
	return s->board.waits ? "BLOCKED" : "SHARE OF WAIT";
}

static unsigned int title_ink(const struct screen *s, const struct place *p)
{
	bool sorted = p->kind == KIND_NAME ? s->how.by_name
					   : !s->how.by_name && p->kind != KIND_MINUTE &&
						     s->how.sort == p->column;

	return INK_BOLD | (sorted ? INK_REVERSE : 0);
}

static void draw_title(const struct screen *s, const struct place *p, int y)
{
	char text[64];

	switch (p->kind) {
	case KIND_BAR:
		paint_text(y, p->x, p->width, bar_title(s), title_ink(s, p));
		break;
	case KIND_COLUMN:
		paint_right(y, p->x, p->width, p->column->header, title_ink(s, p));
		break;
	case KIND_MINUTE:
		snprintf(text, sizeof(text), "%s 1min", line_name(line_shown(s)));
		paint_text(y, p->x, p->width, text, title_ink(s, p));
		break;
	case KIND_NAME:
		paint_text(y, p->x, p->width, "WHO", title_ink(s, p));
		break;
	}
}

/* By what most of the time was waited for. */
static unsigned int bar_ink(const struct group *g)
{
	static const unsigned int inks[REASON_MAX] = {
		[REASON_DISK] = INK_BLUE,	  [REASON_THROTTLE] = INK_YELLOW,
		[REASON_NETWORK_FS] = INK_CYAN,	  [REASON_FUSE] = INK_CYAN,
		[REASON_PAGE_FAULT] = INK_MAGENTA, [REASON_OTHER] = INK_PLAIN,
	};
	int most = REASON_DISK;

	for (int r = 0; g->sleeper && r < REASON_MAX; r++)
		if (g->sleeper->times.reasons[r] > g->sleeper->times.reasons[most])
			most = r;
	return inks[most];
}

static void draw_bar(const struct screen *s, const struct group *g, const struct place *p, int y,
		     unsigned int ink)
{
	int width = p->width - PCT_WIDTH;
	char bar[STROKES_SIZE], pct[16];

	stroke_bar(bar, width, g->blocked_pct, g->sleeper ? g->sleeper->times.reasons : NULL, paint_utf8());
	paint_text(y, p->x, width, bar, ink ?: bar_ink(g));
	if (s->board.waits && !g->sleeper)
		snprintf(pct, sizeof(pct), "    -");
	else
		snprintf(pct, sizeof(pct), " %3.0f%%", g->blocked_pct);
	paint_text(y, p->x + width, PCT_WIDTH, pct, ink);
}

static void draw_number(const struct screen *s, const struct group *g, const struct place *p, int y,
			unsigned int ink)
{
	char buf[UNITS_LEN];
	double v;

	paint_right(y, p->x, p->width,
		    board_value(&s->memory, g, p->column, &v) ? p->column->format(buf, v) : "-", ink);
}

/* Of a path the end tells more. */
static void draw_name(const struct group *g, const struct place *p, int y, unsigned int ink)
{
	const char *rest = g->label;
	char name[sizeof(g->label) + sizeof("...")];

	if (*rest != '/' || text_columns(rest) <= p->width || p->width <= 3) {
		paint_text(y, p->x, p->width, rest, ink);
		return;
	}
	while (text_columns(rest) > p->width - 3)
		rest += utf8_next(rest, NULL) ?: 1;
	snprintf(name, sizeof(name), "...%s", rest);
	paint_text(y, p->x, p->width, name, ink);
}

static void draw_place(const struct screen *s, const struct group *g, const struct place *p, int y,
		       unsigned int ink)
{
	char line[STROKES_SIZE];

	switch (p->kind) {
	case KIND_BAR:
		draw_bar(s, g, p, y, ink);
		break;
	case KIND_COLUMN:
		draw_number(s, g, p, y, ink);
		break;
	case KIND_MINUTE:
		stroke_line(line, p->width, g, line_shown(s), paint_utf8());
		paint_text(y, p->x, p->width, line, ink ?: INK_CYAN);
		break;
	case KIND_NAME:
		draw_name(g, p, y, ink);
		break;
	}
}

static size_t chosen_index(const struct screen *s)
{
	for (size_t i = 0; s->has_chosen && i < s->board.n; i++)
		if (identity_same(&s->board.groups[i]->id, &s->chosen))
			return i;
	return 0;
}

static void keep_in_sight(struct screen *s)
{
	size_t at = chosen_index(s);

	if (at < s->top)
		s->top = at;
	if (s->shown && at >= s->top + s->shown)
		s->top = at - s->shown + 1;
	if (s->top + s->shown > s->board.n)
		s->top = s->board.n > s->shown ? s->board.n - s->shown : 0;
}

static void draw_group(const struct screen *s, const struct layout *l, size_t i, int y)
{
	unsigned int ink = i == chosen_index(s) ? INK_REVERSE : 0;

	if (ink)
		paint_line(y, ink);
	for (size_t p = 0; p < l->n; p++)
		draw_place(s, s->board.groups[i], &l->places[p], y, ink);
}

static void draw_none(const struct screen *s, int y)
{
	char line[160];

	if (s->board.filtered)
		snprintf(line, sizeof(line), " nothing contains \"%s\": %zu row%s left out", s->filter, s->board.filtered,
			 s->board.filtered == 1 ? " is" : "s are");
	else
		snprintf(line, sizeof(line), s->memory.frame ? " no requests in the last minute" : "");
	paint_text(y, 0, paint_columns(), line, INK_DIM);
}

static int draw(struct screen *s, int y, int lines)
{
	struct layout l = lay_out();

	s->rows_y = y + 1;
	s->shown = (size_t)lines - 1;
	for (size_t p = 0; p < l.n; p++)
		draw_title(s, &l.places[p], y);
	keep_in_sight(s);
	for (size_t i = 0; i < s->shown && s->top + i < s->board.n; i++)
		draw_group(s, &l, s->top + i, s->rows_y + (int)i);
	if (!s->board.n)
		draw_none(s, s->rows_y);
	return 0;
}

/* --- sorting -------------------------------------------------------------------------------- */

const char *rows_sort_name(const struct screen *s)
{
	if (s->how.by_name)
		return "name";
	return s->how.sort ? s->how.sort->name : "blocked";
}

static void sort_by(struct screen *s, const struct place *p)
{
	bool name = p->kind == KIND_NAME;
	bool same = name ? s->how.by_name : !s->how.by_name && s->how.sort == p->column;

	if (p->kind == KIND_MINUTE)
		return;
	s->how.reverse = same && !s->how.reverse;
	s->how.by_name = name;
	s->how.sort = p->column;
	s->outdated = true;
}

/* The next place to sort by, to the right or to the left. */
static void sort_next(struct screen *s, int step)
{
	struct layout l = lay_out();
	size_t at = 0;

	for (size_t p = 0; p < l.n; p++)
		if (title_ink(s, &l.places[p]) & INK_REVERSE)
			at = p;
	do
		at = (at + l.n + (size_t)step) % l.n;
	while (l.places[at].kind == KIND_MINUTE);
	sort_by(s, &l.places[at]);
}

/* --- the cursor ------------------------------------------------------------------------------- */

const struct group *rows_chosen(const struct screen *s)
{
	return s->board.n ? s->board.groups[chosen_index(s)] : NULL;
}

static void choose(struct screen *s, size_t i)
{
	if (!s->board.n)
		return;
	if (i >= s->board.n)
		i = s->board.n - 1;
	s->chosen = s->board.groups[i]->id;
	s->has_chosen = true;
}

static void move(struct screen *s, long step)
{
	long at = (long)chosen_index(s) + step;

	choose(s, at < 0 ? 0 : (size_t)at);
}

static void open_chosen(struct screen *s)
{
	if (!s->board.n)
		return;
	choose(s, chosen_index(s));
	view_show(s, &view_detail);
}

static void click(struct screen *s, const struct term_key *key)
{
	struct layout l = lay_out();
	size_t i = s->top + (size_t)(key->y - s->rows_y);

	if (key->y == s->rows_y - 1) {
		for (size_t p = 0; p < l.n; p++)
			if (key->x >= l.places[p].x && key->x <= l.places[p].x + l.places[p].width)
				sort_by(s, &l.places[p]);
	} else if (key->y >= s->rows_y && i < s->board.n) {
		if (s->has_chosen && i == chosen_index(s))
			open_chosen(s);
		else
			choose(s, i);
	}
}

static bool key(struct screen *s, const struct term_key *k)
{
	switch (k->code) {
	case TERM_UP:
	case 'k':
		move(s, -1);
		return true;
	case TERM_DOWN:
	case 'j':
		move(s, 1);
		return true;
	case TERM_PAGE_UP:
		move(s, -(long)s->shown);
		return true;
	case TERM_PAGE_DOWN:
	case ' ':
		move(s, (long)s->shown);
		return true;
	case TERM_HOME:
		choose(s, 0);
		return true;
	case TERM_END:
		choose(s, s->board.n);
		return true;
	case TERM_ENTER:
	case TERM_RIGHT:
		open_chosen(s);
		return true;
	case TERM_CLICK:
		click(s, k);
		return true;
	case 's':
	case '>':
		sort_next(s, 1);
		return true;
	case 'S':
	case '<':
		sort_next(s, -1);
		return true;
	case '-':
		s->how.reverse = !s->how.reverse;
		s->outdated = true;
		return true;
	default:
		return false;
	}
}

const struct view view_rows = {
	.hints = "q quit  ? help  Enter open  b by  s sort  / filter  p pause  f findings  r record  w page  m minute",
	.draw = draw,
	.key = key,
};
