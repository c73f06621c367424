/* SPDX-License-Identifier: GPL-2.0 */
/* Where to listen, from the user's words to a socket. Errors are one line on standard error. */
#ifndef IOLAT_SERVE_LISTEN_H
#define IOLAT_SERVE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#define LISTEN_DEFAULT "127.0.0.1:9435"

struct listener {
	int fd;			/* -1: closed */
	char path[108];		/* of a Unix socket; "": it is none */
};

/* Whether it is an address by its form: ADDR:PORT, [ADDR6]:PORT, NAME:PORT, :PORT (all addresses) or unix:PATH. 0,
 * or -EINVAL with the reason in `why`. */
int listen_check(const char *address, char *why, size_t size);

/* Opens the socket; a Unix socket that nobody listens to any more is replaced. Exit status. */
int listen_open(struct listener *l, const char *address);
void listen_close(struct listener *l);	/* and removes a Unix socket */

#endif
