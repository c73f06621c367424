// SPDX-License-Identifier: GPL-2.0
/* ncurses places by its own widths: each text is put where it belongs by itself, so none can shift the next. */
#include "screen/paint.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include <ncurses.h>

#include "base/text.h"

#define TEXT_MAX 1024 /* bytes of a line that are looked at */

static bool in_colour;

void paint_start(void)
{
	static const short colours[INK_COLOURS] = {
		[INK_BLUE] = COLOR_BLUE,
		[INK_YELLOW] = COLOR_YELLOW,
		[INK_MAGENTA] = COLOR_MAGENTA,
		[INK_CYAN] = COLOR_CYAN,
	};
	const char *no = getenv("NO_COLOR");

	in_colour = has_colors() && !(no && *no) && start_color() == OK && use_default_colors() == OK;
	for (short i = INK_PLAIN + 1; in_colour && i < INK_COLOURS; i++)
		init_pair(i, colours[i], -1);
}

bool paint_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

int paint_lines(void)
{
	return LINES;
}

int paint_columns(void)
{
	return COLS;
}

static attr_t attributes(unsigned int ink)
{
	unsigned int colour = ink & (INK_BOLD - 1);
	attr_t a = in_colour && colour ? (attr_t)COLOR_PAIR(colour) : A_NORMAL;

	if (ink & INK_BOLD)
		a |= A_BOLD;
	if (ink & INK_DIM)
		a |= A_DIM;
	if (ink & INK_REVERSE)
		a |= A_REVERSE;
	return a;
}

void paint_line(int y, unsigned int ink)
{
	if (y < 0 || y >= LINES)
		return;
	attrset((int)attributes(ink));
	mvhline(y, 0, ' ' | attributes(ink), COLS);
}

/* As many columns of '?' as a locale without the characters takes to show them. */
static void to_ascii(char *out, size_t size, const char *text)
{
	size_t len = 0;
	char one[8];
	int n, columns;

	while (*text && len + 2 < size) {
		n = utf8_next(text, NULL) ?: 1;
		memcpy(one, text, (size_t)n);
		one[n] = '\0';
		columns = n == 1 ? 1 : text_columns(one);
		for (int i = 0; i < columns; i++)
			out[len++] = n == 1 && (unsigned char)*text < 0x80 ? *text : '?';
		text += n;
	}
	out[len] = '\0';
}

static void put(int y, int x, int width, const char *text, unsigned int ink, bool right)
{
	char ascii[TEXT_MAX];
	size_t len;
	int pad;

	if (y < 0 || y >= LINES || x < 0 || x >= COLS || width <= 0)
		return;
	if (width > COLS - x)
		width = COLS - x;
	if (!paint_utf8()) {
		to_ascii(ascii, sizeof(ascii), text);
		text = ascii;
	}
	pad = width - text_columns(text);
	attrset((int)attributes(ink));
	mvhline(y, x, ' ' | attributes(ink), width);
	len = text_fit(text, width);
	mvaddnstr(y, x + (right && pad > 0 ? pad : 0), text, (int)len);
	attrset(A_NORMAL);
}

void paint_text(int y, int x, int width, const char *text, unsigned int ink)
{
	put(y, x, width, text, ink, false);
}

void paint_right(int y, int x, int width, const char *text, unsigned int ink)
{
	put(y, x, width, text, ink, true);
}
