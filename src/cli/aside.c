// SPDX-License-Identifier: GPL-2.0
/* Its stream ends in a recording's writer, or in a run that is rendered at the end. */
#include "cli/aside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/writer.h"
#include "cli/output.h"

#define PATH_LEN 64

struct aside {
	struct session *session;
	enum aside_kind kind;
	char path[PATH_LEN];
	struct facts *facts;
	struct output output;		/* of a recording; of a page at its end */
	struct capture_writer *writer;	/* of a recording */
	struct run *run;		/* of a page */
};

static int take(void *ctx, const void *data, size_t size)
{
	struct aside *a = ctx;
	int err;

	if (a->writer)
		return capture_add(a->writer, data, size);
	err = run_event(a->run, data, size);
	return err == -ENOMEM ? err : 0;
}

static void name(struct aside *a)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(a->path, sizeof(a->path),
		 a->kind == ASIDE_PAGE ? "iolat-%Y%m%d-%H%M%S.html" : "iolat-%Y%m%d-%H%M%S.iolat", &tm);
}

static int open_recording(struct aside *a)
{
	int err;

	if (output_open_new(&a->output, a->path))
		return -(errno ?: EIO);
	err = capture_create(&a->writer, dup(fileno(a->output.stream)));
	if (err)
		output_close(&a->output);
	return err;
}

static int open_run(struct aside *a)
{
	const struct options *o = a->session->o;
	const struct run_options ro = {
		.by = o->by,
		.selection = &a->session->target.selection,
		.stuck_ns = o->stuck_ns,
		.timeline = true,
	};

	return run_new(&a->run, &ro);
}

static int follow(struct aside *a)
{
	const struct sink sink = {take, a};
	struct session *s = a->session;
	int err = facts_new(&a->facts, s->tracer, &s->cgroups, &sink);

	err = err ?: session_take(s); /* what waits in the rings is of before */
	return err ?: facts_follow(a->facts, s->facts, NULL, &s->target.knobs);
}

static void discard(struct aside *a)
{
	facts_free(a->facts);
	run_free(a->run);
	free(a);
}

int aside_begin(struct aside **out, struct session *s, enum aside_kind kind)
{
	struct aside *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return -ENOMEM;
	a->session = s;
	a->kind = kind;
	name(a);
	if (!access(a->path, F_OK))
		err = -EEXIST;
	else
		err = kind == ASIDE_PAGE ? open_run(a) : open_recording(a);
	err = err ?: follow(a);
	if (!err) {
		*out = a;
		return 0;
	}
	if (a->writer)
		capture_close(a->writer, monotonic_ns());
	if (a->output.stream)
		output_close(&a->output);
	discard(a);
	return err;
}

int aside_keep(struct aside *a)
{
	int err = facts_counters(a->facts);

	return err ?: a->writer ? capture_flush(a->writer) : 0;
}

static int end_recording(struct aside *a, uint64_t now)
{
	int err = capture_close(a->writer, now);

	return err ?: output_close(&a->output);
}

static int write_page(struct aside *a, const struct snapshot *s)
{
	int err = renderer_find("html")->snapshot(a->output.stream, s, &a->session->o->render);

	if (err) {
		output_abandon(&a->output);
		return err;
	}
	return output_close(&a->output);
}

static int end_page(struct aside *a, uint64_t now)
{
	struct snapshot s;
	int err = run_whole(a->run, now, SNAPSHOT_SUMMARY, &s);

	if (err)
		return err;
	if (output_open_whole(&a->output, a->path))
		return -(errno ?: EIO);
	return write_page(a, &s);
}

int aside_end(struct aside *a)
{
	int err = facts_freeze(a->facts) ?: session_take(a->session) ?: facts_counters(a->facts);
	uint64_t now = monotonic_ns(); /* things were seen until then */
	int end_err = a->writer ? end_recording(a, now) : end_page(a, now);

	discard(a);
	return err ?: end_err;
}

const char *aside_path(const struct aside *a)
{
	return a->path;
}

enum aside_kind aside_kind(const struct aside *a)
{
	return a->kind;
}
