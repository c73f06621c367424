// SPDX-License-Identifier: GPL-2.0
/*
 * Cuts bytes into lines, takes from them what a terminal would not show, and asks stamp.c and mark.c. Most lines of a
 * log say again what the one before said, so only what changes becomes an event.
 */
#include "trainlog/trainlog.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trainlog/mark.h"
#include "trainlog/stamp.h"

#define LINE_MAX_LEN 8192 /* what is behind that in a line is not looked at */
#define FAILED_LEN   80

struct trainlog {
	struct stamps *stamps;
	struct marks *marks;
	char line[LINE_MAX_LEN + 1];
	size_t len;
	bool epochs;	/* one was seen: steps lie inside of it */
	char last[IOLAT_MARK_LEN];
	uint64_t lines; /* ended so far */
	uint64_t found, first_ns, last_ns;
	bool named;	/* `failed` names an epoch or step */
	uint64_t failed_line;
	char failed[FAILED_LEN];
};

int trainlog_new(struct trainlog **out, const char *pattern, char *why, size_t why_size)
{
	struct trainlog *l = calloc(1, sizeof(*l));
	int err = l ? 0 : -ENOMEM;

	*out = NULL;
	err = err ?: stamps_new(&l->stamps);
	err = err ?: marks_new(&l->marks, pattern, why, why_size);
	if (err)
		trainlog_free(l);
	else
		*out = l;
	return err;
}

void trainlog_free(struct trainlog *l)
{
	if (!l)
		return;
	stamps_free(l->stamps);
	marks_free(l->marks);
	free(l);
}

void trainlog_restart(struct trainlog *l)
{
	l->len = 0;
}

/* --- lines as they are meant ---------------------------------------------------------- */

/* The length of a terminal's control sequence at s, 0: there is none. */
static size_t control_sequence(const char *s, const char *end)
{
	const char *at = s;

	if (end - s < 2 || s[0] != '\x1b' || s[1] != '[')
		return 0;
	for (at += 2; at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x40; at++)
		;
	return (size_t)(at - s) + (at < end);
}

/* Code point to UTF-8; its length. */
static size_t put_utf8(char *to, unsigned int cp)
{
	if (cp < 0x80) {
		to[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		to[0] = (char)(0xc0 | cp >> 6);
		to[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | cp >> 12);
	to[1] = (char)(0x80 | (cp >> 6 & 0x3f));
	to[2] = (char)(0x80 | (cp & 0x3f));
	return 3;
}

/* "\u7b2c", as Python's json writes what is not ASCII. Surrogates are left as they stand: no mark needs them. */
static bool escape(const char *s, const char *end, unsigned int *cp)
{
	char hex[5] = "", *rest;

	if (end - s < 6 || s[0] != '\\' || s[1] != 'u')
		return false;
	memcpy(hex, s + 2, 4);
	*cp = (unsigned int)strtoul(hex, &rest, 16);
	return rest == hex + 4 && hex[0] != '-' && hex[0] != '+' && *cp >= 0x80 && (*cp < 0xd800 || *cp > 0xdfff);
}

/* In place, the line only gets shorter. */
static void clean(struct trainlog *l)
{
	const char *from = l->line, *end = l->line + l->len;
	bool json = memchr(l->line, '{', l->len);
	char *to = l->line;
	unsigned int cp;
	size_t skip;

	while (from < end) {
		skip = control_sequence(from, end);
		if (skip) {
			from += skip;
		} else if (json && escape(from, end, &cp)) {
			to += put_utf8(to, cp);
			from += 6;
		} else {
			*to++ = *from++;
		}
	}
	l->len = (size_t)(to - l->line);
	*to = '\0';
}

/* --- marks ---------------------------------------------------------------------------- */

static void note_failed(struct trainlog *l, bool named)
{
	if (l->named || (l->failed_line && !named))
		return;
	l->named = named;
	l->failed_line = l->lines + 1;
	text_printable(l->failed, sizeof(l->failed), l->line);
}

static bool find_time(struct trainlog *l, uint64_t near_ns, uint64_t *wall_ns)
{
	const char *at = l->line;
	size_t len = l->len;

	marks_time(l->marks, &at, &len);
	return stamps_find(l->stamps, at, len, near_ns, wall_ns);
}

static bool says_new(struct trainlog *l, const struct mark *mark)
{
	if (mark->kind == IOLAT_MARK_STEP && l->epochs)
		return false;
	l->epochs |= mark->kind == IOLAT_MARK_EPOCH;
	return mark->what != IOLAT_MARK_INSIDE || strcmp(mark->name, l->last);
}

static int send(struct trainlog *l, const struct mark *mark, uint64_t wall_ns, const struct mark_sink *to)
{
	struct iolat_mark e = {
		.head = {.kind = IOLAT_EV_MARK, .size = sizeof(e)},
		.what = (__u8)mark->what,
		.kind = (__u8)mark->kind,
		.wall_ns = wall_ns,
		.number = mark->number,
		.step = mark->step,
		.steps = mark->steps,
	};

	memcpy(e.name, mark->name, sizeof(e.name));
	memcpy(l->last, mark->name, sizeof(l->last));
	return to->mark(to->ctx, &e);
}

static int take_line(struct trainlog *l, uint64_t near_ns, const struct mark_sink *to)
{
	struct mark mark;
	uint64_t wall_ns;

	clean(l);
	if (!l->len)
		return 0;
	if (!marks_find(l->marks, l->line, l->len, &mark)) {
		note_failed(l, false);
		return 0;
	}
	if (!find_time(l, near_ns, &wall_ns)) {
		note_failed(l, true);
		return 0;
	}
	l->first_ns = l->found++ ? l->first_ns : wall_ns;
	l->last_ns = wall_ns;
	return says_new(l, &mark) ? send(l, &mark, wall_ns, to) : 0;
}

static int end_line(struct trainlog *l, uint64_t near_ns, const struct mark_sink *to)
{
	int err;

	l->line[l->len] = '\0';
	err = take_line(l, near_ns, to);
	l->len = 0;
	return err;
}

/* Progress bars draw their line anew behind a carriage return. */
int trainlog_feed(struct trainlog *l, const char *data, size_t size, uint64_t near_ns, const struct mark_sink *to)
{
	int err = 0;

	for (size_t i = 0; !err && i < size; i++) {
		bool end = data[i] == '\n' || data[i] == '\r';

		if (end)
			err = end_line(l, near_ns, to);
		if (data[i] == '\n')
			l->lines++;
		else if (!end && l->len < LINE_MAX_LEN)
			l->line[l->len++] = data[i] ? data[i] : ' ';
	}
	return err;
}

int trainlog_finish(struct trainlog *l, uint64_t near_ns, const struct mark_sink *to)
{
	return end_line(l, near_ns, to);
}

struct trainlog_found trainlog_found(const struct trainlog *l)
{
	return (struct trainlog_found){
		.marks = l->found,
		.first_ns = l->first_ns,
		.last_ns = l->last_ns,
		.failed_line = l->failed_line,
		.failed = l->failed,
		.lacks = l->named ? "no time stamp" : "no epoch or step",
	};
}
