// SPDX-License-Identifier: GPL-2.0
/*
 * Matches by recursion: a code that may take more or less text tries the longest first.
 * Text never runs across a segment's end and is at most NAME_MAX long, so the work is bounded.
 */
#include "attrib/pattern.h"

#include <stdbool.h>
#include <string.h>

#define SEGMENT_MAX 255 /* NAME_MAX */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_base36(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z');
}

/* Crockford's digits, of which Slurm makes its SLUIDs: without I, L, O and U. */
static bool is_crockford(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'Z' && !strchr("ILOU", c));
}

static bool is_text(char c)
{
	return c && c != '/';
}

static size_t run_of(const char *s, bool (*is)(char), size_t max)
{
	size_t n = 0;

	while (n < max && is(s[n]))
		n++;
	return n;
}

size_t pattern_hex(const char *s, size_t max)
{
	return run_of(s, is_hex, max);
}

/* Exactly n of them, and not more. */
static size_t exactly(const char *s, bool (*is)(char), size_t n)
{
	return run_of(s, is, n + 1) == n ? n : 0;
}

/* 8-4-4-4-12 hex digits; systemd's names have `dash` as '_'. */
static size_t uuid(const char *s, char dash)
{
	static const unsigned char groups[] = {8, 4, 4, 4, 12};
	const char *at = s;

	for (size_t i = 0; i < sizeof(groups); i++) {
		if (i && *at++ != dash)
			return 0;
		if (exactly(at, is_hex, groups[i]) == 0)
			return 0;
		at += groups[i];
	}
	return at - s;
}

/* Static pods have 32 digits without dashes. */
static size_t pod_uid(const char *s)
{
	return uuid(s, '-') ?: uuid(s, '_') ?: exactly(s, is_hex, 32);
}

static size_t fargate_id(const char *s)
{
	size_t digits;

	if (!exactly(s, is_hex, 32) || s[32] != '-')
		return 0;
	digits = run_of(s + 33, is_digit, SEGMENT_MAX);
	return digits ? 33 + digits : 0;
}

static size_t sluid(const char *s)
{
	return *s == 's' && exactly(s + 1, is_crockford, 13) ? 14 : 0;
}

/* How much a code takes at s: the only length, or (`*flexible`) the longest of several. */
static size_t take(char code, const char *s, bool *flexible)
{
	*flexible = strchr("NTS*", code);
	switch (code) {
	case 'I':
		return exactly(s, is_hex, 64);
	case 'D':
	case 'd':
	case 'u':
	case 'J':
		return run_of(s, is_digit, SEGMENT_MAX);
	case 'G':
	case 'A':
		return uuid(s, '-');
	case 'B':
		return exactly(s, is_base36, 25);
	case 'F':
		return fargate_id(s);
	case 'E':
		return exactly(s, is_hex, 32) ?: uuid(s, '-');
	case 'U':
		return pod_uid(s);
	case 'H':
		return run_of(s, is_hex, SEGMENT_MAX);
	case 'L':
		return sluid(s);
	default:
		return run_of(s, is_text, SEGMENT_MAX);
	}
}

static struct capture *capture_of(char code, struct capture captures[CAPTURES])
{
	static const char *const codes[CAPTURES] = {
		[CAPTURE_ID] = "INDGBF", [CAPTURE_POD] = "U",  [CAPTURE_JOB] = "JLEAH",
		[CAPTURE_STEP] = "S",	 [CAPTURE_TEXT] = "T", [CAPTURE_USER] = "u",
	};

	for (size_t i = 0; i < CAPTURES; i++)
		if (strchr(codes[i], code))
			return &captures[i];
	return NULL;
}

static const char *match(const char *p, const char *s, struct capture captures[CAPTURES]);

/* A code and the rest of the pattern; the end of the match or NULL. */
static const char *match_code(const char *p, const char *s, struct capture captures[CAPTURES])
{
	struct capture *to = capture_of(*p, captures);
	bool flexible;
	size_t len = take(*p, s, &flexible), least = *p == '*' ? 0 : 1;
	const char *end = NULL;

	if (len < least)
		return NULL;
	for (;; len--) {
		end = match(p + 1, s + len, captures);
		if (end || !flexible || len == least)
			break;
	}
	if (end && to)
		*to = (struct capture){s, len};
	return end;
}

/* "[x]rest": x and the rest, else the rest alone. Groups do not nest. */
static const char *match_optional(const char *p, const char *s, struct capture captures[CAPTURES])
{
	return match(p, s, captures) ?: match(strchr(p, ']') + 1, s, captures);
}

static const char *match(const char *p, const char *s, struct capture captures[CAPTURES])
{
	for (;; p++) {
		if (!*p)
			return is_text(*s) ? NULL : s;
		if (*p == '%')
			return match_code(p + 1, s, captures);
		if (*p == '[')
			return match_optional(p + 1, s, captures);
		if (*p == ']')
			continue;
		if (*p == '(') {
			captures[CAPTURE_ID].at = s;
			continue;
		}
		if (*p == ')') {
			captures[CAPTURE_ID].len = s - captures[CAPTURE_ID].at;
			continue;
		}
		if (*p != *s++)
			return NULL;
	}
}

size_t pattern_match(const char *pattern, const char *s, struct capture captures[CAPTURES])
{
	struct capture found[CAPTURES];
	const char *end;

	memcpy(found, captures, sizeof(found));
	end = match(pattern, s, found);
	if (!end)
		return 0;
	memcpy(captures, found, sizeof(found));
	return end - s;
}
