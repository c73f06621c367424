// SPDX-License-Identifier: GPL-2.0
/* Keeps the state, hands keys to the view that shows, and draws when there is something new and the terminal has taken what
 * was drawn before. */
#include "screen/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "screen/paint.h"
#include "screen/view.h"

#define LEAST_LINES   7
#define LEAST_COLUMNS 24

/* What rows can be by, in the order of the key that changes it. */
static const enum row_key groupings[] = {BY_PROCESS,   BY_WORKER, BY_CONTAINER, BY_POD, BY_JOB,
					 BY_CGROUP, BY_DEVICE, BY_OP, /* where frames tell: */ BY_FILE, BY_FS};
#define N_GROUPINGS (sizeof(groupings) / sizeof(groupings[0]))
#define N_ALWAYS    (N_GROUPINGS - 2)

static void by_add(struct by *by, enum row_key key)
{
	if (by_has(by, key))
		return;
	by->keys[by->n++] = key;
	by->mask |= 1u << key;
}

struct by screen_detail(const struct by *by, bool files)
{
	struct by detail = *by;

	for (size_t i = 0; i < N_ALWAYS; i++)
		by_add(&detail, groupings[i]);
	if (files) {
		by_add(&detail, BY_FILE);
		by_add(&detail, BY_FS);
	}
	return detail;
}

/* --- opening and closing ------------------------------------------------------------ */

static void start(struct screen *s, const struct screen_options *o)
{
	memory_init(&s->memory);
	s->first_by = s->how.by = *o->by;
	s->how.sort = o->sort;
	s->how.filter = s->filter;
	s->view = s->before = &view_rows;
	s->redraw = true;
}

int screen_open(struct screen **out, const struct screen_options *o)
{
	struct screen *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = term_open(&s->term);
	if (err) {
		free(s);
		return err;
	}
	start(s, o);
	*out = s;
	return 0;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	term_close(s->term);
	board_free(&s->board);
	memory_free(&s->memory);
	page_free(&s->page);
	free(s);
}

void screen_leave(struct screen *s)
{
	term_leave(s->term);
}

void screen_return(struct screen *s)
{
	term_return(s->term);
	s->redraw = true;
}

/* --- drawing -------------------------------------------------------------------------- */

static int draw_view(struct screen *s)
{
	int lines = paint_lines() - head_lines() - 1, err;

	if (paint_lines() < LEAST_LINES || paint_columns() < LEAST_COLUMNS) {
		paint_text(0, 0, paint_columns(), "too small: q quits", INK_PLAIN);
		return 0;
	}
	err = s->view->draw(s, head_lines(), lines);
	head_draw(s);
	foot_draw(s, paint_lines() - 1);
	return err;
}

static int make_board(struct screen *s)
{
	if (!s->outdated)
		return 0;
	s->outdated = false;
	return board_make(&s->board, &s->memory, &s->how);
}

/* A terminal that has not taken the last picture gets no other one. */
static int draw(struct screen *s)
{
	int err;

	if (!s->redraw || term_busy(s->term))
		return 0;
	s->redraw = false;
	term_begin(s->term);
	err = make_board(s) ?: draw_view(s);
	return err ?: term_end(s->term);
}

int screen_frame(struct screen *s, const struct snapshot *frame)
{
	int err;

	if (s->paused)
		return 0;
	err = memory_frame(&s->memory, frame);
	s->outdated = s->redraw = true;
	err = err ?: draw(s);
	return err == -ENOMEM ? err : 0; /* a terminal that is gone is noticed by screen_attend() */
}

/* --- keys ------------------------------------------------------------------------------- */

void view_show(struct screen *s, const struct view *view)
{
	if (s->view != view)
		s->page.top = 0;
	if (s->view == &view_rows || s->view == &view_detail)
		s->before = s->view;
	s->view = view;
}

static void toggle(struct screen *s, const struct view *view)
{
	view_show(s, s->view == view ? s->before : view);
}

/* N_GROUPINGS: none of them. */
static size_t grouping_of(const struct by *by)
{
	size_t i = 0;

	while (i < N_GROUPINGS && by->mask != 1u << groupings[i])
		i++;
	return i;
}

/* What was asked for at the start is one more, unless it is one of them. */
static bool can_group(const struct screen *s, size_t grouping)
{
	if (grouping == N_GROUPINGS)
		return grouping_of(&s->first_by) == N_GROUPINGS;
	return grouping < N_ALWAYS || by_has(&s->memory.by, groupings[grouping]);
}

static void group_by(struct screen *s, size_t step)
{
	size_t at = grouping_of(&s->how.by);

	do
		at = (at + step) % (N_GROUPINGS + 1);
	while (!can_group(s, at));
	s->how.by = (struct by){.n = 0};
	if (at < N_GROUPINGS)
		by_add(&s->how.by, groupings[at]);
	else
		s->how.by = s->first_by;
	s->has_chosen = false;
	s->top = 0;
	s->outdated = true;
}

static void next_line(struct screen *s)
{
	s->line = (s->line + 1) % LINE_MAX;
}

static void go_back(struct screen *s)
{
	if (s->view == &view_rows && s->filter[0]) {
		s->filter[0] = '\0';
		s->outdated = true;
	}
	view_show(s, s->view == &view_detail || s->before == s->view ? &view_rows : s->before);
}

/* Keys that do the same everywhere. */
static void common_key(struct screen *s, const struct term_key *key)
{
	switch (key->code) {
	case 'q':
		s->quits = true;
		break;
	case 'p':
		s->paused = !s->paused;
		break;
	case 'r':
		s->wish = SCREEN_RECORDING;
		break;
	case 'w':
		s->wish = SCREEN_PAGE;
		break;
	case 'f':
		toggle(s, &view_findings);
		break;
	case '?':
	case 'h':
		toggle(s, &view_help);
		break;
	case 'b':
		group_by(s, 1);
		view_show(s, &view_rows);
		break;
	case 'B':
		group_by(s, N_GROUPINGS); /* all but one step forward */
		view_show(s, &view_rows);
		break;
	case 'm':
		next_line(s);
		break;
	case '/':
		view_show(s, &view_rows);
		s->typing = true;
		break;
	case TERM_ESC:
	case TERM_BACKSPACE:
	case TERM_LEFT:
		go_back(s);
		break;
	case TERM_CTRL_L:
		term_repaint(s->term);
		break;
	}
}

/* Bytes of the last character. */
static size_t last_length(const char *text)
{
	size_t len = strlen(text), n = 1;

	while (n < len && ((unsigned char)text[len - n] & 0xc0) == 0x80)
		n++;
	return len ? n : 0;
}

static void type(struct screen *s, int code)
{
	char typed[8];
	size_t len = strlen(s->filter);

	snprintf(typed, sizeof(typed), "%lc", (wint_t)code);
	if (len + strlen(typed) < sizeof(s->filter))
		memcpy(s->filter + len, typed, strlen(typed) + 1);
}

static void filter_key(struct screen *s, const struct term_key *key)
{
	if (key->code == TERM_ENTER || key->code == TERM_ESC)
		s->typing = false;
	if (key->code == TERM_ESC || key->code == TERM_CTRL_U)
		s->filter[0] = '\0';
	else if (key->code == TERM_BACKSPACE)
		s->filter[strlen(s->filter) - last_length(s->filter)] = '\0';
	else if (key->code >= ' ' && key->code < TERM_UP)
		type(s, key->code);
	s->top = 0;
	s->outdated = true;
}

static void take_key(struct screen *s, const struct term_key *key)
{
	s->message[0] = '\0';
	s->redraw = true;
	if (s->typing)
		filter_key(s, key);
	else if (!s->view->key(s, key))
		common_key(s, key);
}

/* --- the loop's side ---------------------------------------------------------------------- */

int screen_fd(const struct screen *s)
{
	return term_fd(s->term);
}

short screen_events(const struct screen *s)
{
	return term_busy(s->term) ? POLLIN | POLLOUT : POLLIN;
}

int screen_attend(struct screen *s)
{
	struct term_key key;
	int err = term_pass_on(s->term);

	if (err)
		return err;
	while (term_key(s->term, &key)) {
		take_key(s, &key);
		err = make_board(s); /* the next key may ask for what this one made */
		if (err)
			return err;
	}
	if (term_resized(s->term))
		s->redraw = true;
	return draw(s);
}

bool screen_quits(const struct screen *s)
{
	return s->quits;
}

enum screen_wish screen_wish(struct screen *s)
{
	enum screen_wish wish = s->wish;

	s->wish = SCREEN_NOTHING;
	return wish;
}

void screen_say(struct screen *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->message, sizeof(s->message), fmt, ap);
	va_end(ap);
	s->redraw = true;
	draw(s);
}

void screen_keeps(struct screen *s, const char *what)
{
	s->kept = what;
	s->redraw = true;
}
