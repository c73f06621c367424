/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small server of pages that others make: GET and HEAD of three paths, nothing else. Has no threads: the
 * caller waits for its descriptor among others. Who is slow, sends too much or too many
 * requests at once is cut off. The only file that knows libmicrohttpd and GnuTLS.
 */
#ifndef IOLAT_SERVE_HTTP_H
#define IOLAT_SERVE_HTTP_H

#include <stdint.h>
#include <stdio.h>

#include "render/prometheus.h"
#include "serve/webconfig.h"

struct http;

enum http_page {
	HTTP_INDEX,
	HTTP_HEALTH,
	HTTP_METRICS,		/* and as many as there are forms */
	HTTP_PAGES = HTTP_METRICS + PROMETHEUS_FORMS
};

struct http_source {
	/* What is served now has this version; a page of another is made anew. 0: it cannot be had. */
	uint64_t (*version)(void *ctx, enum http_page page);
	void (*make)(void *ctx, enum http_page page, FILE *out);
	void *ctx;
};

/* Serves on a listening socket, which stays the caller's as `web` does. 0 or -errno. */
int http_start(struct http **out, int listen_fd, struct webconfig *web,
	       const struct http_source *source);
void http_stop(struct http *h);	/* NULL is fine */

int http_fd(const struct http *h);		/* readable: there is something to do */
uint64_t http_due(const struct http *h, uint64_t now_ns);	/* so is it then */
void http_run(struct http *h, uint64_t now_ns);	/* does it */

#endif
