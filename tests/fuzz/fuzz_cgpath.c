// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a cgroup's path and as a /proc/PID/cgroup: the results end where they should,
 * and say nothing of a container without an id.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attrib/cgpath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check(const struct cgpath *c)
{
	require(c->runtime != NULL);
	require(memchr(c->id, 0, sizeof(c->id)) && memchr(c->pod_uid, 0, sizeof(c->pod_uid)) &&
		memchr(c->job, 0, sizeof(c->job)) && memchr(c->step, 0, sizeof(c->step)) &&
		memchr(c->task, 0, sizeof(c->task)) && memchr(c->name, 0, sizeof(c->name)) &&
		memchr(c->label, 0, sizeof(c->label)));
	require(c->label[0] != 0);
	require(!c->container || c->id[0]);
	require(!c->name[0] || c->container);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), path[64];
	struct cgpath c;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	cgpath_parse(text, &c);
	check(&c);
	if (cgpath_of_task(text, path, sizeof(path)))
		require(memchr(path, 0, sizeof(path)) != NULL);
	free(text);
	return 0;
}
