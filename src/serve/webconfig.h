/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The web configuration file of Prometheus' exporters: TLS and basic authentication, in YAML
 * (prometheus/exporter-toolkit, docs/web-configuration.md). What of it is not done here is refused, not
 * passed over: a server that is less closed than its file says would be worse than none.
 */
#ifndef IOLAT_SERVE_WEBCONFIG_H
#define IOLAT_SERVE_WEBCONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct web_user {
	char *name;
	char *hash;	/* bcrypt */
};

struct webconfig {
	char *certificate, *key;	/* PEM, the files' content; NULL: no TLS */
	char *client_ca;		/* clients must have a certificate by these; NULL: need not */
	bool tls13;			/* no older version */
	struct web_user *users;		/* none: whoever comes */
	size_t n_users;
	char *known;			/* the last "name:password" that was right */
	uint64_t next_try_ns;		/* before that, no other is looked at */
};

enum web_answer { WEB_WELCOME, WEB_REFUSED, WEB_LATER };

/* Reads it; `path` NULL: nobody is refused. Exit status; what is wrong has been said. */
int webconfig_read(struct webconfig *w, const char *path);
void webconfig_free(struct webconfig *w);

/* Whether the user may come in. A password that was not right before takes a tenth of a second of work, which is
 * not done more than a few times a second (then WEB_LATER). NULLs: nobody said who they are. */
enum web_answer webconfig_ask(struct webconfig *w, const char *name, const char *password,
			      uint64_t now_ns);

#endif
