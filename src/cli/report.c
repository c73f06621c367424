// SPDX-License-Identifier: GPL-2.0
/*
 * Plays a recording into the same analysis that a live run has, and renders what it says:
 * the summary, and frames if they are asked for.
 */
#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "capture/format.h"
#include "capture/reader.h"
#include "cli/confine.h"
#include "cli/logfile.h"
#include "cli/output.h"
#include "cli/verdict.h"
#include "stats/run.h"

struct report {
	const struct options *o;
	const char *path;
	struct selection selection;
	struct run *run;
	struct output output;
	struct render_options render;
	uint64_t last_ns;	/* the newest time seen */
	uint64_t next_frame;	/* 0: not begun */
	struct logfile *log;	/* of --log, or NULL: the recording's own marks hold */
	uint64_t begun_wall;	/* CLOCK_REALTIME; 0: not begun */
	bool started;		/* the output's head is written */
	bool failed_on;		/* a finding of --fail-on holds at the end */
};

/* When an event happened, 0 if it does not tell. Nothing is checked here but what is read. */
static uint64_t event_time(const void *data, size_t size)
{
	const struct iolat_head *head = data;
	const struct iolat_request *rq = data;
	const struct iolat_aggregate *aggregate = data;
	const struct iolat_look *look = data;
	const struct iolat_run *run = data;

	if (head->kind == IOLAT_EV_AGGREGATE && size >= sizeof(*aggregate))
		return aggregate->end_ns;
	if (head->kind == IOLAT_EV_REQUEST && size >= sizeof(*rq))
		return rq->end_ns;
	if (head->kind == IOLAT_EV_RUN && size >= sizeof(*run))
		return run->mono_ns;
	if (head->kind == IOLAT_EV_LOOK && size >= sizeof(*look))
		return look->ts_ns;
	return 0;
}

/* As late as possible: what the recording holds decides on columns. */
static int start_output(struct report *r)
{
	int err = 0;

	if (!r->started && r->o->format->start)
		err = r->o->format->start(r->output.stream, &r->o->by, &r->render);
	r->started = true;
	return err;
}

static int render(struct report *r, const struct snapshot *s)
{
	int err = start_output(r);

	if (err)
		return err;
	return r->o->format->snapshot(r->output.stream, s, &r->render) ?: output_flush(&r->output);
}

/* Requests come nearly in the order of their ends; one that is late belongs to the frame that is open. */
static int make_frames(struct report *r, uint64_t now)
{
	struct snapshot s;
	int err = 0;

	if (!r->next_frame)
		r->next_frame = now + r->o->interval_ns;
	while (!err && now >= r->next_frame) {
		err = run_interval(r->run, r->next_frame, &s) ?: render(r, &s);
		r->next_frame += r->o->interval_ns;
	}
	return err;
}

static int take_mark(void *ctx, const struct iolat_mark *e)
{
	const struct report *r = ctx;

	return run_event(r->run, e, sizeof(*e));
}

/* Once it is known when the recording was made. */
static int read_log(struct report *r, const struct iolat_run *begin)
{
	const struct mark_sink sink = {take_mark, r};
	const struct iolat_mark e = {
		.head = {.kind = IOLAT_EV_MARK, .size = sizeof(e)},
		.what = IOLAT_MARK_LOG,
	};

	if (begin->head.kind != IOLAT_EV_RUN)
		return 0;
	r->begun_wall = begin->wall_ns;
	return take_mark(r, &e) ?: logfile_finish(r->log, r->begun_wall, &sink);
}

/* A mark of the recording, where another log is given. */
static bool is_replaced(const struct report *r, const struct iolat_head *head)
{
	return r->log && head->kind == IOLAT_EV_MARK;
}

static int take_event(void *ctx, const void *data, size_t size)
{
	struct report *r = ctx;
	uint64_t now = event_time(data, size);
	int err = 0;

	if (now > r->last_ns) {
		r->last_ns = now;
		if (r->o->interval_ns)
			err = make_frames(r, now);
	}
	r->render.phases |= ((const struct iolat_head *)data)->kind == IOLAT_EV_MARK;
	if (err || is_replaced(r, data))
		return err;
	err = run_event(r->run, data, size);
	if (!err && r->log && !r->begun_wall)
		err = read_log(r, data);
	return err == -ENOMEM ? err : 0;
}

static int refuse(const struct report *r, int err, uint32_t version)
{
	if (err == -EINVAL)
		log_error("%s: not a recording of iolat", r->path);
	else if (err == -EPROTO && version != CAPTURE_VERSION)
		log_error("%s: a recording of format %" PRIu32 ", and this iolat reads format %u", r->path,
			  version, CAPTURE_VERSION);
	else if (err == -EPROTO)
		log_error("%s: recorded on a machine of the other byte order", r->path);
	else
		log_error("%s: %s", r->path, strerror(-err));
	return EXIT_FAILED;
}

/* Errors of the output have been said by it. */
static int explain(const struct report *r, int err)
{
	if (err == -EPIPE)
		return EXIT_OK;
	if (err == -ENOMEM || err == -EIO)
		log_error("%s: %s", r->path, strerror(-err));
	return EXIT_FAILED;
}

static int summarise(struct report *r, enum capture_end end)
{
	uint64_t now = run_end(r->run) ?: r->last_ns;
	struct snapshot s;
	int err = 0;

	if (end == CAPTURE_CUT)
		log_warn("%s: its end is missing; read to the last whole block", r->path);
	else if (end == CAPTURE_DAMAGED)
		log_warn("%s: damaged; read to the last whole block before that", r->path);
	if (r->o->interval_ns) {
		err = run_interval(r->run, now, &s);
		if (!err && s.n_rows)
			err = render(r, &s);
	}
	err = err ?: run_whole(r->run, now, SNAPSHOT_SUMMARY, &s);
	if (err)
		return err;
	if (r->log)
		logfile_judge(r->log, s.start_wall_ns, s.end_wall_ns);
	r->failed_on = verdict_fails(&r->o->fail_on, &s);
	return render(r, &s);
}

static int play(struct report *r, struct capture_reader *reader)
{
	enum capture_end end = CAPTURE_WHOLE;
	int err, status = output_open_whole(&r->output, r->o->output);

	if (status != EXIT_OK)
		return status;
	r->render.width = output_width(&r->output);
	err = capture_read(reader, take_event, r, &end);
	err = err ?: summarise(r, end);
	if (err) {
		output_abandon(&r->output);
		return explain(r, err);
	}
	err = output_close(&r->output);
	if (err)
		return explain(r, err);
	return r->failed_on ? EXIT_FINDING : EXIT_OK;
}

int report_run(const struct options *o)
{
	struct report r = {.o = o, .path = o->files.at[0], .render = o->render};
	const struct run_options ro = {
		.by = o->by,
		.selection = &r.selection,
		.stuck_ns = o->stuck_ns,
		.timeline = o->format->timeline,
	};
	struct capture_reader *reader;
	uint32_t version;
	int status, err;

	confine_reader();
	if (o->files.n > 1) {
		log_error("report reads one FILE, not %zu", o->files.n);
		return EXIT_USAGE;
	}
	status = o->log ? logfile_open(&r.log, o->log, o->log_pattern, LOGFILE_WHOLE) : EXIT_OK;
	if (status != EXIT_OK) {
		logfile_close(r.log);
		return status;
	}
	err = capture_open(&reader, r.path, &version);
	if (err) {
		logfile_close(r.log);
		return refuse(&r, err, version);
	}
	err = run_new(&r.run, &ro);
	status = err ? explain(&r, err) : play(&r, reader);
	run_free(r.run);
	capture_reader_close(reader);
	logfile_close(r.log);
	return status;
}
