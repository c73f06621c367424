/* SPDX-License-Identifier: GPL-2.0 */
/* The full-screen view as a part of the live run: where its frames go, and what its user wants kept. */
#ifndef IOLAT_CLI_FULLSCREEN_H
#define IOLAT_CLI_FULLSCREEN_H

#include "cli/aside.h"
#include "screen/screen.h"

struct fullscreen {
	struct session *session;
	struct screen *screen;	/* NULL: there is none, frames are written */
	struct aside *aside;	/* what is being kept, or NULL */
};

/* Opens it if it is asked for and standard output has a place for it; before session_begin(). An exit status, the reason said. */
int fullscreen_open(struct fullscreen *f, struct session *s);

/* Takes in a frame. 0 or -ENOMEM. */
int fullscreen_frame(struct fullscreen *f, const struct snapshot *frame);

/* Keys and what they ask for. 0 or -errno: the terminal is gone. */
int fullscreen_attend(struct fullscreen *f);

/* Gives the terminal back. Twice is fine. */
void fullscreen_close(struct fullscreen *f);

/* Ends what is being kept, and says so on standard output; with the session stopped. 0 or -errno, said. */
int fullscreen_end(struct fullscreen *f);

#endif
