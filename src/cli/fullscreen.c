// SPDX-License-Identifier: GPL-2.0
/* Puts together the screen, which knows no tracer, and what is kept aside, which knows no screen. */
#include "cli/fullscreen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Rows are processes unless something else was asked for: the device and the operation are parts to look into. */
int fullscreen_open(struct fullscreen *f, struct session *s)
{
	static const struct by processes = {.keys = {BY_PROCESS}, .n = 1, .mask = 1u << BY_PROCESS};
	const struct options *o = s->o;
	const struct screen_options so = {
		.by = o->by_named ? &o->by : &processes,
		.sort = o->render.sort,
	};
	int err = o->full_screen ? screen_open(&f->screen, &so) : 0;

	f->session = s;
	if (f->screen)
		s->detail = screen_detail(&o->by, o->keep_files);
	if (!err || err == -ENOTTY)
		return EXIT_OK;
	log_error("cannot draw on the terminal: %s", strerror(-err));
	return EXIT_FAILED;
}

void fullscreen_close(struct fullscreen *f)
{
	screen_close(f->screen);
	f->screen = NULL;
}

/* --- what is kept --------------------------------------------------------------------- */

static const char *kind_name(enum aside_kind kind)
{
	return kind == ASIDE_PAGE ? "page" : "recording";
}

static char key_of(enum aside_kind kind)
{
	return kind == ASIDE_PAGE ? 'w' : 'r';
}

static void begin(struct fullscreen *f, enum aside_kind kind)
{
	int err = aside_begin(&f->aside, f->session, kind);

	if (err) {
		screen_say(f->screen, "no %s: %s", kind_name(kind), strerror(-err));
		return;
	}
	screen_keeps(f->screen, kind_name(kind));
	screen_say(f->screen, "%s from now on: %s; %c ends it", kind_name(kind), aside_path(f->aside), key_of(kind));
}

static void end(struct fullscreen *f)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "%s", aside_path(f->aside));
	err = aside_end(f->aside);
	f->aside = NULL;
	screen_keeps(f->screen, NULL);
	screen_say(f->screen, err ? "cannot write %s: %s" : "written: %s", path, strerror(-err));
}

static void obey(struct fullscreen *f, enum aside_kind kind)
{
	if (!f->aside)
		begin(f, kind);
	else if (aside_kind(f->aside) == kind)
		end(f);
	else
		screen_say(f->screen, "a %s is being kept: %c ends it", kind_name(aside_kind(f->aside)),
			   key_of(aside_kind(f->aside)));
}

int fullscreen_end(struct fullscreen *f)
{
	char path[64];
	int err;

	if (!f->aside)
		return 0;
	snprintf(path, sizeof(path), "%s", aside_path(f->aside));
	err = aside_end(f->aside);
	f->aside = NULL;
	if (err)
		log_error("cannot write %s: %s", path, strerror(-err));
	else
		printf("%s\n", path);
	return err;
}

/* --- frames and keys ------------------------------------------------------------------- */

int fullscreen_frame(struct fullscreen *f, const struct snapshot *frame)
{
	int err = screen_frame(f->screen, frame);

	if (f->aside && aside_keep(f->aside))
		end(f);
	return err;
}

int fullscreen_attend(struct fullscreen *f)
{
	int err = screen_attend(f->screen);

	switch (screen_wish(f->screen)) {
	case SCREEN_RECORDING:
		obey(f, ASIDE_RECORDING);
		break;
	case SCREEN_PAGE:
		obey(f, ASIDE_PAGE);
		break;
	case SCREEN_NOTHING:
		break;
	}
	return err;
}
