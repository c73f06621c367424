// SPDX-License-Identifier: GPL-2.0
/*
 * libmicrohttpd's daemon, driven from outside through its epoll descriptor. A page is made once a version and
 * shared by all who ask for it. The library's time-out is one of silence; that nobody takes for ever a byte
 * at a time is seen to here.
 */
#include "serve/http.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "attrib/list.h"
#include "base/clock.h"
#include "serve/accept.h"

#define CONNECTIONS   512
#define REQUEST_BYTES 16384	/* memory of a connection: the request's head has to fit */
#define SILENCE_S     10
#define REQUEST_NS    30000000000ull	/* for a request and its answer */
#define PRIORITIES_12 "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define PRIORITIES_13 "NORMAL:-VERS-ALL:+VERS-TLS1.3"
#define SWEEP_NS      1000000000ull

struct connection {
	struct list order;
	int fd;
	uint64_t since_ns;	/* accepted, or done with the request before */
};

struct cached {
	struct MHD_Response *response;
	uint64_t version;
};

struct http {
	struct MHD_Daemon *daemon;
	struct http_source source;
	struct webconfig *web;
	struct cached pages[HTTP_PAGES];
	struct list connections;
	uint64_t now_ns, next_sweep;
	int fd;
};

/* --- pages ------------------------------------------------------------------------ */

static const char *page_type(enum http_page page)
{
	if (page == HTTP_INDEX)
		return "text/html; charset=utf-8";
	if (page == HTTP_HEALTH)
		return "text/plain; charset=utf-8";
	return prometheus_type((enum prometheus_form)(page - HTTP_METRICS));
}

static struct MHD_Response *make_page(struct http *h, enum http_page page)
{
	struct MHD_Response *r;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	h->source.make(h->source.ctx, page, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	r = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	if (!r)
		free(text);
	else
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, page_type(page));
	return r;
}

static struct MHD_Response *get_page(struct http *h, enum http_page page)
{
	uint64_t version = h->source.version(h->source.ctx, page);
	struct cached *c = &h->pages[page];

	if (!version)
		return NULL;
	if (c->response && c->version == version)
		return c->response;
	if (c->response)
		MHD_destroy_response(c->response);
	c->response = make_page(h, page);
	c->version = version;
	return c->response;
}

/* --- requests --------------------------------------------------------------------- */

static enum MHD_Result answer_short(struct MHD_Connection *c, unsigned int status, const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)text,
								 MHD_RESPMEM_PERSISTENT);
	enum MHD_Result queued;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	queued = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return queued;
}

static enum MHD_Result ask_who(struct MHD_Connection *c)
{
	static const char text[] = "Who are you?\n";
	struct MHD_Response *r = MHD_create_response_from_buffer(sizeof(text) - 1, (void *)text,
								 MHD_RESPMEM_PERSISTENT);
	enum MHD_Result queued = r ? MHD_queue_basic_auth_fail_response(c, "iolat", r) : MHD_NO;

	if (r)
		MHD_destroy_response(r);
	return queued;
}

static enum web_answer is_welcome(struct http *h, struct MHD_Connection *c)
{
	char *password = NULL, *name = MHD_basic_auth_get_username_password(c, &password);
	enum web_answer answer = webconfig_ask(h->web, name, password, h->now_ns);

	MHD_free(name);
	MHD_free(password);
	return answer;
}

/* Whether the client's certificate is by who may give one out, if it needs any. */
static bool has_certificate(const struct http *h, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info;
	unsigned int problems;

	if (!h->web->client_ca)
		return true;
	info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	return info && !gnutls_certificate_verify_peers2(info->tls_session, &problems) && !problems;
}

/* HTTP_PAGES: no such page. */
static enum http_page find_page(struct MHD_Connection *c, const char *url)
{
	if (!strcmp(url, "/"))
		return HTTP_INDEX;
	if (!strcmp(url, "/healthz"))
		return HTTP_HEALTH;
	if (!strcmp(url, "/metrics"))
		return HTTP_METRICS + accept_form(MHD_lookup_connection_value(
					      c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
	return HTTP_PAGES;
}

static struct connection *connection_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* What making a page takes is not the client's fault. */
static void restart_clock(struct MHD_Connection *c)
{
	struct connection *k = connection_of(c);

	if (k)
		k->since_ns = monotonic_ns();
}

static enum MHD_Result answer_page(struct http *h, struct MHD_Connection *c, const char *url)
{
	enum http_page page = find_page(c, url);
	struct MHD_Response *r;

	if (page == HTTP_PAGES)
		return answer_short(c, MHD_HTTP_NOT_FOUND, "There are /, /metrics and /healthz.\n");
	r = get_page(h, page);
	restart_clock(c);
	if (!r)
		return answer_short(c, MHD_HTTP_SERVICE_UNAVAILABLE, "It cannot be had at the moment.\n");
	return MHD_queue_response(c, MHD_HTTP_OK, r);
}

static enum MHD_Result answer(struct http *h, struct MHD_Connection *c, const char *url)
{
	if (!has_certificate(h, c))
		return answer_short(c, MHD_HTTP_FORBIDDEN, "Your certificate is missing or not valid.\n");
	switch (is_welcome(h, c)) {
	case WEB_WELCOME:
		return answer_page(h, c, url);
	case WEB_LATER:
		return answer_short(c, MHD_HTTP_TOO_MANY_REQUESTS, "Too many wrong passwords.\n");
	default:
		return ask_who(c);
	}
}

/* Called when the head of a request is there, and again when all of it is; an answer at once ends the
 * connection. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *body,
				  size_t *body_size, void **state)
{
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_short(c, MHD_HTTP_METHOD_NOT_ALLOWED, "Nothing can be written here.\n");
	if (*body_size)
		return answer_short(c, MHD_HTTP_CONTENT_TOO_LARGE, "No request here has a body.\n");
	if (!*state) {
		*state = ctx;
		return MHD_YES;
	}
	return answer(ctx, c, url);
}

/* --- connections ------------------------------------------------------------------ */

static void on_connection(void *ctx, struct MHD_Connection *c, void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	struct connection *k = *state;
	struct http *h = ctx;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (k)
			list_del(&k->order);
		free(k);
		*state = NULL;
		return;
	}
	k = calloc(1, sizeof(*k));
	if (!k)
		return; /* without a limit of its own */
	k->fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	k->since_ns = h->now_ns;
	list_add(&h->connections, &k->order);
	*state = k;
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **state,
			 enum MHD_RequestTerminationCode code)
{
	restart_clock(c);
}

/* The library closes what it finds shut down. */
static void cut_off_slow(struct http *h)
{
	for (struct list *l = h->connections.next; l != &h->connections; l = l->next) {
		const struct connection *k = list_entry(l, struct connection, order);

		if (h->now_ns > k->since_ns + REQUEST_NS)
			shutdown(k->fd, SHUT_RDWR);
	}
}

/* --- the daemon ------------------------------------------------------------------- */

static struct MHD_Daemon *start_daemon(struct http *h, int listen_fd)
{
	bool tls = h->web->certificate;
	struct MHD_OptionItem secure[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, h->web->certificate},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, h->web->key},
		{MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(h->web->tls13 ? PRIORITIES_13 : PRIORITIES_12)},
		{h->web->client_ca ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, h->web->client_ca},
		{MHD_OPTION_END, 0, NULL},
	};
	const struct MHD_OptionItem options[] = {
		{MHD_OPTION_LISTEN_SOCKET, listen_fd, NULL},
		{MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S, NULL},
		{MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_BYTES, NULL},
		{MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, h},
		{MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, h},
		{tls ? MHD_OPTION_ARRAY : MHD_OPTION_END, 0, secure},
		{MHD_OPTION_END, 0, NULL},
	};

	return MHD_start_daemon(MHD_USE_EPOLL | (tls ? MHD_USE_TLS : 0), 0, NULL, NULL, on_request, h, MHD_OPTION_ARRAY,
				options, MHD_OPTION_END);
}

int http_start(struct http **out, int listen_fd, struct webconfig *web,
	       const struct http_source *source)
{
	struct http *h = calloc(1, sizeof(*h));
	const union MHD_DaemonInfo *info;

	*out = h;
	if (!h)
		return -ENOMEM;
	h->source = *source;
	h->web = web;
	list_init(&h->connections);
	h->daemon = start_daemon(h, listen_fd);
	info = h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info) {
		http_stop(h);
		*out = NULL;
		return -EIO;
	}
	h->fd = info->epoll_fd;
	return 0;
}

void http_stop(struct http *h)
{
	if (!h)
		return;
	if (h->daemon) {
		MHD_quiesce_daemon(h->daemon); /* the socket is the caller's */
		MHD_stop_daemon(h->daemon);
	}
	for (int i = 0; i < HTTP_PAGES; i++)
		if (h->pages[i].response)
			MHD_destroy_response(h->pages[i].response);
	free(h);
}

int http_fd(const struct http *h)
{
	return h->fd;
}

uint64_t http_due(const struct http *h, uint64_t now_ns)
{
	uint64_t sweep = list_empty(&h->connections) ? UINT64_MAX : h->next_sweep, due = UINT64_MAX;
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
		due = now_ns + ms * 1000000;
	return due < sweep ? due : sweep;
}

void http_run(struct http *h, uint64_t now_ns)
{
	h->now_ns = now_ns;
	if (now_ns >= h->next_sweep) {
		cut_off_slow(h);
		h->next_sweep = now_ns + SWEEP_NS;
	}
	MHD_run(h->daemon);
}
