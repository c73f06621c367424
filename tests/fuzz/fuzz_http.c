// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as what a client sends to the metrics server, over a socket: it gets answers that begin as such, or none, and
 * the connection ends.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/accept.h"
#include "serve/http.h"

#define ROUNDS 100
#define STEP_NS 1000000000ull

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_len = sizeof(address);
static uint64_t now_ns;

static void require(int holds)
{
	if (!holds)
		abort();
}

static uint64_t version(void *ctx, enum http_page page)
{
	return 1;
}

static void make(void *ctx, enum http_page page, FILE *out)
{
	fputs("page\n", out);
}

/* On an address that the kernel chooses, without a name in any folder. */
static struct http *start(void)
{
	static struct web_user user = {"u", "$2b$04$CCCCCCCCCCCCCCCCCCCCC.rsix8.6cW7hqDrq/YjHQ/0WovwX.oT."};
	static struct webconfig web = {.users = &user, .n_users = 1};
	const struct http_source source = {version, make, NULL};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct http *h;

	require(fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)));
	require(!getsockname(fd, (struct sockaddr *)&address, &address_len) && !listen(fd, 8));
	require(!http_start(&h, fd, &web, &source));
	return h;
}

/* Until the server closes, for which its clock runs fast. */
static void talk(struct http *h, int fd)
{
	char answer[4096];
	ssize_t n = -1, first = 1;

	for (int i = 0; n && i < ROUNDS; i++) {
		http_run(h, now_ns += STEP_NS);
		n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
		require(!(n > 8 && first) || !memcmp(answer, "HTTP/1.", 7));
		first = first && n <= 0;
	}
	require(n <= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct http *h;
	char *text = strndup((const char *)data, size);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (!h)
		h = start();
	require(text && accept_form(text) < PROMETHEUS_FORMS);
	free(text);
	require(fd >= 0 && !connect(fd, (struct sockaddr *)&address, address_len));
	require(send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size && !shutdown(fd, SHUT_WR));
	talk(h, fd);
	close(fd);
	http_run(h, now_ns += STEP_NS);
	return 0;
}
