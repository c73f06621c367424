// SPDX-License-Identifier: GPL-2.0
/* Dates are the C library's; fractions and zones, which strptime(3) does not read, are read here. */
#include "base/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

#define SECOND_NS 1000000000ull
#define WALL_MAX  (UINT64_MAX / SECOND_NS - 1) /* s since 1970 */

/* ".25" behind the seconds. */
static const char *take_fraction(const char *s, uint64_t *ns)
{
	uint64_t unit = SECOND_NS;

	*ns = 0;
	if (*s != '.')
		return s;
	for (s++; *s >= '0' && *s <= '9'; s++) {
		unit /= 10;
		*ns += unit * (uint64_t)(*s - '0');
	}
	return s;
}

/* "Z", "+01:00"; false: something else stands there. */
static bool take_zone(const char *s, bool *there, long *east_s)
{
	unsigned int h, m;
	char sign, rest;

	*there = *s;
	*east_s = 0;
	if (!*s || !strcmp(s, "Z"))
		return true;
	if (sscanf(s, "%c%2u:%2u%c", &sign, &h, &m, &rest) != 3 || (sign != '+' && sign != '-') || h > 14 || m > 59)
		return false;
	*east_s = (sign == '-' ? -1 : 1) * (long)(h * 3600 + m * 60);
	return true;
}

/* The C library takes the 30th of February for a day of March. */
static bool is_date(const struct tm *tm)
{
	struct tm day = {.tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday};

	timegm(&day);
	return day.tm_mday == tm->tm_mday;
}

static int parse_wall(const char *s, struct moment *out)
{
	struct tm tm = {.tm_isdst = -1};
	const char *rest = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm) ?: strptime(s, "%Y-%m-%d %H:%M:%S", &tm);
	uint64_t fraction;
	bool zone;
	time_t at;
	long east;

	if (!rest || !is_date(&tm) || !take_zone(take_fraction(rest, &fraction), &zone, &east))
		return -EINVAL;
	at = zone ? timegm(&tm) - east : mktime(&tm);
	if (at < 0 || (uint64_t)at > WALL_MAX)
		return -EINVAL;
	*out = (struct moment){MOMENT_WALL, (uint64_t)at * SECOND_NS + fraction};
	return 0;
}

static int parse_clock(const char *s, struct moment *out)
{
	struct tm tm = {0};
	const char *rest = strptime(s, "%H:%M:%S", &tm) ?: strptime(s, "%H:%M", &tm);
	uint64_t fraction;

	if (!rest || *take_fraction(rest, &fraction))
		return -EINVAL;
	*out = (struct moment){MOMENT_CLOCK,
			       (uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * SECOND_NS + fraction};
	return 0;
}

int moment_parse(const char *s, struct moment *out)
{
	uint64_t ns;

	if (!parse_duration(*s == '+' ? s + 1 : s, &ns)) {
		*out = (struct moment){MOMENT_OFFSET, ns};
		return 0;
	}
	return parse_clock(s, out) ? parse_wall(s, out) : 0;
}

/* What a clock shows that many seconds after midnight; not each day has 24 hours. */
static time_t clock_on(struct tm day, int days_later, time_t seconds)
{
	day.tm_mday += days_later;
	day.tm_hour = (int)(seconds / 3600);
	day.tm_min = (int)(seconds / 60 % 60);
	day.tm_sec = (int)(seconds % 60);
	day.tm_isdst = -1;
	return mktime(&day);
}

static uint64_t clock_after(uint64_t since_midnight, uint64_t start_wall_ns)
{
	time_t start = (time_t)(start_wall_ns / SECOND_NS), seconds = (time_t)(since_midnight / SECOND_NS), at;
	struct tm day;

	if (!localtime_r(&start, &day))
		return start_wall_ns;
	at = clock_on(day, 0, seconds);
	if (at < start)
		at = clock_on(day, 1, seconds);
	return (uint64_t)at * SECOND_NS + since_midnight % SECOND_NS;
}

uint64_t moment_resolve(const struct moment *m, uint64_t start_wall_ns)
{
	if (m->kind == MOMENT_CLOCK)
		return clock_after(m->ns, start_wall_ns);
	if (m->kind == MOMENT_WALL)
		return m->ns;
	return m->ns < UINT64_MAX - start_wall_ns ? start_wall_ns + m->ns : UINT64_MAX;
}
