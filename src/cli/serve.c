// SPDX-License-Identifier: GPL-2.0
/*
 * One loop over a clock, signals and HTTP. What the kernel counted is taken when somebody asks for it, at most
 * ten times a second, and once an interval at least, so that short-lived containers are named in time.
 */
#include "cli/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/confine.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "collect/blockdev.h"
#include "serve/http.h"
#include "serve/listen.h"
#include "serve/page.h"
#include "stats/metrics.h"

#define FRESH_NS  100000000ull	  /* what was taken is new enough for so long */
#define EXPIRE_NS 60000000000ull  /* between two looks for what is gone */
#define IDLE_NS	  300000000000ull /* what is gone keeps its series for so long */
#define ALIVE_NS  500000000ull

struct serve {
	const struct options *o;
	struct session session;
	struct metrics metrics;
	struct webconfig web;
	struct listener listener;
	struct http *http;
	int signal_fd;
	uint64_t last_take, next_expire, next_alive, end; /* end 0: never */
	const char *host;		/* the run's */
	uint64_t version;		/* of the metrics; 0: none yet, or they cannot be taken */
	bool done;
	int status;
};

static const struct by by = {
	.keys = {BY_CONTAINER, BY_POD, BY_JOB, BY_DEVICE, BY_OP},
	.n = 5,
	.mask = 1u << BY_CONTAINER | 1u << BY_POD | 1u << BY_JOB | 1u << BY_DEVICE | 1u << BY_OP,
};

/* The first reason is said; what fails because of it is not. */
static void fail(struct serve *s, int err, const char *what)
{
	if (s->status == EXIT_OK)
		log_error("%s: %s", what, strerror(-err));
	s->status = EXIT_FAILED;
	s->done = true;
}

/* --- metrics ---------------------------------------------------------------------- */

static void living(void *ctx, const struct container *c, const struct pod *p, const struct job *j)
{
	metrics_living(ctx, c, p, j);
}

static bool device_there(const char *name)
{
	return blockdev_named(name);
}

static void expire(struct serve *s, uint64_t now)
{
	run_each_place(s->session.run, living, &s->metrics);
	metrics_expire(&s->metrics, now, IDLE_NS, device_there);
	s->next_expire = now + EXPIRE_NS;
}

static void take(struct serve *s, uint64_t now)
{
	struct snapshot frame;
	int err = session_update(&s->session) ?: run_interval(s->session.run, now, &frame);

	err = err ?: metrics_take(&s->metrics, &frame, now);
	if (err) {
		fail(s, err, "cannot take what was counted");
		s->version = 0;
		return;
	}
	if (now >= s->next_expire)
		expire(s, now);
	s->host = frame.host;
	s->last_take = now;
	s->version++;
}

static uint64_t source_version(void *ctx, enum http_page page)
{
	struct serve *s = ctx;
	uint64_t now = monotonic_ns();

	if (page != HTTP_HEALTH && now - s->last_take >= FRESH_NS && !s->done)
		take(s, now);
	return s->version;
}

static void source_make(void *ctx, enum http_page page, FILE *out)
{
	struct serve *s = ctx;

	if (page == HTTP_HEALTH)
		fputs("ok\n", out);
	else if (page == HTTP_INDEX)
		page_index(out, &s->metrics, s->host);
	else
		prometheus_write(out, &s->metrics, (enum prometheus_form)(page - HTTP_METRICS),
				 s->last_take);
}

/* --- the loop --------------------------------------------------------------------- */

static void obey_signals(struct serve *s)
{
	struct signal_event e;

	while ((e = signals_next(s->signal_fd)).number) {
		if (e.number == SIGHUP)
			log_warn("ended by SIGHUP: there is nothing to reload; to change options, "
				 "restart it");
		if (e.number == SIGHUP || e.number == SIGINT || e.number == SIGTERM)
			s->done = true;
	}
}

static uint64_t next_take(const struct serve *s)
{
	return s->o->interval_ns ? s->last_take + s->o->interval_ns : UINT64_MAX;
}

static uint64_t earliest(const struct serve *s, uint64_t now)
{
	const uint64_t times[] = {s->session.next_drain, next_take(s), s->next_alive,
				  s->end ?: UINT64_MAX, http_due(s->http, now)};
	uint64_t t = UINT64_MAX;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (times[i] < t)
			t = times[i];
	return t;
}

static void wait_for(const struct serve *s)
{
	struct pollfd fds[] = {
		{.fd = s->signal_fd, .events = POLLIN},
		{.fd = http_fd(s->http), .events = POLLIN},
	};
	uint64_t now = monotonic_ns(), until = earliest(s, now), left = until > now ? until - now : 0;
	const struct timespec ts = {left / 1000000000, left % 1000000000};

	ppoll(fds, 2, &ts, NULL);
}

static void step(struct serve *s)
{
	uint64_t now;
	int err;

	wait_for(s);
	obey_signals(s);
	now = monotonic_ns();
	err = session_drain(&s->session, now);
	if (err)
		fail(s, err, "cannot read the ring buffers");
	if (now >= next_take(s) && !s->done)
		take(s, now);
	http_run(s->http, now);
	if (now >= s->next_alive) {
		s->done |= session_subject_gone(&s->session);
		s->next_alive = now + ALIVE_NS;
	}
	if (s->end && now >= s->end)
		s->done = true;
}

/* --- from start to end ------------------------------------------------------------ */

static int start_http(struct serve *s)
{
	const struct http_source source = {source_version, source_make, s};
	int err = http_start(&s->http, s->listener.fd, &s->web, &source);

	if (!err)
		return EXIT_OK;
	log_error("cannot serve on %s: %s", s->o->listen,
		  s->web.certificate ? "are the certificate and the key in --web-config a pair?"
				     : strerror(-err));
	return EXIT_FAILED;
}

static int prepare(struct serve *s)
{
	uint64_t now;
	int status = webconfig_read(&s->web, s->o->web_config);

	status = status ?: listen_open(&s->listener, s->o->listen);
	if (metrics_init(&s->metrics, s->o->max_series)) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	status = status ?: session_open(&s->session, s->o);
	status = status ?: session_attach(&s->session, 0);
	status = status ?: session_begin(&s->session, &by);
	confine_server();
	status = status ?: start_http(s);
	if (status != EXIT_OK)
		return status;
	now = monotonic_ns();
	s->end = s->o->duration_ns ? now + s->o->duration_ns : 0;
	s->next_expire = now + EXPIRE_NS;
	take(s, now);
	return s->status ?: session_ready(&s->session);
}

static void clean_up(struct serve *s)
{
	http_stop(s->http);
	listen_close(&s->listener);
	session_close(&s->session);
	metrics_free(&s->metrics);
	webconfig_free(&s->web);
	close(s->signal_fd);
}

int serve_run(const struct options *o)
{
	struct serve s = {.o = o, .listener.fd = -1};

	s.signal_fd = signals_open();
	if (s.signal_fd < 0) {
		log_error("cannot watch signals: %s", strerror(-s.signal_fd));
		return EXIT_FAILED;
	}
	s.status = prepare(&s);
	while (s.status == EXIT_OK && !s.done)
		step(&s);
	clean_up(&s);
	return s.status;
}
