/* SPDX-License-Identifier: GPL-2.0 */
/* Lines to read and scroll through: what every view but the rows consists of. */
#ifndef IOLAT_SCREEN_PAGE_H
#define IOLAT_SCREEN_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct page_line {
	char *text;
	unsigned int ink;
};

struct page {
	struct page_line *lines;
	size_t n, room;
	size_t top; /* the first one that shows; survives page_clear() */
	bool failed; /* out of memory: lines are missing */
};

void page_clear(struct page *p);
void page_free(struct page *p);
void page_add(struct page *p, unsigned int ink, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A long text in lines of `width` columns, all but the first indented so far. */
void page_wrap(struct page *p, unsigned int ink, int width, int indent, const char *text);

/* Lines y to y + n - 1 of the screen. */
void page_draw(struct page *p, int y, int n);

struct term_key;
bool page_key(struct page *p, const struct term_key *key); /* scrolls; false: not a key for that */

#endif
