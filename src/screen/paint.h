/* SPDX-License-Identifier: GPL-2.0 */
/* Puts text on the screen between term_begin() and term_end(): cut and measured in columns, in few inks. */
#ifndef IOLAT_SCREEN_PAINT_H
#define IOLAT_SCREEN_PAINT_H

#include <stdbool.h>

/* An ink's colour is one that colour-blind people tell apart; nothing is said by colour alone. */
enum ink {
	INK_PLAIN,
	INK_BLUE,
	INK_YELLOW,
	INK_MAGENTA,
	INK_CYAN,
	INK_COLOURS,
	INK_BOLD = 0x10, /* may be added, as the others below */
	INK_DIM = 0x20,
	INK_REVERSE = 0x40,
};

void paint_start(void);	/* once the terminal is there */
bool paint_utf8(void);	/* the locale has more than ASCII */
int paint_lines(void);
int paint_columns(void);

/* The line in that ink, blank. */
void paint_line(int y, unsigned int ink);

/* Printable text into `width` columns from x on, blanks behind it, or before it (right). What is outside of
 * the screen is left out. */
void paint_text(int y, int x, int width, const char *text, unsigned int ink);
void paint_right(int y, int x, int width, const char *text, unsigned int ink);

#endif
