// SPDX-License-Identifier: GPL-2.0
/*
 * Plays a recording into the same analysis that a live run has, and renders what it says:
 * the summary, and frames if they are asked for; or its requests one by one.
 */
#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "cli/confine.h"
#include "cli/gzip.h"
#include "cli/logfile.h"
#include "cli/merge.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/verdict.h"

#define FRAMES_MOST 100000	/* without anything between them */
#define NAMES_NS    1000000000ull /* a trace: between two lists of whose requests those are */
#define FIO_SPECIAL ":;#$\n"	  /* in a job file: two names, a comment, a variable */
#define FORGET_NS   1000000000ull /* how long what was told of a request may be used again */

struct report {
	const struct options *o;
	const struct renderer *format;
	struct by by;
	struct run_options run;
	struct play play;
	bool met;		/* what is selected was in a recording before */
	struct output output;
	struct render_options render;
	void *state;		/* of the format */
	uint64_t next_frame;	/* 0: not begun */
	struct logfile *log;	/* of --log, or NULL: the recording's own marks hold */
	uint64_t begun_wall;	/* CLOCK_REALTIME; 0: not begun */
	bool started;		/* the output's head is written */
	uint64_t interval_ns;	/* 0: the summary alone */
	struct merge *merge;	/* of --merge, or NULL */
	FILE *plain;		/* what lies behind a stream that compresses, or NULL */
	bool failed_on;		/* a finding of --fail-on holds at the end */
};

/* As late as possible: what the recording holds decides on columns. */
static int start(struct report *r)
{
	int (*begin)(FILE *, const struct by *, const struct render_options *) =
		r->o->events ? r->format->start_requests : r->format->start;

	if (r->started)
		return 0;
	r->started = true;
	r->render.base_ns = r->merge ? merge_base(r->merge) : run_start_wall(r->play.run);
	r->render.merge = r->merge ? merge_trace(r->merge) : NULL;
	return begin ? begin(r->output.stream, &r->by, &r->render) : 0;
}

static int render(struct report *r, const struct snapshot *s)
{
	int err = start(r);

	if (err)
		return err;
	return r->format->snapshot(r->output.stream, s, &r->render) ?: output_flush(&r->output);
}

/* Requests come nearly in the order of their ends; one that is late belongs to the frame that is open. */
static int make_frames(void *ctx, uint64_t now)
{
	struct report *r = ctx;
	uint64_t interval = r->interval_ns;
	struct snapshot s;
	int err = 0;

	if (!r->next_frame)
		r->next_frame = now + interval;
	/* A time that lies far ahead is not worth its empty frames, nor a damaged one. */
	if (now > r->next_frame && (now - r->next_frame) / interval > FRAMES_MOST)
		r->next_frame = now;
	while (!err && now >= r->next_frame) {
		err = run_interval(r->play.run, r->next_frame, &s) ?: render(r, &s);
		r->next_frame += interval;
	}
	return err;
}

static int summarise(struct report *r)
{
	uint64_t now = play_end(&r->play);
	struct snapshot s;
	int err = 0;

	if (r->interval_ns) {
		err = run_interval(r->play.run, now, &s);
		if (!err && s.n_rows)
			err = render(r, &s);
	}
	err = err ?: run_whole(r->play.run, now, SNAPSHOT_SUMMARY, &s);
	if (err)
		return err;
	if (r->log)
		logfile_judge(r->log, s.start_wall_ns, s.end_wall_ns);
	r->failed_on = verdict_fails(&r->o->fail_on, &s);
	return render(r, &s);
}

/* --- another log than the recorder's ------------------------------------------------ */

static int take_mark(void *ctx, const struct iolat_mark *e)
{
	const struct report *r = ctx;

	return run_event(r->play.run, e, sizeof(*e));
}

/* Once it is known when the recording was made. */
static int read_log(void *ctx, const struct iolat_head *e)
{
	struct report *r = ctx;
	const struct mark_sink sink = {take_mark, r};
	const struct iolat_run *begin = (const void *)e;
	const struct iolat_mark mark = {
		.head = {.kind = IOLAT_EV_MARK, .size = sizeof(mark)},
		.what = IOLAT_MARK_LOG,
	};

	if (!r->log || r->begun_wall || e->kind != IOLAT_EV_RUN)
		return 0;
	r->begun_wall = begin->wall_ns;
	return take_mark(r, &mark) ?: logfile_finish(r->log, r->begun_wall, &sink);
}

/* A mark of the recording, where another log is given. */
static int is_replaced(void *ctx, const struct iolat_head *e)
{
	struct report *r = ctx;

	r->render.phases |= e->kind == IOLAT_EV_MARK;
	return r->log && e->kind == IOLAT_EV_MARK;
}

/* --- requests ---------------------------------------------------------------------- */

static int put_request(void *ctx, const struct request *q)
{
	struct report *r = ctx;
	int err = start(r) ?: r->format->request(r->output.stream, q, &r->by, &r->render);

	/* A reader that has gone shows at the next flush; not every line is worth one. */
	return err ?: ferror(r->output.stream) ? output_flush(&r->output) : 0;
}

static int put_wait(void *ctx, const struct task_wait *w)
{
	struct report *r = ctx;

	return start(r) ?: r->format->wait(r->output.stream, w, &r->render);
}

/* Rows only serve to know whose a request is. */
static int forget(void *ctx, uint64_t now)
{
	struct report *r = ctx;
	struct snapshot s;

	if (now < r->next_frame)
		return 0;
	r->next_frame = now + FORGET_NS;
	return run_interval(r->play.run, now, &s);
}

static void by_everything(struct by *by)
{
	*by = (struct by){.n = BY_MAX, .mask = (1u << BY_MAX) - 1};
	for (int key = 0; key < BY_MAX; key++)
		by->keys[key] = key;
}

/* What a replay tells apart. */
static void by_process(struct by *by)
{
	*by = (struct by){.keys = {BY_PROCESS, BY_DEVICE, BY_OP},
			  .n = 3,
			  .mask = 1u << BY_PROCESS | 1u << BY_DEVICE | 1u << BY_OP};
}

/* A trace has each request and each wait; frames only serve for the names. */
static void take_everything(struct report *r)
{
	by_everything(&r->by);
	r->interval_ns = NAMES_NS;
	r->run.request = put_request;
	r->run.wait = put_wait;
	r->run.request_ctx = r->run.wait_ctx = r;
}

static void choose_run(struct report *r)
{
	const struct options *o = r->o;

	r->run = (struct run_options){.stuck_ns = o->stuck_ns, .timeline = r->format->timeline};
	if (o->events) {
		by_everything(&r->by);
		r->run.forgets = true;
	}
	if (r->format->requests)
		by_process(&r->by);
	if (o->events || r->format->requests) {
		r->run.request = put_request;
		r->run.request_ctx = r;
	}
	if (r->format->wait)
		take_everything(r);
	r->run.by = r->by;
}

/* --- files --------------------------------------------------------------------------- */

/* Of its recording. */
static bool is_last(const struct words *files, size_t i)
{
	return i + 1 == files->n || !play_is_next(files->at[i], files->at[i + 1]);
}

static bool are_one_recording(const struct words *files)
{
	for (size_t i = 0; i + 1 < files->n; i++)
		if (is_last(files, i))
			return false;
	return true;
}

static int open_file(struct report *r, size_t i)
{
	int status = play_open(&r->play, r->o->files.at[i], r->o, &r->run);

	r->play.parts.last = is_last(&r->o->files, i);
	r->play.ctx = r;
	r->play.before = is_replaced;
	r->play.behind = read_log;
	if (r->o->events || r->interval_ns)
		r->play.tick = r->o->events ? forget : make_frames;
	return status;
}

/* Requests of several recordings come one recording after the other, under the same names. */
static int next_file(struct report *r, size_t i)
{
	uint64_t salt = r->play.names ? r->play.names->salt : 0;
	const struct words *files = &r->o->files;
	int status;

	if (play_is_next(files->at[i - 1], files->at[i]))
		return play_next(&r->play, files->at[i], is_last(files, i));
	r->met |= !run_unmet(r->play.run);
	play_close(&r->play);
	r->next_frame = 0;
	status = open_file(r, i);
	if (r->play.names)
		r->play.names->salt = salt;
	return status;
}

/* What was only counted has no line; `lost` in the totals says how much of the rest is missing. */
static int warn_of_unlisted(const struct report *r)
{
	struct snapshot s;
	int err = run_whole(r->play.run, play_end(&r->play), SNAPSHOT_ASKED, &s);

	if (!err && s.coverage.tally.aggregated)
		log_warn("%s: %" PRIu64 " of %" PRIu64 " requests were only counted and are not among these", r->play.path,
			 s.coverage.tally.aggregated, s.coverage.tally.requests);
	return err;
}

static int play_file(struct report *r)
{
	bool listed = r->o->events || r->format->requests || r->format->wait;
	int err = play_all(&r->play);

	return err || !listed || !r->play.parts.last ? err : warn_of_unlisted(r);
}

/* An exit status; *err is what else went wrong. */
static int play_files(struct report *r, int *err)
{
	int status = EXIT_OK;

	*err = *err ?: play_file(r);
	for (size_t i = 1; !*err && status == EXIT_OK && i < r->o->files.n; i++) {
		status = next_file(r, i);
		if (status == EXIT_OK)
			*err = play_file(r);
	}
	if (!*err && status == EXIT_OK && !r->met)
		status = play_check_met(&r->play);
	return status;
}

/* --- compression ------------------------------------------------------------------------ */

static bool ends_with(const char *s, const char *end)
{
	return s && strlen(s) >= strlen(end) && !strcmp(s + strlen(s) - strlen(end), end);
}

static int compress_output(struct report *r)
{
	FILE *f;

	if (!r->format->wait || !ends_with(r->o->output, ".gz"))
		return 0;
	f = gzip_onto(r->output.stream);
	if (!f)
		return -ENOMEM;
	r->plain = r->output.stream;
	r->output.stream = f;
	return 0;
}

/* What it holds back is written; an error of that is left in the stream behind it. */
static void end_compression(struct report *r)
{
	if (!r->plain)
		return;
	fclose(r->output.stream);
	r->output.stream = r->plain;
	r->plain = NULL;
}

/* --- all of it ----------------------------------------------------------------------- */

static int give_up(struct report *r, int status)
{
	end_compression(r);
	output_abandon(&r->output);
	return status;
}

static int write_report(struct report *r)
{
	int err, status = output_open_whole(&r->output, r->o->output);

	if (status != EXIT_OK)
		return status;
	r->render.width = output_width(&r->output);
	err = compress_output(r);
	if (!err && (r->o->events || r->format->requests))
		err = start(r);
	status = play_files(r, &err);
	if (status != EXIT_OK)
		return give_up(r, status);
	if (!err && !r->o->events)
		err = summarise(r);
	end_compression(r);
	if (err)
		return give_up(r, play_explain(&r->play, err));
	err = output_close(&r->output);
	if (err)
		return play_explain(&r->play, err);
	return r->failed_on ? EXIT_FINDING : EXIT_OK;
}

static FILE *open_beside(void *ctx, unsigned int n, char **path)
{
	const struct options *o = ctx;

	return output_beside(o->output, n, path);
}

static int check(const struct options *o)
{
	if (o->merge && !o->format->wait) {
		log_error("--merge: only with --format trace");
		return EXIT_USAGE;
	}
	if (o->merge_at.kind != MOMENT_NONE && !o->merge) {
		log_error("--merge-at: of no use without --merge TRACE");
		return EXIT_USAGE;
	}
	if (o->format->requests && (!o->output || strpbrk(o->output, FIO_SPECIAL))) {
		log_error("--format %s: it writes several files: give --output FILE%s", o->format->name,
			  o->output ? ", without : ; # $ and line ends, which fio would not understand" : "");
		return EXIT_USAGE;
	}
	if (!are_one_recording(&o->files) && (o->log || o->interval_ns || o->format->wait || o->format->requests)) {
		log_error("%s%s: of one FILE only", o->log ? "--log" : o->interval_ns ? "--interval" : "--format ",
			  o->log || o->interval_ns ? "" : o->format->name);
		return EXIT_USAGE;
	}
	if (o->events && (!o->format->request || o->format->requests || o->format->wait)) {
		log_error("--events: not with --format %s; take csv or json", o->format->name);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

int report_run(const struct options *o)
{
	struct report r = {.o = o, .format = o->format, .by = o->by, .render = o->render,
			   .interval_ns = o->interval_ns};
	int status;

	confine_reader();
	status = check(o);
	if (status == EXIT_OK && !are_one_recording(&o->files) && !o->events)
		return report_several(o);
	r.render.beside = open_beside;
	r.render.beside_ctx = (void *)o;
	r.render.state = &r.state;
	r.render.writes = o->op_mask & 1u << IOLAT_OP_WRITE;
	if (status != EXIT_OK)
		return status;
	choose_run(&r);
	status = o->log ? logfile_open(&r.log, o->log, o->log_pattern, LOGFILE_WHOLE) : EXIT_OK;
	status = status ?: open_file(&r, 0);
	if (status == EXIT_OK && o->merge)
		status = merge_open(&r.merge, o->merge, &o->merge_at);
	status = status ?: write_report(&r);
	if (r.format->end)
		r.format->end(&r.render);
	logfile_close(r.log);
	play_close(&r.play);
	merge_close(r.merge);
	return status;
}
