// SPDX-License-Identifier: GPL-2.0
/*
 * Opens everything that tracing takes in its order, and reads the rings as often as they fill: often
 * enough for a rush, seldom enough to cost nothing.
 */
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/confine.h"
#include "collect/hostfs.h"

#define DRAIN_LEAST_NS 1000000ull	/* between two looks at the rings */
#define DRAIN_MOST_NS  100000000ull
#define GPU_NS	       500000000ull	/* between two samples of the GPUs */
#define DRAIN_FILL     0.25		/* how full they may be then; the rest is for a rush */

static bool is_counted(const struct iolat_head *head)
{
	switch (head->kind) {
	case IOLAT_EV_REQUEST:
	case IOLAT_EV_SHARE:
	case IOLAT_EV_AGGREGATE:
	case IOLAT_EV_WAIT:
	case IOLAT_EV_OTHER:
	case IOLAT_EV_LOOK:
	case IOLAT_EV_INFLIGHT:
		return true;
	}
	return false;
}

/* An event that does not decode is counted by the run; tracing goes on. */
static int take_event(void *ctx, const void *data, size_t size)
{
	struct session *s = ctx;
	int err = s->uncounted && is_counted(data) ? 0 : run_event(s->run, data, size);

	if (err == -ENOMEM)
		return err;
	return s->also.event ? s->also.event(s->also.ctx, data, size) : 0;
}

/* --- the training's log ------------------------------------------------------------- */

/* On the way of all facts: whoever follows them gets marks, too. */
static int take_mark(void *ctx, const struct iolat_mark *e)
{
	const struct session *s = ctx;
	const struct sink sink = facts_sink(s->facts);

	return sink.event(sink.ctx, e, sizeof(*e));
}

static int open_log(struct session *s)
{
	const struct options *o = s->o;

	if (!o->log)
		return EXIT_OK;
	return logfile_open(&s->log, o->log, o->log_pattern, o->argv ? LOGFILE_COMES : LOGFILE_FOLLOW);
}

static int begin_log(struct session *s)
{
	const struct iolat_mark e = {
		.head = {.kind = IOLAT_EV_MARK, .size = sizeof(e)},
		.what = IOLAT_MARK_LOG,
	};

	s->begun_wall = clock_ns(CLOCK_REALTIME);
	return s->log ? take_mark(s, &e) : 0;
}

static int read_log(struct session *s)
{
	return s->log ? logfile_read(s->log, clock_ns(CLOCK_REALTIME), &(struct mark_sink){take_mark, s}) : 0;
}

static int finish_log(struct session *s)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);
	int err;

	if (!s->log)
		return 0;
	err = logfile_finish(s->log, now, &(struct mark_sink){take_mark, s});
	if (!err)
		logfile_judge(s->log, s->begun_wall, now);
	return err;
}

/* --- opening ---------------------------------------------------------------------- */

/* The descriptor is this program's alone: COMMAND must not hold it open. */
static int check_ready(const struct options *o)
{
	int fd = o->ready_fd;

	if (fd < 0 || !fcntl(fd, F_SETFD, FD_CLOEXEC))
		return EXIT_OK;
	log_error("--ready-fd %d: %s", fd, strerror(errno));
	return EXIT_USAGE;
}

int session_open(struct session *s, const struct options *o)
{
	int err, status = check_ready(o);

	s->o = o;
	status = status ?: open_log(s);
	if (status != EXIT_OK)
		return status;
	err = cgroupfs_open(&s->cgroups, o->root);
	if (!err)
		return EXIT_OK;
	log_error("cannot read /proc/self/mountinfo: %s", strerror(-err));
	return EXIT_FAILED;
}

int session_attach(struct session *s, uint32_t child)
{
	const struct options *o = s->o;
	int status = target_resolve(&s->target, o, &s->cgroups, child);

	s->child = child;
	status = status ?: tracer_open(&s->tracer, &s->target.knobs, o->buffer_size, o->btf);
	return status ?: tracer_attach(s->tracer);
}

static int start_tracing(struct session *s, const struct by *by)
{
	const struct run_options ro = {
		.by = *by,
		.detail = s->detail,
		.selection = &s->target.selection,
		.stuck_ns = s->o->stuck_ns,
		.forgets = s->o->command == COMMAND_SERVE,
	};
	const struct sink sink = {take_event, s};
	int err = run_new(&s->run, &ro);

	err = err ?: facts_new(&s->facts, s->tracer, &s->cgroups, &sink);
	err = err ?: target_tree(&s->target, s->tracer);
	err = err ?: facts_begin(s->facts, &s->target.knobs, s->o->command == COMMAND_RECORD);
	err = err ?: begin_log(s);
	s->gpus = gpus_open(NULL);
	if (!err)
		return EXIT_OK;
	log_error("cannot start tracing: %s", strerror(-err));
	return EXIT_FAILED;
}

/* --name has to fit a process that is there, unless COMMAND may become it. */
static int check_names(const struct session *s)
{
	const struct words *names = &s->o->names;

	if (!names->n || s->child || run_selected_alive(s->run))
		return EXIT_OK;
	log_error("--name '%s'%s: no such process", names->at[0], names->n > 1 ? " and others" : "");
	return EXIT_USAGE;
}

static int refuse_place(const struct session *s, const char *option, const struct words *words)
{
	log_error("--%s %s%s: nothing of that name here%s", option, words->at[0],
		  words->n > 1 ? " and others" : "",
		  s->cgroups.host_pids ? "" : "; the host's files cannot be seen from inside of this "
					      "container: run it with --pid=host, or give --root");
	return EXIT_USAGE;
}

/* The same for containers, pods and jobs. */
static int check_places(const struct session *s)
{
	const struct options *o = s->o;

	if (s->child || !run_places_ended(s->run, NULL, NULL))
		return EXIT_OK;
	if (o->containers.n)
		return refuse_place(s, "container", &o->containers);
	return o->pods.n ? refuse_place(s, "pod", &o->pods) : refuse_place(s, "job", &o->jobs);
}

int session_begin(struct session *s, const struct by *by)
{
	int status = start_tracing(s, by);

	status = status ?: check_names(s);
	s->last_drain = monotonic_ns();
	s->next_drain = s->last_drain + DRAIN_LEAST_NS;
	status = status ?: check_places(s);
	if (!status)
		confine_tracer(s->o->command == COMMAND_SERVE);
	return status;
}

int session_ready(const struct session *s)
{
	int fd = s->o->ready_fd;

	if (fd < 0)
		return EXIT_OK;
	if (write(fd, "\n", 1) != 1) {
		log_error("cannot write to --ready-fd %d: %s", fd, strerror(errno));
		return EXIT_FAILED;
	}
	close(fd);
	return EXIT_OK;
}

/* --- reading ---------------------------------------------------------------------- */

/* When the fullest ring will be as full as it may be, if it fills as fast as since the last time. */
static uint64_t drain_again(struct session *s, uint64_t now)
{
	double fill = tracer_fullest_ring(s->tracer);
	double pause = (double)(now - s->last_drain) * DRAIN_FILL;

	s->last_drain = now;
	if (pause > DRAIN_MOST_NS * fill)
		return now + DRAIN_MOST_NS;
	return now + (pause > DRAIN_LEAST_NS * fill ? (uint64_t)(pause / fill) : DRAIN_LEAST_NS);
}

static int sample_gpus(struct session *s, uint64_t now)
{
	const struct sink sink = facts_sink(s->facts);

	if (!s->gpus || now < s->next_gpu)
		return 0;
	s->next_gpu = now + GPU_NS;
	return gpus_sample(s->gpus, now, &sink);
}

int session_drain(struct session *s, uint64_t now)
{
	const struct sink sink = facts_sink(s->facts);
	int more;

	if (now < s->next_drain)
		return 0;
	facts_turn(s->facts);
	more = tracer_drain(s->tracer, &sink);
	s->next_drain = more > 0 ? now : drain_again(s, now);
	return more < 0 ? more : read_log(s) ?: sample_gpus(s, now);
}

int session_take(struct session *s)
{
	const struct sink sink = facts_sink(s->facts);

	facts_turn(s->facts);
	return tracer_drain_all(s->tracer, &sink);
}

int session_update(struct session *s)
{
	return session_take(s) ?: facts_counters(s->facts);
}

/* --- the end ---------------------------------------------------------------------- */

static bool host_has(void *ctx, const char *file)
{
	const struct session *s = ctx;
	struct hostfs host;
	bool there;

	if (hostfs_open(&host, s->cgroups.root))
		return false;
	there = hostfs_exists(&host, file);
	hostfs_close(&host);
	return there;
}

bool session_subject_gone(struct session *s)
{
	if (s->target.n_pids && !run_selected_alive(s->run) && !s->child)
		return true;
	if (!target_alive(&s->target, &s->cgroups))
		return true;
	return !s->child && run_places_ended(s->run, host_has, s);
}

/* The order keeps the disks' own counts from running ahead of what was seen. */
int session_stop(struct session *s)
{
	const struct sink sink = facts_sink(s->facts);
	int err = tracer_drain(s->tracer, &sink);

	err = err < 0 ? err : facts_freeze(s->facts);
	tracer_detach(s->tracer);
	return err ?: finish_log(s);
}

void session_close(struct session *s)
{
	logfile_close(s->log);
	gpus_close(s->gpus);
	facts_free(s->facts);
	run_free(s->run);
	tracer_close(s->tracer);
	target_free(&s->target);
	cgroupfs_close(&s->cgroups);
}
