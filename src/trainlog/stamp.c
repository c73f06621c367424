// SPDX-License-Identifier: GPL-2.0
/*
 * One expression a form, the first match in the line wins. What looks like a date but is none (a 13th month) is no
 * stamp; neither is a time of day alone, whose day nobody knows.
 */
#include "trainlog/stamp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/regex.h"
#include "base/units.h"

#define NSEC	 1000000000ll
#define YEAR_END 2200 /* beyond, nanoseconds of 64 bits end soon */

#define TIME "(?<H>\\d\\d?)[:时](?<M>\\d\\d)[:分](?<S>\\d\\d)秒?(?:[.,](?<f>\\d{1,9})\\d*)?"
#define ZONE "(?:\\s?(?<z>Z(?![a-z])|UTC|GMT|[+-]\\d\\d:?\\d\\d(?!\\d)))?"
#define MONTH "(?<b>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
/* When it will be done is not when it was said. */
#define NOT_THEN "(?<!eta )(?<!eta: )(?<!eta:)(?<!until )(?<!finish: )(?<!预计)(?<!预计 )(?<!预计:)(?<!预计完成: )"

static const char *const forms[] = {
	/* ISO 8601, Python's logging, Paddle's, Chinese dates */
	NOT_THEN "(?<!\\d)(?<Y>\\d{4})[-/.年](?<m>\\d\\d?)[-/.月](?<d>\\d\\d?)日?[T_ ,]{1,2}" TIME ZONE "(?!\\d)",
	/* Hugging Face's: month first */
	NOT_THEN "(?<![\\d/])(?<m>\\d\\d?)/(?<d>\\d\\d?)/(?<Y>\\d{4})[T ,]{1,2}" TIME ZONE "(?!\\d)",
	/* glog, absl */
	"(?<![a-z\\d])[IWEF](?<m>[01]\\d)(?<d>[0-3]\\d) " TIME "(?!\\d)",
	/* detectron2 */
	NOT_THEN "(?<![\\d/-])(?<m>[01]?\\d)[/-](?<d>[0-3]?\\d) " TIME ZONE "(?!\\d)",
	/* ctime, syslog */
	"(?<![a-z])" MONTH " +(?<d>[0-3]?\\d) " TIME "(?: (?<Y>\\d{4})(?!\\d))?",
	/* HTTP and others: day, month's name, year */
	"(?<!\\d)(?<d>[0-3]?\\d)[ /-]" MONTH "[ /-](?<Y>\\d{4})[: ]" TIME ZONE "(?!\\d)",
	/* seconds, or milliseconds, since 1970: before the line, or as a JSON field */
	"^\\W?(?<u>[12]\\d{9})(?:\\.(?<f>\\d{1,9})\\d*)?(?![\\d.])",
	("[\"'](?:@?timestamp|time|ts|t|created|date|datetime|asctime)[\"']: ?[\"']?(?<u>[12]\\d{9})"
	 	"(?:\\.(?<f>\\d{1,9})\\d*|(?<f>\\d{3}|\\d{6}|\\d{9}))?(?![\\d.])"),
};
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

struct stamps {
	struct regex *forms[N_FORMS];
};

void stamps_free(struct stamps *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < N_FORMS; i++)
		regex_free(s->forms[i]);
	free(s);
}

int stamps_new(struct stamps **out)
{
	struct stamps *s = calloc(1, sizeof(*s));
	char why[128];
	int err = s ? 0 : -ENOMEM;

	*out = NULL;
	for (size_t i = 0; !err && i < N_FORMS; i++)
		err = regex_new(&s->forms[i], forms[i], true, why, sizeof(why));
	if (err)
		stamps_free(s);
	else
		*out = s;
	return err;
}

/* --- reading one ------------------------------------------------------------------- */

static int number(const struct regex *r, const char *name, int otherwise)
{
	char text[16];
	uint64_t n;

	return regex_text(r, name, text, sizeof(text)) && !parse_u64(text, &n) && n <= INT_MAX ? (int)n : otherwise;
}

/* ".5" is half a second. */
static long fraction_ns(const struct regex *r)
{
	char text[10];
	uint64_t ns;
	size_t len;

	if (!regex_text(r, "f", text, sizeof(text)) || parse_u64(text, &ns))
		return 0;
	for (len = strlen(text); len < 9; len++)
		ns *= 10;
	return (long)ns;
}

static int month(const struct regex *r)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	char text[4];
	const char *at;

	if (!regex_text(r, "b", text, sizeof(text)))
		return number(r, "m", 0);
	for (char *c = text; *c; c++)
		*c |= 0x20;
	at = strstr(names, text);
	return at ? (int)(at - names) / 3 + 1 : 0;
}

/* The zone's offset from UTC in seconds; false: none is told. */
static bool zone(const struct regex *r, long *seconds)
{
	char text[8];
	uint64_t minutes;
	int hours;

	*seconds = 0;
	if (!regex_text(r, "z", text, sizeof(text)))
		return false;
	if (text[0] != '+' && text[0] != '-')
		return true;
	hours = (text[1] - '0') * 10 + text[2] - '0';
	if (parse_u64(text + (text[3] == ':' ? 4 : 3), &minutes))
		return false;
	*seconds = (text[0] == '-' ? -1 : 1) * (hours * 3600l + (long)minutes * 60);
	return true;
}

/* Calendar time to seconds since 1970; false: no such day, or no such time. */
static bool seconds_of(const struct tm *asked, bool has_zone, long offset, long long *out)
{
	struct tm tm = *asked;
	time_t t = has_zone ? timegm(&tm) : mktime(&tm);

	if (tm.tm_mday != asked->tm_mday || tm.tm_mon != asked->tm_mon)
		return false;
	*out = (long long)t - offset;
	return *out >= 0;
}

static bool plausible(const struct tm *tm)
{
	return tm->tm_year >= 70 && tm->tm_year < YEAR_END - 1900 && tm->tm_mon >= 0 && tm->tm_mon < 12 &&
	       tm->tm_mday >= 1 && tm->tm_mday <= 31 && tm->tm_hour < 24 && tm->tm_min < 60 &&
	       tm->tm_sec <= 60;
}

/* A stamp without a year is of the year that brings it nearest. */
static bool nearest_year(struct tm *tm, bool has_zone, long offset, uint64_t near_ns, long long *out)
{
	long long near = (long long)(near_ns / NSEC), best = 0, t;
	time_t now = (time_t)near;
	struct tm today;
	bool found = false;

	if (!gmtime_r(&now, &today))
		return false;
	for (int year = today.tm_year - 1; year <= today.tm_year + 1; year++) {
		tm->tm_year = year;
		if (!plausible(tm) || !seconds_of(tm, has_zone, offset, &t))
			continue;
		if (!found || llabs(t - near) < llabs(best - near))
			best = t;
		found = true;
	}
	*out = best;
	return found;
}

static bool calendar(const struct regex *r, uint64_t near_ns, long long *seconds)
{
	struct tm tm = {
		.tm_mon = month(r) - 1,
		.tm_mday = number(r, "d", 0),
		.tm_hour = number(r, "H", 0),
		.tm_min = number(r, "M", 0),
		.tm_sec = number(r, "S", 0),
		.tm_isdst = -1,
	};
	int year = number(r, "Y", 0);
	long offset;
	bool has_zone = zone(r, &offset);

	if (!year)
		return nearest_year(&tm, has_zone, offset, near_ns, seconds);
	tm.tm_year = year - 1900;
	return plausible(&tm) && seconds_of(&tm, has_zone, offset, seconds);
}

static bool read_stamp(const struct regex *r, uint64_t near_ns, uint64_t *wall_ns)
{
	long long seconds;
	uint64_t since;
	char text[16];

	if (regex_text(r, "u", text, sizeof(text)) && !parse_u64(text, &since))
		seconds = (long long)since;
	else if (!calendar(r, near_ns, &seconds))
		return false;
	*wall_ns = (uint64_t)seconds * NSEC + (uint64_t)fraction_ns(r);
	return true;
}

bool stamps_find(struct stamps *s, const char *line, size_t len, uint64_t near_ns, uint64_t *wall_ns)
{
	size_t first = len + 1;
	uint64_t ns;

	for (size_t i = 0; i < N_FORMS; i++) {
		struct regex *r = s->forms[i];

		if (!regex_match(r, line, len, 0) || regex_span(r).from >= first ||
		    !read_stamp(r, near_ns, &ns))
			continue;
		first = regex_span(r).from;
		*wall_ns = ns;
	}
	return first <= len;
}
