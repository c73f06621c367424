/* SPDX-License-Identifier: GPL-2.0 */
/* A recording played into an analysis of its own, as a report, a comparison and doctor --disk need it. */
#ifndef IOLAT_CLI_PLAY_H
#define IOLAT_CLI_PLAY_H

#include "capture/anonymize.h"
#include "capture/parts.h"
#include "capture/reader.h"
#include "capture/window.h"
#include "cli/filter.h"
#include "cli/options.h"
#include "stats/run.h"

struct play {
	const struct options *o;
	const char *path;
	struct selection selection;
	struct filter_path *paths; /* of each --device */
	struct parts parts;
	uint32_t part; /* of a recording in several files, which one is read; 0: it is one, or none is yet */
	struct window window;
	struct anonymizer *names; /* NULL: they stay */
	struct capture_reader *reader;
	struct run *run;
	bool played;	  /* its last file to the end */
	uint64_t last_ns; /* the newest time seen (CLOCK_MONOTONIC of the recorded host) */
	/* Called before an event that is newer than all before it; may be NULL. What it returns ends play_all(). */
	int (*tick)(void *ctx, uint64_t now_ns);
	/* Called before each event, and behind it; may be NULL. 1 of `before`: leave it out. What else is not 0 ends
	 * play_all(). */
	int (*before)(void *ctx, const struct iolat_head *e);
	int (*behind)(void *ctx, const struct iolat_head *e);
	void *ctx;			/* of all three */
};

/* Opens a recording with the options' selection and part of the time; `ro`'s own selection is replaced. An exit
 * status, the reason said. play_close() in any case. */
int play_open(struct play *p, const char *path, const struct options *o, const struct run_options *ro);

/* Whether a file goes on where the other, which is before it in the same recording, has ended. */
bool play_is_next(const char *before, const char *path);

/* Goes on with the next file of the recording; `last`: none follows. An exit status, the reason said. */
int play_next(struct play *p, const char *path, bool last);

/* Everything in it; warns where its end is missing, or the file that it goes on from. 0 or a negative errno. */
int play_all(struct play *p);

/* Says an error of play_all(), or of what was made of it; an exit status. Errors of the output have been said. */
int play_explain(const struct play *p, int err);

/* An exit status: a selection that names nothing in the recording is an error, said. */
int play_check_met(const struct play *p);

/* When the recording ends. */
uint64_t play_end(const struct play *p);

/* Warns if a part of the time was asked for that the recording has nothing of. */
void play_close(struct play *p);

#endif
