// SPDX-License-Identifier: GPL-2.0
/* One function for each kind of event that holds a name; a new kind does not build without a decision. */
#include "capture/anonymize.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "iolat/wire.h"

#define ALIAS_LEN 9 /* "x" and seven digits */

void anonymizer_init(struct anonymizer *a)
{
	if (getrandom(&a->salt, sizeof(a->salt), GRND_NONBLOCK) != sizeof(a->salt))
		a->salt = (uintptr_t)a;
}

/* FNV-1a behind a salt that is not kept: a guess cannot be tried. */
static void alias(const struct anonymizer *a, const char *name, size_t len, char out[ALIAS_LEN])
{
	uint64_t h = 14695981039346656037u ^ a->salt;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 1099511628211u;
	h ^= h >> 29;
	h *= a->salt | 1;
	snprintf(out, ALIAS_LEN, "x%07x", (unsigned int)(h >> 36));
}

/* A text in an array; "" says nothing. */
static void hide_text(const struct anonymizer *a, char *text, size_t size)
{
	char other[ALIAS_LEN];
	size_t len = strnlen(text, size);

	if (!len)
		return;
	alias(a, text, len, other);
	memset(text, 0, size);
	memcpy(text, other, size < ALIAS_LEN ? size - 1 : ALIAS_LEN - 1);
}

/* Appends text to what is being put together; false: no room. */
static bool append(char *to, size_t *at, size_t room, const char *text, size_t len)
{
	if (*at + len >= room)
		return false;
	memcpy(to + *at, text, len);
	*at += len;
	return true;
}

/* A path from `from` (`len` bytes), folder by folder. */
static bool append_path(const struct anonymizer *a, char *to, size_t *at, size_t room, const char *from, size_t len)
{
	char other[ALIAS_LEN];
	size_t word;
	bool fits = true;

	for (const char *end = from + len; fits && from < end; from += word) {
		word = *from == '/' ? 1 : strcspn(from, "/");
		if (word > (size_t)(end - from))
			word = (size_t)(end - from);
		if (*from == '/') {
			fits = append(to, at, room, from, 1);
			continue;
		}
		alias(a, from, word, other);
		fits = append(to, at, room, other, strlen(other));
	}
	return fits;
}

/* --- kinds --------------------------------------------------------------------------- */

/* What is left of an event's size when its texts begin at `start`. Results are put there again; false: left out. */
static bool rebuild(struct iolat_head *head, size_t start, const char *texts, size_t len)
{
	if (start + len > UINT16_MAX)
		return false;
	memcpy((char *)head + start, texts, len);
	head->size = (uint16_t)(start + len);
	return true;
}

static int hide_run(const struct anonymizer *a, struct iolat_run *e)
{
	hide_text(a, e->host, sizeof(e->host));
	return 1;
}

/* Names that many have say nothing; the analysis knows workers by them. */
static bool is_common(const char *comm)
{
	return !strncmp(comm, "python", 6) || !strncmp(comm, "pt_", 3);
}

static int hide_task(const struct anonymizer *a, struct iolat_task *e)
{
	e->comm[sizeof(e->comm) - 1] = '\0';
	if (!(e->flags & IOLAT_TASK_KTHREAD) && !is_common(e->comm))
		hide_text(a, e->comm, sizeof(e->comm));
	return 1;
}

static int hide_command(const struct anonymizer *a, struct iolat_command *e)
{
	memset(e->line, 0, sizeof(e->line));
	snprintf(e->line, sizeof(e->line), "iolat (anonymized)");
	e->cut = 0;
	return 1;
}

static int hide_path_at(const struct anonymizer *a, struct iolat_head *head, size_t start)
{
	const char *path = (const char *)head + start;
	char other[32768];
	size_t at = 0;

	if (!append_path(a, other, &at, sizeof(other), path, strnlen(path, head->size - start)))
		return 0;
	other[at++] = '\0';
	return rebuild(head, start, other, at);
}

static int hide_cgroup(const struct anonymizer *a, struct iolat_cgroup *e)
{
	return hide_path_at(a, &e->head, sizeof(*e));
}

static int hide_file(const struct anonymizer *a, struct iolat_file *e)
{
	return hide_path_at(a, &e->head, sizeof(*e));
}

/* Texts with a NUL behind each, of which the first is kept. */
static int hide_texts_at(const struct anonymizer *a, struct iolat_head *head, size_t start)
{
	const char *text = (const char *)head + start, *end = (const char *)head + head->size;
	char other[32768];
	size_t at = 0;
	bool fits = true;

	for (int i = 0; fits && text < end; i++) {
		size_t len = strnlen(text, (size_t)(end - text));

		fits = i ? append_path(a, other, &at, sizeof(other), text, len)
			 : append(other, &at, sizeof(other), text, len);
		fits = fits && append(other, &at, sizeof(other), "", 1);
		text += len + 1;
	}
	return fits && rebuild(head, start, other, at);
}

static int hide_container(const struct anonymizer *a, struct iolat_container *e)
{
	return hide_texts_at(a, &e->head, sizeof(*e));
}

static int hide_fs(const struct anonymizer *a, struct iolat_fs *e)
{
	return hide_texts_at(a, &e->head, sizeof(*e));
}

/* Of an old recording. */
static int hide_dentry(const struct anonymizer *a, struct iolat_dentry *e)
{
	return 0;
}

static int hide_user(const struct anonymizer *a, struct iolat_user *e)
{
	hide_text(a, e->name, sizeof(e->name));
	return 1;
}

static int hide_mark(const struct anonymizer *a, struct iolat_mark *e)
{
	if (e->kind == IOLAT_MARK_NAMED)
		hide_text(a, e->name, sizeof(e->name));
	return 1;
}

static int hide_select(const struct anonymizer *a, struct iolat_select *e)
{
	return e->what == IOLAT_SELECT_UID ? 1 : -EPERM;
}

/* Nothing in them is a name of somebody's. */
#define KEEP(name)                                                                                 \
	static int hide_##name(const struct anonymizer *a, struct iolat_##name *e)                 \
	{                                                                                          \
		return 1;                                                                          \
	}
KEEP(request)
KEEP(share)
KEEP(disk)
KEEP(name)
KEEP(hook)
KEEP(disk_facts)
KEEP(counters)
KEEP(end)
KEEP(aggregate)
KEEP(process_facts)
KEEP(cgroup_gone)
KEEP(wait)
KEEP(other)
KEEP(look)
KEEP(inflight)
KEEP(limit)
KEEP(disk_below)
KEEP(called)
KEEP(gpu)
KEEP(gpu_process)
KEEP(clock)

/* 1: take it, 0: leave it out, or a negative errno. */
static int hide(const struct anonymizer *a, struct iolat_head *head)
{
	switch (head->kind) {
#define X(KIND, name)                                                                              \
	case IOLAT_EV_##KIND:                                                                      \
		return head->size >= sizeof(struct iolat_##name) ? hide_##name(a, (struct iolat_##name *)head) : 0;
		IOLAT_EVENTS(X)
#undef X
	}
	return 0; /* of a newer recorder: who knows what is in it */
}

const void *anonymize(struct anonymizer *a, const void *event, size_t size, int *err)
{
	struct iolat_head *head = (struct iolat_head *)a->event;
	int took;

	*err = 0;
	if (size < sizeof(*head) || size > sizeof(a->event))
		return NULL;
	memcpy(a->event, event, size);
	if (head->size > size)
		return NULL;
	took = hide(a, head);
	if (took < 0)
		*err = took;
	return took > 0 ? head : NULL;
}
