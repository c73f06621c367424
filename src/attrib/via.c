// SPDX-License-Identifier: GPL-2.0
/*
 * How kernel threads and work queues are called in `via`. A new kind of stacked device
 * that submits under its own name is one line in `devices`.
 */
#include "attrib/via.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Their threads or queues bear the device's name: one of these and a number. */
static const char *const devices[] = {"loop", "dm-", "md", "bcache"};

static bool is_number(const char *s)
{
	if (!*s)
		return false;
	while (isdigit((unsigned char)*s))
		s++;
	return !*s;
}

static bool is_device(const char *name)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		size_t len = strlen(devices[i]);

		if (!strncmp(name, devices[i], len) && is_number(name + len))
			return true;
	}
	return false;
}

static struct via_text text_of(const char *prefix, const char *name)
{
	struct via_text t = {0};

	snprintf(t.s, sizeof(t.s), "%s%s", prefix, name);
	return t;
}

struct via_text via_of_device(const char *name)
{
	return text_of("", name);
}

struct via_text via_of_queue(const char *queue)
{
	if (!*queue)
		return via_of_comm(NULL);
	if (!strcmp(queue, "writeback") || is_device(queue))
		return text_of("", queue);
	return text_of("kernel thread ", queue);
}

struct via_text via_of_comm(const char *comm)
{
	if (!comm || !*comm)
		return text_of("kernel thread", "");
	if (is_device(comm))
		return text_of("", comm);
	if (!strncmp(comm, "kworker/", strlen("kworker/")))
		return text_of("kernel thread kworker", "");
	return text_of("kernel thread ", comm);
}

void vias_init(struct vias *v)
{
	map_init(&v->texts, sizeof(struct via_text));
}

void vias_free(struct vias *v)
{
	struct via_text *t;

	for (size_t i = 0; (t = map_next(&v->texts, &i, NULL));)
		free(t);
	map_free(&v->texts);
}

static const char *add(struct vias *v, const struct via_text *text)
{
	struct via_text *own = malloc(sizeof(*own));

	if (!own)
		return NULL;
	*own = *text;
	if (map_put(&v->texts, own, own)) {
		free(own);
		return NULL;
	}
	return own->s;
}

const char *vias_intern(struct vias *v, const struct via_text *text)
{
	struct via_text *known = map_get(&v->texts, text);
	struct via_text general;

	if (known)
		return known->s;
	if (v->texts.count < VIA_LIMIT)
		return add(v, text);
	general = via_of_comm(NULL);
	known = map_get(&v->texts, &general);
	return known ? known->s : add(v, &general);
}
