// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a web configuration file, and as an address to listen on: what is taken is whole. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "serve/listen.h"
#include "serve/webconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void read_config(const uint8_t *data, size_t size)
{
	int fd = memfd_create("web", 0), status;
	struct webconfig w;
	char path[32];

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = webconfig_read(&w, path);
	require(status == EXIT_OK || status == EXIT_USAGE || status == EXIT_FAILED);
	if (status == EXIT_OK) {
		require(!w.certificate == !w.key);
		for (size_t i = 0; i < w.n_users; i++)
			require(w.users[i].name && w.users[i].hash);
		require(!w.n_users || webconfig_ask(&w, NULL, NULL, 1) == WEB_REFUSED);
	}
	webconfig_free(&w);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), why[200] = "";

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	require(!listen_check(text, why, sizeof(why)) || why[0]);
	read_config(data, size);
	free(text);
	return 0;
}
