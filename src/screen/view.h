/* SPDX-License-Identifier: GPL-2.0 */
/* What the views share: the state of the screen, and what a view is. One file a view. */
#ifndef IOLAT_SCREEN_VIEW_H
#define IOLAT_SCREEN_VIEW_H

#include "screen/board.h"
#include "screen/page.h"
#include "screen/screen.h"
#include "screen/strokes.h"
#include "screen/term.h"

struct view {
	const char *hints;	/* for the last line */
	/* Draws lines `y` to `y + lines - 1`. 0 or -ENOMEM. */
	int (*draw)(struct screen *s, int y, int lines);
	bool (*key)(struct screen *s, const struct term_key *key); /* false: not its own */
};
extern const struct view view_rows, view_detail, view_findings, view_help;

#define FILTER_LEN 64

struct screen {
	struct term *term;
	struct memory memory;
	struct board board;
	struct board_view how;
	struct by first_by;	/* the one asked for on the command line */
	const struct view *view, *before; /* and where one comes back to */
	struct page page;	/* of the view, but for the rows */

	struct identity chosen;	/* the row of the cursor */
	bool has_chosen;
	size_t top;		/* the first row that shows */
	size_t shown;		/* rows that fit */
	int rows_y;		/* the line of the first row; the header is above it */
	enum line_of line;	/* what the last minute is shown of, where it is known */

	bool paused;
	bool typing;		/* the filter */
	char filter[FILTER_LEN];
	char message[120];	/* instead of the hints, until the next key */
	bool outdated;		/* the board */
	bool redraw;
	bool quits;
	enum screen_wish wish;
	const char *kept;	/* what is being kept, or NULL */
};

void view_show(struct screen *s, const struct view *view);
int head_lines(void);			/* head.c: how many lines there are above the view; */
void head_draw(struct screen *s);
void foot_draw(struct screen *s, int y); /* and the one below */

/* view_rows.c: the cursor's row, or NULL; what a click at a column of the header sorts by. */
const struct group *rows_chosen(const struct screen *s);
const char *rows_sort_name(const struct screen *s);

#endif
