// SPDX-License-Identifier: GPL-2.0
/* A report on several recordings at once: each is played into an analysis of its own, the summaries are joined. */
#include <stdlib.h>

#include "base/log.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/report.h"
#include "cli/verdict.h"
#include "stats/several.h"

struct several_report {
	const struct options *o;
	struct by by;
	size_t n;
	struct play *plays;
	struct snapshot *parts;
	struct several several;
};

/* Rows of two hosts never mean the same. */
static void add_host(struct by *by)
{
	if (by_has(by, BY_HOST))
		return;
	by->keys[by->n++] = BY_HOST;
	by->mask |= 1u << BY_HOST;
}

static int play_one(struct several_report *r, size_t i)
{
	const struct run_options ro = {.by = r->by, .stuck_ns = r->o->stuck_ns, .timeline = r->o->format->timeline};
	struct play *p = &r->plays[i];
	int err, status = play_open(p, r->o->files.at[i], r->o, &ro);

	if (status != EXIT_OK)
		return status;
	if (p->names)
		p->names->salt = r->plays[0].names->salt;
	err = play_all(p) ?: run_whole(p->run, play_end(p), SNAPSHOT_SUMMARY, &r->parts[i]);
	return err ? play_explain(p, err) : EXIT_OK;
}

/* What is selected has to be in one of them. */
static int check_met(const struct several_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!run_unmet(r->plays[i].run))
			return EXIT_OK;
	return play_check_met(&r->plays[0]);
}

static int write_joined(struct several_report *r)
{
	const struct renderer *format = r->o->format;
	struct render_options render = r->o->render;
	struct output output;
	int err, status = output_open_whole(&output, r->o->output);

	if (status != EXIT_OK)
		return status;
	render.width = output_width(&output);
	err = format->start ? format->start(output.stream, &r->by, &render) : 0;
	err = err ?: format->snapshot(output.stream, &r->several.joined, &render) ?: output_flush(&output);
	if (err)
		output_abandon(&output);
	err = err ?: output_close(&output);
	if (err)
		return play_explain(&r->plays[0], err);
	return verdict_fails(&r->o->fail_on, &r->several.joined) ? EXIT_FINDING : EXIT_OK;
}

static int join(struct several_report *r)
{
	int status, err = several_join(&r->several, r->parts, r->n);

	r->several.joined.by = &r->by;
	status = err ? play_explain(&r->plays[0], err) : write_joined(r);
	several_free(&r->several);
	return status;
}

int report_several(const struct options *o)
{
	struct several_report r = {.o = o, .by = o->by, .n = o->files.n};
	int status = EXIT_OK;

	add_host(&r.by);
	r.plays = calloc(r.n, sizeof(*r.plays));
	r.parts = calloc(r.n, sizeof(*r.parts));
	if (!r.plays || !r.parts) {
		log_error("out of memory");
		status = EXIT_FAILED;
	}
	for (size_t i = 0; status == EXIT_OK && i < r.n; i++)
		status = play_one(&r, i);
	status = status ?: check_met(&r);
	status = status ?: join(&r);
	for (size_t i = 0; r.plays && i < r.n; i++)
		play_close(&r.plays[i]);
	free(r.plays);
	free(r.parts);
	return status;
}
