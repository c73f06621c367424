// SPDX-License-Identifier: GPL-2.0
/*
 * Walks a path from its first segment to its last and asks the table of shapes at each.
 * Nothing is anchored at the root without need: containers stand inside of containers, and
 * whole trees below a prefix.
 */
#include "attrib/cgpath.h"

#include <stdio.h>
#include <string.h>

#include "attrib/pattern.h"
#include "attrib/shapes.h"

#define PATH_LIMIT 4096
#define HEX_ID	   64
#define SHORT_ID   12
#define SHORT_UID  8

struct walk {
	char path[PATH_LIMIT]; /* unescaped, without what names no place */
	bool cut;	       /* began with "/..": seen from another namespace */
	const struct shape *at;	  /* the innermost shape so far */
	char label[CGPATH_LABEL]; /* its own, without the outer ones */
	bool in_pod;
	struct capture got[CAPTURES];
	struct cgpath *out;
};

/* --- the text --------------------------------------------------------------------- */

static int hex_value(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* "\xNN" at s as a character, 0 if it is none. What would end or part the text stays escaped. */
static char escaped(const char *s)
{
	int high, low, c;

	if (s[0] != '\\' || s[1] != 'x')
		return 0;
	high = hex_value(s[2]);
	low = high < 0 ? -1 : hex_value(s[3]);
	c = high * 16 + low;
	return low < 0 || c == '/' || c > 0x7f ? 0 : (char)c;
}

/* systemd's cg_unescape(): a '_' in front of what would look like a kernel file. */
static const char *skip_underscore(const char *segment)
{
	return *segment == '_' ? segment + 1 : segment;
}

static size_t copy_segment(char *to, size_t room, const char *segment, size_t len)
{
	const char *end = segment + len, *s = skip_underscore(segment);
	size_t n = 0;

	while (s < end && n + 1 < room) {
		char c = end - s >= 4 ? escaped(s) : 0;

		to[n++] = c ? c : *s;
		s += c ? 4 : 1;
	}
	to[n] = '\0';
	return n;
}

static bool same(const char *segment, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(segment, word, len);
}

/* Where the path ends: before the " (deleted)" of a removed cgroup (cgroups(7)). */
static size_t path_end(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strnlen(path, PATH_LIMIT - 1);
	size_t mark_len = sizeof(mark) - 1;

	return len >= mark_len && same(path + len - mark_len, mark_len, mark) ? len - mark_len
									      : len;
}

static void normalise(struct walk *w, const char *path)
{
	size_t end = path_end(path), n = 0;

	for (size_t i = 0; i < end;) {
		size_t len = strcspn(path + i, "/");

		if (len > end - i)
			len = end - i;
		if (same(path + i, len, ".."))
			w->cut = true;
		else if (len && n + 1 < sizeof(w->path)) {
			if (n)
				w->path[n++] = '/';
			n += copy_segment(w->path + n, sizeof(w->path) - n, path + i, len);
		}
		i += len + 1;
	}
}

/* --- the label -------------------------------------------------------------------- */

static void add(char *to, size_t size, const char *s, size_t len)
{
	size_t have = strlen(to);

	if (len > size - 1 - have)
		len = size - 1 - have;
	memcpy(to + have, s, len);
	to[have + len] = '\0';
}

static size_t shorter(size_t len, size_t most)
{
	return len < most ? len : most;
}

static bool is_hex_id(const char *s, size_t len)
{
	return len == HEX_ID && pattern_hex(s, HEX_ID) == HEX_ID;
}

static void add_capture(struct walk *w, const struct capture *c, size_t most)
{
	if (c->at)
		add(w->label, sizeof(w->label), c->at, shorter(c->len, most));
}

static void add_code(struct walk *w, char code)
{
	const struct capture *got = w->got, *id = &got[CAPTURE_ID];
	bool hex = id->at && is_hex_id(id->at, id->len);

	switch (code) {
	case 'i':
		return add_capture(w, id, SHORT_ID);
	case 'n':
		return add_capture(w, id, hex ? SHORT_ID : id->len);
	case 'p':
		return add(w->label, sizeof(w->label), w->out->pod_uid,
			   strnlen(w->out->pod_uid, SHORT_UID));
	case 'j':
		return add_capture(w, &got[CAPTURE_JOB], SHORT_UID);
	case 'J':
		return add_capture(w, &got[CAPTURE_JOB], got[CAPTURE_JOB].len);
	case 's':
		return add_capture(w, &got[CAPTURE_STEP], got[CAPTURE_STEP].len);
	case 't':
		return add_capture(w, &got[CAPTURE_TEXT], got[CAPTURE_TEXT].len);
	default:
		return add_capture(w, &got[CAPTURE_USER], got[CAPTURE_USER].len);
	}
}

static void make_label(struct walk *w)
{
	w->label[0] = '\0';
	for (const char *f = w->at->label; *f; f++) {
		if (*f == '%')
			add_code(w, *++f);
		else
			add(w->label, sizeof(w->label), f, 1);
	}
}

/* What was innermost so far is now around something. */
static void push_outer(struct walk *w)
{
	char outer[CGPATH_LABEL] = "@";

	add(outer, sizeof(outer), w->label, strlen(w->label));
	add(outer, sizeof(outer), w->out->label, strlen(w->out->label));
	memcpy(w->out->label, outer, sizeof(outer));
}

/* --- matching --------------------------------------------------------------------- */

static bool is_unit(const struct shape *s)
{
	return s && s->flags & SHAPE_UNIT;
}

static bool may_stand(const struct walk *w, const struct shape *s, const char *at)
{
	if (s->flags & SHAPE_ROOT && at != w->path)
		return false;
	if (s->flags & SHAPE_IN_POD && !w->in_pod)
		return false;
	if (s->flags & SHAPE_IN_USER && !w->got[CAPTURE_USER].at)
		return false;
	if (!(s->flags & SHAPE_UNIT))
		return true;
	return !w->at || (is_unit(w->at) && (!(s->flags & SHAPE_WEAK) || w->at->flags & SHAPE_WEAK));
}

/* Whether another runtime's row names a cgroup of that name: "docker", "lxc", "podruntime". */
static bool is_known_parent(const char *segment, size_t len)
{
	const struct shape *s;

	for (size_t i = 0; (s = shape_at(i)); i++)
		if (s->engine != ENGINE_CONTAINERD && !strncmp(s->pattern, segment, len) &&
		    strchr("/[", s->pattern[len]))
			return true;
	return same(segment, len, "user"); /* /user/1000.user/...: logins before systemd */
}

/* containerd's rule for ids and namespaces (pkg/identifiers): words with one of ".-_" between. */
static bool is_identifier(const char *s, size_t len)
{
	static const char digits_and_letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	bool after_letter = false;

	for (size_t i = 0; i < len; i++) {
		bool letter = strchr(digits_and_letters, s[i]);

		if (!letter && (!after_letter || !strchr(".-_", s[i])))
			return false;
		after_letter = letter;
	}
	return after_letter;
}

static bool is_unit_name(const char *s, size_t len)
{
	static const char *const suffixes[] = {".slice", ".scope", ".service", ".mount",
					       ".socket", ".swap", ".user", ".session"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && same(s + len - n, n, suffixes[i]))
			return true;
	}
	return false;
}

static bool may_be_id(const struct capture *c)
{
	return c->len <= 76 && is_identifier(c->at, c->len) && !is_unit_name(c->at, c->len) &&
	       !is_hex_id(c->at, c->len);
}

static bool may_guess(const struct capture got[CAPTURES])
{
	const struct capture *text = &got[CAPTURE_TEXT], *id = &got[CAPTURE_ID];

	return may_be_id(text) && may_be_id(id) && !is_known_parent(text->at, text->len);
}

/* The first shape that matches at a segment's start, with the length of the match. */
static const struct shape *find(const struct walk *w, const char *at, struct capture got[CAPTURES],
				size_t *len)
{
	const struct shape *s;

	for (size_t i = 0; (s = shape_at(i)); i++) {
		memcpy(got, w->got, sizeof(w->got));
		if (!may_stand(w, s, at))
			continue;
		*len = pattern_match(s->pattern, at, got);
		if (!*len || (s->flags & SHAPE_LAST && at[*len]))
			continue;
		if (!(s->flags & SHAPE_GUESS) || may_guess(got))
			return s;
	}
	return NULL;
}

static void take(char *to, size_t size, const struct capture *c)
{
	size_t len = shorter(c->len, size - 1);

	if (!c->at)
		return;
	memcpy(to, c->at, len);
	to[len] = '\0';
}

static void take_pod(struct walk *w)
{
	char *uid = w->out->pod_uid;

	take(uid, sizeof(w->out->pod_uid), &w->got[CAPTURE_POD]);
	for (char *c = uid; *c; c++)
		if (*c == '_')
			*c = '-';
	w->in_pod = true;
}

static void take_container(struct walk *w)
{
	struct cgpath *out = w->out;

	take(out->id, sizeof(out->id), &w->got[CAPTURE_ID]);
	out->container = w->at->runtime;
	out->engine = w->at->engine;
	out->helper = w->at->flags & SHAPE_HELPER;
	out->by_shape = w->at->flags & SHAPE_GUESS;
	out->task[0] = '\0';
	take(out->task, sizeof(out->task), &w->got[CAPTURE_TEXT]);
	snprintf(out->name, sizeof(out->name), "%s",
		 w->at->flags & SHAPE_NAMED ? strchr(w->label, ':') + 1 : "");
	w->in_pod = false;
}

static void take_job(struct walk *w)
{
	struct cgpath *out = w->out;

	take(out->job, sizeof(out->job), &w->got[CAPTURE_JOB]);
	out->step[0] = '\0';
	take(out->step, sizeof(out->step), &w->got[CAPTURE_STEP]);
	if (w->at->flags & SHAPE_CONTAINER)
		return;
	out->job_engine = w->at->engine;
	take(out->task, sizeof(out->task), &w->got[CAPTURE_TEXT]);
}

/* A pod, or a unit of the host. An id that it has (a podman pod's) is no container's. */
static void take_other(struct walk *w)
{
	take(w->out->id, sizeof(w->out->id), &w->got[CAPTURE_ID]);
	if (w->at->engine == ENGINE_KUBELET)
		w->out->engine = ENGINE_KUBELET;
}

static bool in_container(const struct shape *s)
{
	return s && s->flags & SHAPE_CONTAINER;
}

/* The shape is now the innermost. Captures that it did not make are those from further out. */
static void enter(struct walk *w, const struct shape *s, const struct capture got[CAPTURES])
{
	bool pod = got[CAPTURE_POD].at != w->got[CAPTURE_POD].at;
	bool job = got[CAPTURE_JOB].at != w->got[CAPTURE_JOB].at;

	if (in_container(w->at))
		push_outer(w);
	memcpy(w->got, got, sizeof(w->got));
	w->at = s;
	w->out->runtime = s->runtime;
	if (pod)
		take_pod(w);
	make_label(w);
	if (job)
		take_job(w);
	if (s->flags & SHAPE_CONTAINER)
		take_container(w);
	else if (!w->out->container)
		take_other(w);
	if (!w->out->container)
		w->out->helper = s->flags & SHAPE_HELPER;
}

static void walk(struct walk *w)
{
	struct capture got[CAPTURES];

	for (const char *at = w->path; *at;) {
		size_t len = strcspn(at, "/");
		const struct shape *s = find(w, at, got, &len);

		if (s)
			enter(w, s, got);
		at += s ? len : strcspn(at, "/");
		at += *at == '/';
	}
}

/* Nothing in the table: the root, a place outside of what the reader sees, or unknown. */
static void name_unknown(struct walk *w, const char *path)
{
	struct cgpath *out = w->out;

	if (w->path[0]) {
		out->runtime = "none";
		snprintf(out->label, sizeof(out->label), "cg:%s", path);
	} else {
		out->runtime = w->cut ? "ns-relative" : "host";
		snprintf(out->label, sizeof(out->label), "%s", w->cut ? "?ns" : "host");
	}
}

static uint32_t number(const struct capture *c)
{
	uint64_t n = 0;

	for (size_t i = 0; c->at && i < c->len && n <= UINT32_MAX; i++)
		n = n * 10 + (uint64_t)(c->at[i] - '0');
	return c->at && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void cgpath_parse(const char *path, struct cgpath *out)
{
	struct walk w = {.out = out};

	*out = (struct cgpath){.engine = ENGINE_NONE};
	normalise(&w, path);
	walk(&w);
	out->uid = number(&w.got[CAPTURE_USER]);
	if (!w.at) {
		name_unknown(&w, path);
		return;
	}
	add(w.label, sizeof(w.label), out->label, strlen(out->label));
	memcpy(out->label, w.label, sizeof(out->label));
}

bool cgpath_is_helper(const char *runtime)
{
	const struct shape *s;

	for (size_t i = 0; (s = shape_at(i)); i++)
		if (!strcmp(s->runtime, runtime))
			return s->flags & SHAPE_HELPER;
	return false;
}
