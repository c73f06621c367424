// SPDX-License-Identifier: GPL-2.0
/* Splits an address, looks its host up and binds. The first address that a name stands for is taken. */
#include "serve/listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"

#define BACKLOG 512

struct parts {
	char host[256];	/* "": all addresses */
	char port[8];
};

static const char *unix_path(const char *address)
{
	return strncmp(address, "unix:", 5) ? NULL : address + 5;
}

static int refuse(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return -EINVAL;
}

static int check_unix(const char *path, char *why, size_t size)
{
	if (!*path)
		return refuse(why, size, "no path behind 'unix:'");
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return refuse(why, size, "too long for the path of a Unix socket");
	return 0;
}

static int split_host(struct parts *p, const char *address, const char *colon, char *why, size_t size)
{
	size_t len = (size_t)(colon - address);

	if (len && *address == '[') {
		if (address[len - 1] != ']')
			return refuse(why, size, "no ']' before the port");
		address++;
		len -= 2;
	} else if (memchr(address, ':', len)) {
		return refuse(why, size, "an IPv6 address stands in brackets, like [::1]:9435");
	}
	if (len >= sizeof(p->host))
		return refuse(why, size, "the host's name is too long");
	memcpy(p->host, address, len);
	p->host[len] = '\0';
	return 0;
}

static int split(struct parts *p, const char *address, char *why, size_t size)
{
	const char *colon = strrchr(address, ':');
	uint64_t port;

	if (!colon)
		return refuse(why, size, "not ADDR:PORT (like 127.0.0.1:9435) or unix:PATH");
	if (parse_u64(colon + 1, &port) || !port || port > UINT16_MAX)
		return refuse(why, size, "the port is no number from 1 to 65535");
	snprintf(p->port, sizeof(p->port), "%u", (unsigned int)port);
	return split_host(p, address, colon, why, size);
}

int listen_check(const char *address, char *why, size_t size)
{
	const char *path = unix_path(address);
	struct parts p;

	return path ? check_unix(path, why, size) : split(&p, address, why, size);
}

/* --- sockets ---------------------------------------------------------------------- */

static int fail(const char *address, int err)
{
	if (err == EADDRINUSE)
		log_error("cannot listen on %s: it is in use; end what listens there or give another "
			  "--listen", address);
	else
		log_error("cannot listen on %s: %s", address, strerror(err));
	return err == EACCES || err == EPERM ? EXIT_PERM : EXIT_FAILED;
}

static int open_socket(struct listener *l, const struct sockaddr *addr, socklen_t len)
{
	int on = 1;

	l->fd = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return errno;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(l->fd, addr, len) || listen(l->fd, BACKLOG))
		return errno;
	return 0;
}

/* A socket's file that an ended process left; nobody accepts there. */
static bool is_left_over(const struct sockaddr_un *addr)
{
	struct stat st;
	int fd, err;

	if (lstat(addr->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	err = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) ? errno : 0;
	close(fd);
	return err == ECONNREFUSED;
}

/* For its owner and group alone. */
static int open_unix(struct listener *l, const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	mode_t mask;
	int err;

	memcpy(addr.sun_path, path, strlen(path));
	if (is_left_over(&addr))
		unlink(path);
	mask = umask(0117);
	err = open_socket(l, (const struct sockaddr *)&addr, sizeof(addr));
	umask(mask);
	if (!err)
		snprintf(l->path, sizeof(l->path), "%s", path);
	return err;
}

static int open_inet(struct listener *l, const char *address, const struct parts *p)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct addrinfo *found;
	int err = getaddrinfo(*p->host ? p->host : NULL, p->port, &hints, &found);

	if (err) {
		log_error("--listen %s: '%s' is no address: %s", address, p->host, gai_strerror(err));
		return EXIT_USAGE;
	}
	err = open_socket(l, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return err ? fail(address, err) : EXIT_OK;
}

int listen_open(struct listener *l, const char *address)
{
	const char *path = unix_path(address);
	struct parts p;
	char why[128];
	int status;

	*l = (struct listener){.fd = -1};
	if (path) {
		int err = open_unix(l, path);

		status = err ? fail(address, err) : EXIT_OK;
	} else if (split(&p, address, why, sizeof(why))) {
		log_error("--listen %s: %s", address, why);
		status = EXIT_USAGE;
	} else {
		status = open_inet(l, address, &p);
	}
	if (status != EXIT_OK)
		listen_close(l);
	return status;
}

void listen_close(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	if (l->path[0])
		unlink(l->path);
	l->path[0] = '\0';
}
