// SPDX-License-Identifier: GPL-2.0
/*
 * One loop over a clock and a few descriptors: reads the rings on a timer, renders frames,
 * obeys signals, watches for whatever ends the run. Everything it does is done elsewhere.
 */
#include "cli/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "capture/writer.h"
#include "cli/child.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/target.h"
#include "cli/verdict.h"
#include "collect/cgroupfs.h"
#include "collect/facts.h"
#include "collect/hostfs.h"
#include "collect/tracer.h"
#include "stats/run.h"

#define DRAIN_LEAST_NS 1000000ull	/* between two looks at the rings */
#define DRAIN_MOST_NS  100000000ull
#define DRAIN_FILL     0.25		/* how full they may be then; the rest is for a rush */
#define TAKE_NS	       1000000000ull	/* between two looks at what was counted in the kernel */
#define ALIVE_NS       500000000ull	/* between two looks whether the subject still exists */

struct live {
	const struct options *o;
	struct cgroupfs cgroups;
	struct target target;
	struct tracer *tracer;
	struct facts *facts;
	struct run *run;
	struct output output;
	struct capture_writer *capture;	/* of `record`; then nothing is rendered */
	struct render_options render;
	struct child child;
	int signal_fd;
	uint64_t last_drain, next_drain, next_take, next_frame, next_alive, end;
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

static void fail(struct live *l, int err, const char *what)
{
	log_error("%s: %s", what, strerror(-err));
	l->status = EXIT_FAILED;
	l->done = true;
}

/* --- events and frames ------------------------------------------------------------ */

/* An event that does not decode is counted by the run; tracing goes on. */
static int take_event(void *ctx, const void *data, size_t size)
{
	struct live *l = ctx;
	int err = run_event(l->run, data, size);

	if (err == -ENOMEM)
		return err;
	return l->capture ? capture_add(l->capture, data, size) : 0;
}

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

static void render(struct live *l, const struct snapshot *s)
{
	int err;

	if (l->capture) {
		err = capture_flush(l->capture);
		if (err)
			fail(l, err, "cannot write the recording");
		return;
	}
	l->render.width = output_width(&l->output);
	err = l->o->format->snapshot(l->output.stream, s, &l->render);
	if (err)
		fail(l, err, "cannot format the output");
	else
		check_output(l, output_flush(&l->output));
}

static int take_all(struct live *l)
{
	const struct sink sink = facts_sink(l->facts);

	l->next_take = now_ns() + TAKE_NS;
	return tracer_drain_all(l->tracer, &sink);
}

static void take_due(struct live *l)
{
	int err = take_all(l);

	if (err)
		fail(l, err, "cannot read what the kernel counted");
}

static void show_interval(struct live *l, uint64_t now, bool even_empty)
{
	struct snapshot s;
	int err = take_all(l) ?: facts_counters(l->facts) ?: run_interval(l->run, now, &s);

	if (err)
		fail(l, err, "cannot make a frame");
	else if (even_empty || s.n_rows)
		render(l, &s);
}

static void show_whole(struct live *l, uint64_t now, enum snapshot_type type)
{
	struct snapshot s;
	int err = take_all(l) ?: facts_counters(l->facts) ?: run_whole(l->run, now, type, &s);

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

static void obey_signals(struct live *l)
{
	struct signal_event e;

	while ((e = signals_next(l->signal_fd)).number) {
		if (e.number == SIGUSR1)
			show_whole(l, now_ns(), SNAPSHOT_ASKED);
		else if (e.number == SIGCHLD)
			l->done |= child_ended(&l->child, false);
		else
			stop_requested(l, e);
	}
}

static bool host_has(void *ctx, const char *file)
{
	const struct live *l = ctx;
	struct hostfs host;
	bool there;

	if (hostfs_open(&host, l->cgroups.root))
		return false;
	there = hostfs_exists(&host, file);
	hostfs_close(&host);
	return there;
}

/* A run that watches given processes, cgroups or disks ends with the last of them, one of containers
 * when none can come back under the name. Names and users may come again. */
static void check_subject(struct live *l)
{
	if (l->target.n_pids && !run_selected_alive(l->run) && !l->child.pid)
		l->done = true;
	if (!target_alive(&l->target, &l->cgroups))
		l->done = true;
	if (!l->child.pid && run_places_ended(l->run, host_has, l))
		l->done = true;
}

/* --- the loop --------------------------------------------------------------------- */

static uint64_t earliest(const struct live *l)
{
	uint64_t t = l->next_drain < l->next_alive ? l->next_drain : l->next_alive;

	if (l->o->interval_ns && l->next_frame < t)
		t = l->next_frame;
	return l->end && l->end < t ? l->end : t;
}

/* Waits until something is due, a signal comes or the output's reader goes away. */
static void wait_for(struct live *l, uint64_t until)
{
	struct pollfd fds[] = {
		{.fd = l->signal_fd, .events = POLLIN},
		{.fd = fileno(l->output.stream)},
	};
	uint64_t now = now_ns(), left = until > now ? until - now : 0;
	const struct timespec ts = {left / 1000000000, left % 1000000000};

	if (ppoll(fds, 2, &ts, NULL) <= 0)
		return;
	if (fds[1].revents & POLLERR)
		check_output(l, -EPIPE);
}

/* When the fullest ring will be as full as it may be, if it fills as fast as since the last time. */
static uint64_t drain_again(struct live *l, uint64_t now)
{
	double fill = tracer_fullest_ring(l->tracer);
	double pause = (double)(now - l->last_drain) * DRAIN_FILL;

	l->last_drain = now;
	if (pause > DRAIN_MOST_NS * fill)
		return now + DRAIN_MOST_NS;
	return now + (pause > DRAIN_LEAST_NS * fill ? (uint64_t)(pause / fill) : DRAIN_LEAST_NS);
}

static void drain_due(struct live *l, uint64_t now)
{
	const struct sink sink = facts_sink(l->facts);
	int more = tracer_drain(l->tracer, &sink);

	if (more < 0)
		fail(l, more, "cannot read the ring buffers");
	l->next_drain = more > 0 ? now : drain_again(l, now);
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
	if (now >= l->next_drain)
		drain_due(l, now);
	if (l->o->interval_ns && now >= l->next_frame)
		frame_due(l, now);
	if (now >= l->next_take)
		take_due(l);
	if (now >= l->next_alive) {
		check_subject(l);
		l->next_alive = now + ALIVE_NS;
	}
	if (l->end && now >= l->end)
		l->done = true;
}

static void loop(struct live *l)
{
	uint64_t now = now_ns();

	l->last_drain = now;
	l->next_drain = now + DRAIN_LEAST_NS;
	l->next_frame = now + l->o->interval_ns;
	l->next_take = now + TAKE_NS;
	l->next_alive = now + ALIVE_NS;
	l->end = l->o->duration_ns ? now + l->o->duration_ns : 0;
	while (!l->done)
		step(l);
}

/* --- from start to end ------------------------------------------------------------ */

static int start_recording(struct live *l)
{
	int err = capture_create(&l->capture, dup(fileno(l->output.stream)));

	if (!err)
		return EXIT_OK;
	log_error("cannot write to %s: %s", l->o->output, strerror(-err));
	return EXIT_FAILED;
}

static int start_output(struct live *l)
{
	int err, status = output_open(&l->output, l->o->output);

	if (status != EXIT_OK)
		return status;
	if (l->o->command == COMMAND_RECORD)
		return start_recording(l);
	l->render = l->o->render;
	err = l->o->format->start ? l->o->format->start(l->output.stream, &l->o->by, &l->render) : 0;
	if (err) {
		fail(l, err, "cannot format the output");
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int start_tracing(struct live *l)
{
	const struct run_options ro = {
		.by = l->o->by,
		.selection = &l->target.selection,
		.stuck_ns = l->o->stuck_ns,
	};
	const struct sink sink = {take_event, l};
	int err = run_new(&l->run, &ro);

	err = err ?: facts_new(&l->facts, l->tracer, &l->cgroups, &sink);
	err = err ?: target_tree(&l->target, l->tracer);
	err = err ?: facts_begin(l->facts, &l->target.knobs);
	if (!err)
		return EXIT_OK;
	log_error("cannot start tracing: %s", strerror(-err));
	return EXIT_FAILED;
}

/* --name has to fit a process that is there, unless COMMAND may become it. */
static int check_names(const struct live *l)
{
	if (!l->o->names.n || l->child.pid || run_selected_alive(l->run))
		return EXIT_OK;
	log_error("--name '%s'%s: no such process", l->o->names.at[0],
		  l->o->names.n > 1 ? " and others" : "");
	return EXIT_USAGE;
}

static int refuse_place(const struct live *l, const char *option, const struct words *words)
{
	log_error("--%s %s%s: nothing of that name here%s", option, words->at[0],
		  words->n > 1 ? " and others" : "",
		  l->cgroups.host_pids ? "" : "; the host's files cannot be seen from inside of this "
					      "container: run it with --pid=host, or give --root");
	return EXIT_USAGE;
}

/* The same for containers, pods and jobs. */
static int check_places(const struct live *l)
{
	if (l->child.pid || !run_places_ended(l->run, NULL, NULL))
		return EXIT_OK;
	if (l->o->containers.n)
		return refuse_place(l, "container", &l->o->containers);
	return l->o->pods.n ? refuse_place(l, "pod", &l->o->pods)
			    : refuse_place(l, "job", &l->o->jobs);
}

static int say_ready(const struct live *l)
{
	int fd = l->o->ready_fd;

	if (fd < 0)
		return EXIT_OK;
	if (write(fd, "\n", 1) != 1) {
		log_error("cannot write to --ready-fd %d: %s", fd, strerror(errno));
		return EXIT_FAILED;
	}
	close(fd);
	return EXIT_OK;
}

/* The descriptor is this program's alone: COMMAND must not hold it open. */
static int check_ready(const struct live *l)
{
	int fd = l->o->ready_fd;

	if (fd < 0 || !fcntl(fd, F_SETFD, FD_CLOEXEC))
		return EXIT_OK;
	log_error("--ready-fd %d: %s", fd, strerror(errno));
	return EXIT_USAGE;
}

static int prepare(struct live *l)
{
	int err, status = check_ready(l);

	if (status != EXIT_OK)
		return status;
	err = cgroupfs_open(&l->cgroups, l->o->root);
	if (err) {
		log_error("cannot read /proc/self/mountinfo: %s", strerror(-err));
		return EXIT_FAILED;
	}
	if (l->o->argv) {
		err = child_prepare(&l->child, l->o->argv, l->o->command_as_root);
		if (err) {
			log_error("cannot start %s: %s", l->o->argv[0], strerror(-err));
			return EXIT_FAILED;
		}
	}
	status = target_resolve(&l->target, l->o, &l->cgroups, l->child.pid);
	status = status ?: tracer_open(&l->tracer, &l->target.knobs, l->o->buffer_size,
				       l->o->btf);
	status = status ?: tracer_attach(l->tracer);
	status = status ?: start_output(l);
	status = status ?: start_tracing(l);
	status = status ?: check_names(l);
	status = status ?: check_places(l);
	status = status ?: say_ready(l);
	if (status == EXIT_OK && l->child.pid)
		status = child_start(&l->child, l->o->argv[0]);
	return status;
}

static void finish_recording(struct live *l, uint64_t now)
{
	uint64_t requests = capture_requests(l->capture), bytes = capture_bytes(l->capture);
	char size[UNITS_LEN];
	int err = capture_close(l->capture, now);

	l->capture = NULL;
	if (err)
		fail(l, err, "cannot write the recording");
	else
		printf("%s: %" PRIu64 " requests, %s\n", l->o->output, requests,
		       fmt_bytes(size, bytes));
}

/* The order keeps the disks' own counts from running ahead of what was seen. */
static void finish(struct live *l)
{
	const struct sink sink = facts_sink(l->facts);
	uint64_t now = now_ns();
	int err = tracer_drain(l->tracer, &sink);

	err = err < 0 ? err : facts_freeze(l->facts);

	tracer_detach(l->tracer);
	if (err)
		fail(l, err, "cannot make the summary");
	if (!l->quiet && l->o->interval_ns)
		show_interval(l, now, false);
	if (!l->quiet || l->o->fail_on.n)
		show_whole(l, now, SNAPSHOT_SUMMARY);
	if (l->capture)
		finish_recording(l, now);
}

/* COMMAND outlives a run that its own end did not end; its status is the run's. */
static void wait_for_child(struct live *l)
{
	if (!l->child.pid)
		return;
	child_ended(&l->child, true);
	if (l->status == EXIT_OK)
		l->status = l->child.status;
}

static void clean_up(struct live *l)
{
	int err = output_close(&l->output);

	if (err && err != -EPIPE && l->status == EXIT_OK)
		l->status = EXIT_FAILED;
	child_abandon(&l->child);
	facts_free(l->facts);
	run_free(l->run);
	tracer_close(l->tracer);
	target_free(&l->target);
	cgroupfs_close(&l->cgroups);
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
