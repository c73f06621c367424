// SPDX-License-Identifier: GPL-2.0
/*
 * One loop over a clock and a few descriptors: reads the rings on a timer, renders frames,
 * obeys signals, watches for whatever ends the run. Everything it does is done elsewhere.
 */
#include "cli/live.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/child.h"
#include "cli/fullscreen.h"
#include "cli/output.h"
#include "cli/recorder.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/verdict.h"

#define TAKE_NS	       1000000000ull	/* between two looks at what was counted in the kernel */
#define ALIVE_NS       500000000ull	/* between two looks whether the subject still exists */

struct live {
	const struct options *o;
	struct session session;
	struct output output;
	struct recorder recorder;	/* of `record`; then only the summary is rendered, where --format asks for it */
	struct render_options render;
	struct fullscreen full;		/* takes the frames, if there is one */
	struct child child;
	int signal_fd;
	uint64_t next_take, next_frame, next_alive, end;
	bool done;			/* the run ends */
	bool quiet;			/* nobody reads the output any more */
	bool failed_on;			/* a finding of --fail-on holds at the end */
	unsigned int stop_requests;	/* INT, TERM, HUP */
	int status;
};

static uint64_t now_ns(void)
{
	return monotonic_ns();
}

/* The first reason is said; what fails because of it is not. */
static void fail(struct live *l, int err, const char *what)
{
	if (l->status == EXIT_OK && l->recorder.err)
		log_error("cannot write to %s: %s", l->o->output, strerror(-err));
	else if (l->status == EXIT_OK)
		log_error("%s: %s", what, strerror(-err));
	l->status = EXIT_FAILED;
	l->done = true;
}

/* --- events and frames ------------------------------------------------------------ */

/* After a write: nobody listens any more, or it failed. */
static void check_output(struct live *l, int err)
{
	if (!err)
		return;
	l->done = true;
	l->quiet = true;
	if (err != -EPIPE)
		l->status = EXIT_FAILED;
}

static void write_frame(struct live *l, const struct snapshot *s)
{
	int err;

	l->render.width = output_width(&l->output);
	err = l->o->format->snapshot(l->output.stream, s, &l->render);
	if (err)
		fail(l, err, "cannot format the output");
	else
		check_output(l, output_flush(&l->output));
}

static void draw_frame(struct live *l, const struct snapshot *s)
{
	int err = fullscreen_frame(&l->full, s);

	if (err)
		fail(l, err, "cannot draw a frame");
}

static void write_beside(struct live *l, const struct snapshot *s)
{
	screen_leave(l->full.screen);
	write_frame(l, s);
	screen_return(l->full.screen);
}

/* A recorder's words beside its file. */
static struct output standard_output(void)
{
	return (struct output){.stream = stdout};
}

static void print_summary(struct live *l, const struct snapshot *s)
{
	const struct renderer *format = l->o->format;
	struct output out = standard_output();
	struct render_options render = l->o->render;

	render.width = output_width(&out);
	if (format->start)
		format->start(stdout, &l->o->by, &render);
	format->snapshot(stdout, s, &render);
	check_output(l, output_flush(&out));
}

static void keep(struct live *l, const struct snapshot *s)
{
	int err = recorder_flush(&l->recorder);

	if (err)
		fail(l, err, "cannot write the recording");
	l->done |= l->recorder.stop != NULL;
	recorder_check_disk(&l->recorder, s);
	if (s->type != SNAPSHOT_SUMMARY || err)
		return;
	if (l->o->format)
		print_summary(l, s);
}

static void render(struct live *l, const struct snapshot *s)
{
	if (l->recorder.writer)
		keep(l, s);
	else if (l->o->command == COMMAND_RECORD)
		return; /* the next file could not be made */
	else if (!l->full.screen)
		write_frame(l, s);
	else if (s->type == SNAPSHOT_INTERVAL)
		draw_frame(l, s);
	else
		write_beside(l, s);
}

static void take_due(struct live *l)
{
	int err = session_take(&l->session);

	l->next_take = now_ns() + TAKE_NS;

	if (err)
		fail(l, err, "cannot read what the kernel counted");
}

static int update(struct live *l)
{
	l->next_take = now_ns() + TAKE_NS;
	return session_update(&l->session);
}

static void show_interval(struct live *l, uint64_t now, bool even_empty)
{
	struct snapshot s;
	int err = update(l) ?: run_interval(l->session.run, now, &s);

	if (err)
		fail(l, err, "cannot make a frame");
	else if (even_empty || s.n_rows)
		render(l, &s);
}

static void show_whole(struct live *l, uint64_t now, enum snapshot_type type)
{
	struct snapshot s;
	int err = update(l) ?: run_whole(l->session.run, now, type, &s);

	if (err) {
		fail(l, err, "cannot make the summary");
		return;
	}
	if (type == SNAPSHOT_SUMMARY && verdict_fails(&l->o->fail_on, &s))
		l->failed_on = true;
	if (!l->quiet)
		render(l, &s);
}

/* --- what ends a run -------------------------------------------------------------- */

static void stop_requested(struct live *l, struct signal_event e)
{
	bool running = l->child.pid && !child_ended(&l->child, false);

	l->stop_requests++;
	if (running && !e.from_terminal)
		kill(l->child.pid, e.number);
	/* With COMMAND its own end ends the run; asked twice, waiting is over. */
	if (!running || l->stop_requests > 1)
		l->done = true;
}

static bool ends_run(struct signal_event e)
{
	return e.number != SIGUSR1 && e.number != SIGCHLD;
}

static void obey_signals(struct live *l)
{
	struct signal_event e;

	while ((e = signals_next(l->signal_fd)).number) {
		if (ends_run(e))
			stop_requested(l, e);
		else if (e.number == SIGUSR1)
			show_whole(l, now_ns(), SNAPSHOT_ASKED);
		else
			l->done |= child_ended(&l->child, false);
	}
}

/* --- the loop --------------------------------------------------------------------- */

static uint64_t earliest(const struct live *l)
{
	uint64_t drain = l->session.next_drain;
	uint64_t t = drain < l->next_alive ? drain : l->next_alive;

	if (l->o->interval_ns && l->next_frame < t)
		t = l->next_frame;
	return l->end && l->end < t ? l->end : t;
}

/* Waits until something is due, a signal comes or the output's reader goes away. */
static void wait_for(struct live *l, uint64_t until)
{
	FILE *stream = l->o->command == COMMAND_RECORD ? l->recorder.output.stream : l->output.stream;
	struct pollfd fds[] = {
		{.fd = l->signal_fd, .events = POLLIN},
		{.fd = stream ? fileno(stream) : -1},
		{.fd = -1},
	};
	uint64_t now = now_ns(), left = until > now ? until - now : 0;
	const struct timespec ts = {left / 1000000000, left % 1000000000};

	if (l->full.screen)
		fds[2] = (struct pollfd){.fd = screen_fd(l->full.screen),
					 .events = screen_events(l->full.screen)};
	if (ppoll(fds, 3, &ts, NULL) <= 0)
		return;
	if (fds[1].revents & POLLERR)
		check_output(l, -EPIPE);
}

/* A terminal that is gone is a reader that is gone. */
static void attend_screen(struct live *l)
{
	if (!l->full.screen)
		return;
	if (fullscreen_attend(&l->full))
		check_output(l, -EPIPE);
	if (screen_quits(l->full.screen))
		l->done = true;
}

static void rotate(struct live *l)
{
	int status = recorder_rotate(&l->recorder);

	if (status == EXIT_OK)
		return;
	l->status = status;
	l->done = true;
}

static void drain_due(struct live *l, uint64_t now)
{
	int err = session_drain(&l->session, now);

	if (err)
		fail(l, err, "cannot read the ring buffers");
	else if (l->recorder.full)
		rotate(l);
}

static void frame_due(struct live *l, uint64_t now)
{
	show_interval(l, now, true);
	/* Frames that could not be made in time are left out, not made up for. */
	while (l->next_frame <= now)
		l->next_frame += l->o->interval_ns;
}

static void step(struct live *l)
{
	uint64_t now;

	wait_for(l, earliest(l));
	obey_signals(l);
	now = now_ns();
	drain_due(l, now);
	if (l->end && now >= l->end)
		l->done = true; /* the last frame is made when all has been seen */
	else if (l->o->interval_ns && now >= l->next_frame)
		frame_due(l, now);
	if (now >= l->next_take)
		take_due(l);
	attend_screen(l);
	if (now >= l->next_alive) {
		l->done |= session_subject_gone(&l->session);
		l->next_alive = now + ALIVE_NS;
	}
}

static void loop(struct live *l)
{
	uint64_t now = now_ns();

	l->next_frame = now + l->o->interval_ns;
	l->next_take = now + TAKE_NS;
	l->next_alive = now + ALIVE_NS;
	l->end = l->o->duration_ns ? now + l->o->duration_ns : 0;
	while (!l->done)
		step(l);
}

/* --- from start to end ------------------------------------------------------------ */

static int start_output(struct live *l)
{
	int err, status;

	if (l->o->command == COMMAND_RECORD)
		return recorder_open(&l->recorder, &l->session);
	status = output_open(&l->output, l->o->output);
	if (status != EXIT_OK)
		return status;
	l->render = l->o->render;
	err = l->o->format->start ? l->o->format->start(l->output.stream, &l->o->by, &l->render) : 0;
	if (err) {
		fail(l, err, "cannot format the output");
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int prepare(struct live *l)
{
	int err, status = session_open(&l->session, l->o);

	if (status == EXIT_OK && l->o->argv) {
		err = child_prepare(&l->child, l->o->argv, l->o->command_as_root);
		if (err) {
			log_error("cannot start %s: %s", l->o->argv[0], strerror(-err));
			return EXIT_FAILED;
		}
	}
	status = status ?: session_attach(&l->session, l->child.pid);
	status = status ?: start_output(l);
	status = status ?: fullscreen_open(&l->full, &l->session);
	status = status ?: session_begin(&l->session, &l->o->by);
	status = status ?: session_ready(&l->session);
	if (status == EXIT_OK && l->child.pid)
		status = child_start(&l->child, l->o->argv[0]);
	return status;
}

static void finish_recording(struct live *l, uint64_t now)
{
	struct output out = standard_output();
	int err = recorder_finish(&l->recorder, now);

	if (err)
		fail(l, err, "cannot write the recording");
	else if (!l->quiet)
		check_output(l, output_flush(&out));
}

static void finish(struct live *l)
{
	bool drawn = l->full.screen, due = now_ns() >= l->next_frame;
	int err = session_stop(&l->session);
	uint64_t now = now_ns(); /* things were seen until then */

	fullscreen_close(&l->full);
	if (fullscreen_end(&l->full))
		l->status = EXIT_FAILED;
	if (err)
		fail(l, err, "cannot make the summary");
	if (!l->quiet && !drawn && l->o->interval_ns)
		show_interval(l, now, due);
	if (!l->quiet || l->o->fail_on.n)
		show_whole(l, now, SNAPSHOT_SUMMARY);
	if (l->recorder.writer)
		finish_recording(l, now);
}

/* COMMAND outlives a run that its own end did not end, and may still be told to end; its status is the run's. */
static void wait_for_child(struct live *l)
{
	struct pollfd signals = {.fd = l->signal_fd, .events = POLLIN};
	struct signal_event e;

	if (!l->child.pid)
		return;
	while (!child_ended(&l->child, false)) {
		poll(&signals, 1, -1);
		while ((e = signals_next(l->signal_fd)).number)
			if (ends_run(e))
				stop_requested(l, e);
	}
	if (l->status == EXIT_OK)
		l->status = l->child.status;
}

static void clean_up(struct live *l)
{
	int err;

	fullscreen_close(&l->full);
	recorder_discard(&l->recorder);
	err = output_close(&l->output);
	if (err && err != -EPIPE && l->status == EXIT_OK)
		l->status = EXIT_FAILED;
	child_abandon(&l->child);
	session_close(&l->session);
	close(l->signal_fd);
}

int live_run(const struct options *o)
{
	struct live l = {.o = o, .child = {.go = -1}};

	l.signal_fd = signals_open();
	if (l.signal_fd < 0) {
		log_error("cannot watch signals: %s", strerror(-l.signal_fd));
		return EXIT_FAILED;
	}
	l.status = prepare(&l);
	if (l.status == EXIT_OK) {
		loop(&l);
		finish(&l);
		wait_for_child(&l);
	}
	clean_up(&l);
	if (l.failed_on && l.status == EXIT_OK)
		l.status = EXIT_FINDING;
	return l.status;
}
