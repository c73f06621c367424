// SPDX-License-Identifier: GPL-2.0
/* JSON's grammar as a stack of open brackets and what may come next; words are looked at only where they matter. */
#include "render/trace_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum want {
	WANT_VALUE,
	WANT_FIRST,	/* a value, or the end of an empty array */
	WANT_KEY,
	WANT_FIRST_KEY,	/* a key, or the end of an empty object */
	WANT_COLON,
	WANT_MORE,	/* a comma, or the end */
	WANT_NOTHING,
};

void trace_scan_init(struct trace_scan *s)
{
	*s = (struct trace_scan){.want = WANT_VALUE, .empty = true};
	map_init(&s->pids, sizeof(uint32_t));
}

void trace_scan_free(struct trace_scan *s)
{
	map_free(&s->pids);
}

static int refuse(struct trace_scan *s, const char *problem)
{
	s->problem = problem;
	return -EINVAL;
}

static void after_value(struct trace_scan *s)
{
	s->want = s->depth ? WANT_MORE : WANT_NOTHING;
}

/* --- brackets -------------------------------------------------------------------------- */

static bool expects_value(const struct trace_scan *s)
{
	return s->want == WANT_VALUE || s->want == WANT_FIRST;
}

/* Inside of the array of events, at the level of its elements. */
static bool among_events(const struct trace_scan *s)
{
	return s->events_depth && !s->events_done && s->depth == s->events_depth;
}

static int open_bracket(struct trace_scan *s, char c)
{
	if (!expects_value(s))
		return refuse(s, "a bracket where none can be");
	if (s->depth == TRACE_SCAN_DEPTH)
		return refuse(s, "nested too deeply");
	if (!s->depth && c == '[') {
		s->bare = true;
		s->events_depth = 1;
	} else if (s->depth == 1 && c == '[' && s->open[0] == '{' && !strcmp(s->key, "traceEvents")) {
		if (s->events_depth)
			return refuse(s, "traceEvents comes twice");
		s->events_depth = 2;
	} else if (among_events(s)) {
		s->empty = false;
	}
	s->open[s->depth++] = c;
	s->want = c == '{' ? WANT_FIRST_KEY : WANT_FIRST;
	return 0;
}

static int close_bracket(struct trace_scan *s, char c)
{
	bool object = c == '}';
	bool may = s->want == WANT_MORE || s->want == (object ? WANT_FIRST_KEY : WANT_FIRST);

	if (!s->depth || !may || s->open[s->depth - 1] != (object ? '{' : '['))
		return refuse(s, "a closing bracket where none can be");
	if (among_events(s)) {
		s->events_done = true;
		s->events_end = s->at;
	}
	s->depth--;
	after_value(s);
	return 0;
}

/* --- words ------------------------------------------------------------------------------ */

static int take_pid(struct trace_scan *s)
{
	uint64_t pid;
	uint32_t key;

	if (parse_u64(s->text, &pid) || pid > UINT32_MAX || s->pids.count >= TRACE_SCAN_PIDS)
		return 0;
	key = (uint32_t)pid;
	return map_put(&s->pids, &key, s);
}

/* A number or a literal has ended. */
static int end_word(struct trace_scan *s)
{
	static const char *const literals[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
	bool known;

	s->text[s->len < sizeof(s->text) ? s->len : sizeof(s->text) - 1] = '\0';
	s->in_word = false;
	known = strspn(s->text, "-+.0123456789eE") == strlen(s->text) && strpbrk(s->text, "0123456789");
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++)
		known |= !strcmp(s->text, literals[i]);
	if (!known)
		return refuse(s, "neither a number nor a word of JSON");
	if (among_events(s))
		s->empty = false;
	if (s->depth == 1 && !strcmp(s->key, "baseTimeNanoseconds"))
		s->has_base = !parse_u64(s->text, &s->base_ns);
	after_value(s);
	return s->events_depth && s->depth == s->events_depth + 1 && !strcmp(s->key, "pid") ? take_pid(s) : 0;
}

static void end_string(struct trace_scan *s)
{
	bool whole = s->len < sizeof(s->text);

	s->in_string = false;
	s->text[whole ? s->len : 0] = '\0';
	if (s->is_key) {
		memcpy(s->key, s->text, sizeof(s->key));
		s->want = WANT_COLON;
		return;
	}
	if (among_events(s))
		s->empty = false;
	after_value(s);
}

static void keep(struct trace_scan *s, char c)
{
	if (s->len < sizeof(s->text))
		s->text[s->len++] = c;
}

static void in_string(struct trace_scan *s, char c)
{
	if (s->escaped)
		s->escaped = false;
	else if (c == '\\')
		s->escaped = true;
	else if (c == '"') {
		end_string(s);
		return;
	}
	keep(s, c);
}

static int open_string(struct trace_scan *s)
{
	s->is_key = s->want == WANT_KEY || s->want == WANT_FIRST_KEY;
	if (!s->is_key && !expects_value(s))
		return refuse(s, "a string where none can be");
	s->in_string = true;
	s->len = 0;
	return 0;
}

/* --- all of it ---------------------------------------------------------------------------- */

static int comma(struct trace_scan *s)
{
	if (s->want != WANT_MORE)
		return refuse(s, "a comma where none can be");
	s->want = s->open[s->depth - 1] == '{' ? WANT_KEY : WANT_VALUE;
	return 0;
}

static int colon(struct trace_scan *s)
{
	if (s->want != WANT_COLON)
		return refuse(s, "a colon where none can be");
	s->want = WANT_VALUE;
	return 0;
}

static int open_word(struct trace_scan *s, char c)
{
	if (!expects_value(s))
		return refuse(s, s->want == WANT_NOTHING ? "something behind its end" : "a word where none can be");
	s->in_word = true;
	s->len = 0;
	keep(s, c);
	return 0;
}

static int take(struct trace_scan *s, char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		return 0;
	case '{':
	case '[':
		return open_bracket(s, c);
	case '}':
	case ']':
		return close_bracket(s, c);
	case '"':
		return open_string(s);
	case ',':
		return comma(s);
	case ':':
		return colon(s);
	}
	return open_word(s, c);
}

static int step(struct trace_scan *s, char c)
{
	int err = 0;

	if (s->in_string) {
		in_string(s, c);
		return 0;
	}
	if (s->in_word && !strchr(" \t\r\n,]}:[{\"", c)) {
		keep(s, c);
		return 0;
	}
	if (s->in_word)
		err = end_word(s);
	return err ?: take(s, c);
}

int trace_scan_feed(struct trace_scan *s, const char *data, size_t size)
{
	int err = 0;

	for (size_t i = 0; !err && i < size; i++) {
		err = step(s, data[i]);
		s->at += !err;
	}
	return err;
}

int trace_scan_end(struct trace_scan *s)
{
	int err = s->in_word ? end_word(s) : 0;

	if (err)
		return err;
	if (s->want != WANT_NOTHING)
		return refuse(s, s->at ? "it is cut" : "it is empty");
	return s->events_done ? 0 : refuse(s, "it has no traceEvents");
}

bool trace_scan_has_pid(const struct trace_scan *s, uint32_t pid)
{
	return map_get(&s->pids, &pid);
}
