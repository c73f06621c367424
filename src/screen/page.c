// SPDX-License-Identifier: GPL-2.0
/* Keeps lines, shows some of them. */
#include "screen/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "screen/paint.h"
#include "screen/term.h"

#define PAGE_STEP 10

void page_clear(struct page *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->lines[i].text);
	p->n = 0;
}

void page_free(struct page *p)
{
	page_clear(p);
	free(p->lines);
	*p = (struct page){.n = 0};
}

/* Takes the text over. */
static void add(struct page *p, unsigned int ink, char *text)
{
	struct page_line *lines = p->lines;

	if (p->n == p->room)
		lines = realloc(lines, (2 * p->room + 32) * sizeof(*lines));
	if (!lines || !text) {
		p->failed = true;
		free(text);
		return;
	}
	if (p->n == p->room)
		p->room = 2 * p->room + 32;
	p->lines = lines;
	p->lines[p->n++] = (struct page_line){text, ink};
}

void page_add(struct page *p, unsigned int ink, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	add(p, ink, text);
}

void page_wrap(struct page *p, unsigned int ink, int width, int indent, const char *text)
{
	int before = 0;

	do {
		size_t len = text_break(text, width - before);

		page_add(p, ink, "%*s%.*s", before, "", (int)len, text);
		text += len;
		while (*text == ' ')
			text++;
		before = indent;
	} while (*text);
}

void page_draw(struct page *p, int y, int n)
{
	size_t room = n > 0 ? (size_t)n : 0;

	if (p->top + room > p->n)
		p->top = p->n > room ? p->n - room : 0;
	for (size_t i = 0; i < room && p->top + i < p->n; i++)
		paint_text(y + (int)i, 0, paint_columns(), p->lines[p->top + i].text,
			   p->lines[p->top + i].ink);
}

static void scroll_by(struct page *p, long lines)
{
	if (lines < 0 && (size_t)-lines > p->top)
		p->top = 0;
	else
		p->top += (size_t)lines; /* page_draw() knows the end */
}

bool page_key(struct page *p, const struct term_key *key)
{
	switch (key->code) {
	case TERM_UP:
	case 'k':
		scroll_by(p, -1);
		return true;
	case TERM_DOWN:
	case 'j':
		scroll_by(p, 1);
		return true;
	case TERM_PAGE_UP:
		scroll_by(p, -PAGE_STEP);
		return true;
	case TERM_PAGE_DOWN:
	case ' ':
		scroll_by(p, PAGE_STEP);
		return true;
	case TERM_HOME:
		p->top = 0;
		return true;
	case TERM_END:
		p->top = p->n;
		return true;
	default:
		return false;
	}
}
