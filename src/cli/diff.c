// SPDX-License-Identifier: GPL-2.0
/* Plays two recordings, each into an analysis of its own, and renders how they differ. */
#include "cli/diff.h"

#include <errno.h>

#include "base/log.h"
#include "cli/confine.h"
#include "cli/output.h"
#include "cli/play.h"
#include "render/diff.h"

struct diff {
	const struct options *o;
	struct play plays[COMPARE_SIDES];
	struct snapshot runs[COMPARE_SIDES];
	struct comparison comparison;
};

static int summarise(struct diff *d, enum compare_side side)
{
	const struct run_options ro = {.by = d->o->by, .stuck_ns = d->o->stuck_ns};
	struct play *p = &d->plays[side];
	int err, status = play_open(p, d->o->files.at[side], d->o, &ro);

	if (status != EXIT_OK)
		return status;
	if (p->names) /* the same names on both sides */
		p->names->salt = d->plays[COMPARE_BEFORE].names->salt;
	err = play_all(p) ?: run_whole(p->run, play_end(p), SNAPSHOT_SUMMARY, &d->runs[side]);
	return err ? play_explain(p, err) : EXIT_OK;
}

/* What is selected may be in one of them only: that is an answer, too. */
static int check_met(const struct diff *d)
{
	if (!run_unmet(d->plays[COMPARE_BEFORE].run))
		return EXIT_OK;
	return play_check_met(&d->plays[COMPARE_AFTER]);
}

static int write_diff(struct diff *d)
{
	struct render_options o = d->o->render;
	const struct diff_view view = {
		.comparison = &d->comparison,
		.files = {d->o->files.at[0], d->o->files.at[1]},
		.o = &o,
	};
	struct output output;
	int err, status = output_open_whole(&output, d->o->output);

	if (status != EXIT_OK)
		return status;
	o.width = output_width(&output);
	err = diff_find(d->o->format->name)(output.stream, &view) ?: output_flush(&output);
	if (err) {
		output_abandon(&output);
		return play_explain(&d->plays[0], err);
	}
	err = output_close(&output);
	return err ? play_explain(&d->plays[0], err) : EXIT_OK;
}

int diff_run(const struct options *o)
{
	struct diff d = {.o = o};
	int status = EXIT_OK;

	if (o->files.n != COMPARE_SIDES) {
		log_error("diff compares two files, BEFORE and AFTER, not %zu", o->files.n);
		return EXIT_USAGE;
	}
	confine_reader();
	for (int side = 0; status == EXIT_OK && side < COMPARE_SIDES; side++)
		status = summarise(&d, side);
	status = status ?: check_met(&d);
	if (status == EXIT_OK) {
		int err = compare_runs(&d.comparison, &d.runs[0], &d.runs[1]);

		status = err ? play_explain(&d.plays[0], err) : write_diff(&d);
		compare_free(&d.comparison);
	}
	for (int side = 0; side < COMPARE_SIDES; side++)
		play_close(&d.plays[side]);
	return status;
}
