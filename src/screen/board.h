/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of the full-screen view, made from what is remembered: grouped, filtered and sorted as the user
 * wants it now. Pure: knows no terminal.
 */
#ifndef IOLAT_SCREEN_BOARD_H
#define IOLAT_SCREEN_BOARD_H

#include "render/columns.h"
#include "screen/memory.h"

/* One row: things that are the same by the keys asked for. */
struct group {
	struct identity id;
	char label[256];	   /* printable */
	struct row now, all;	   /* sums, as in struct item */
	const struct item *sleeper; /* its task that was blocked the longest; NULL: it has none. Valid as long
				     * as nothing is added to the memory */
	double blocked_pct;	   /* of that task's time; where there are no tasks: of the time that all waited */
	struct moment minute[MEMORY_SECONDS]; /* the oldest first */
	bool moments[MEMORY_SECONDS];	      /* anything happened in it */
};

struct board_view {
	struct by by;
	const struct column *sort; /* NULL: the blocked share */
	bool by_name;		   /* instead */
	bool reverse;
	const char *filter;	   /* what the label has to contain, case aside; "": anything */
	struct identity within;	   /* only what has these numbers ... */
	unsigned int within_keys;  /* ... by these keys; 0: everything */
};

struct board {
	struct group **groups;
	size_t n, room;
	size_t filtered; /* that the filter left out */
	bool waits;	 /* blocked_pct is of tasks */
};

/* Makes the rows anew. 0 or -ENOMEM. */
int board_make(struct board *b, const struct memory *m, const struct board_view *view);
void board_free(struct board *b);

const struct group *board_find(const struct board *b, const struct identity *id); /* or NULL */

/* The value of a column for a group's latest frame; false: not known. */
bool board_value(const struct memory *m, const struct group *g, const struct column *c, double *out);

#endif
