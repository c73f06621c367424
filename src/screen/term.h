/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal of the full-screen view: its modes, its keys, and a way of drawing that never waits. ncurses
 * draws into memory; what it drew is passed on as fast as the terminal takes it, and while some of it
 * is still to go, nothing new is drawn. Only this file and paint.c know ncurses.
 */
#ifndef IOLAT_SCREEN_TERM_H
#define IOLAT_SCREEN_TERM_H

#include <stdbool.h>

struct term;

/* Keys beside printable ASCII characters and those of control (TERM_ESC and so on are the bytes). */
enum term_keys {
	TERM_TAB = '\t',
	TERM_ENTER = '\n',
	TERM_CTRL_L = 'L' & 0x1f,
	TERM_CTRL_U = 'U' & 0x1f,
	TERM_ESC = 0x1b,
	TERM_UP = 0x110000, /* behind every character */
	TERM_DOWN,
	TERM_LEFT,
	TERM_RIGHT,
	TERM_PAGE_UP,
	TERM_PAGE_DOWN,
	TERM_HOME,
	TERM_END,
	TERM_BACKSPACE,
	TERM_CLICK,	   /* at y, x */
	TERM_DOUBLE_CLICK,
	TERM_OTHER,
};

struct term_key {
	int code;
	int y, x;
};

/* Takes over the terminal that standard output is. 0; -ENOTTY: it is none, or one that cannot show this (TERM), or
 * belongs to another job now; another negative errno. Messages on standard error wait until the end. */
int term_open(struct term **out);

/* Gives it back as it was, with what stood on it; waits at most a second for a terminal that takes nothing. */
void term_close(struct term *t);

/* The same, to write something there, and back. */
void term_leave(struct term *t);
void term_return(struct term *t);

/* For poll(): readable when there are keys, to be waited for as writable while there is something to go. */
int term_fd(const struct term *t);
bool term_busy(const struct term *t);

int term_pass_on(struct term *t); /* as much as goes; 0 or -errno: it is gone */
bool term_key(struct term *t, struct term_key *key); /* false: none is there */

bool term_resized(struct term *t); /* since the last call, and takes note of it */
void term_repaint(struct term *t); /* everything next time, whatever stands there */

/* A frame; in between, paint.h. */
void term_begin(struct term *t);
int term_end(struct term *t);	/* as term_pass_on */

#endif
