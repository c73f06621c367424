/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The full-screen live view: snapshots and keys go in, a picture comes out. Nothing here ever waits for the
 * terminal; whoever owns the loop polls its descriptor.
 */
#ifndef IOLAT_SCREEN_SCREEN_H
#define IOLAT_SCREEN_SCREEN_H

#include "render/render.h"

struct screen;

struct screen_options {
	const struct by *by;	   /* what a row is at first */
	const struct column *sort; /* NULL: by the blocked share */
};

/* What frames have to be by, so that rows can be grouped by any key and looked into; by files only where those are told. */
struct by screen_detail(const struct by *by, bool files);

/* Nothing is drawn yet. 0; -ENOTTY: standard output has no place for it (no terminal, or one that cannot show it); -errno. */
int screen_open(struct screen **out, const struct screen_options *o);

/* Gives the terminal back as it was; s may be NULL. */
void screen_close(struct screen *s);

/* Takes in a frame and draws it. 0 or -ENOMEM. */
int screen_frame(struct screen *s, const struct snapshot *frame);

/* For poll(), and what to do when it says something, or at least now and then. 0 or -errno: the terminal is
 * gone. */
int screen_fd(const struct screen *s);
short screen_events(const struct screen *s);
int screen_attend(struct screen *s);
bool screen_quits(const struct screen *s); /* the user wants to end the run */

/* What keys do, in words; ends with NULL. */
struct screen_key {
	const char *keys, *what;
};
const struct screen_key *screen_keys(void);

/* What else the user wants, once. */
enum screen_wish { SCREEN_NOTHING, SCREEN_RECORDING, SCREEN_PAGE };
enum screen_wish screen_wish(struct screen *s);

/* A word to the user, until the next key; and what is being kept all the while, NULL: nothing (borrowed). */
void screen_say(struct screen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void screen_keeps(struct screen *s, const char *what);

/* Around whatever is written to the terminal meanwhile. */
void screen_leave(struct screen *s);
void screen_return(struct screen *s);

#endif
