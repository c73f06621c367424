/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text to numbers for options, numbers to text for tables. Digits are handled by hand, so that
 * "0.1s" is exactly 100000000 ns and no locale can change a decimal point. No neighbours.
 */
#include "base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Digits behind these are far below a nanosecond even of an hour, 3.6e12 ns. */
#define FRACTION_DIGITS 18

#define NS_PER_S 1000000000ULL

/* A number as it was written, split at the point. */
struct decimal {
	uint64_t whole;
	uint64_t fraction;	 /* the first FRACTION_DIGITS of its digits ... */
	uint64_t fraction_scale; /* ... in units of one over this */
	bool has_fraction;
	bool nonzero;
	bool too_large; /* the whole part is beyond 64 bits */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes all digits even when they are too many, so that the caller still sees what follows:
 * "99999999999999999999x" is no number rather than a large one. */
static int read_whole(const char **s, struct decimal *d)
{
	if (!is_digit(**s))
		return -EINVAL;
	for (; is_digit(**s); (*s)++) {
		d->too_large |= __builtin_mul_overflow(d->whole, 10, &d->whole);
		d->too_large |= __builtin_add_overflow(d->whole, **s - '0', &d->whole);
		d->nonzero |= **s != '0';
	}
	return 0;
}

static int read_fraction(const char **s, struct decimal *d)
{
	if (!is_digit(**s))
		return -EINVAL;
	d->has_fraction = true;
	for (int n = 0; is_digit(**s); (*s)++, n++) {
		d->nonzero |= **s != '0';
		if (n >= FRACTION_DIGITS)
			continue;
		d->fraction = d->fraction * 10 + (uint64_t)(**s - '0');
		d->fraction_scale *= 10;
	}
	return 0;
}

static int read_decimal(const char **s, struct decimal *d)
{
	int err;

	*d = (struct decimal){.fraction_scale = 1};
	err = read_whole(s, d);
	if (err || **s != '.')
		return err;
	(*s)++;
	return read_fraction(s, d);
}

/* The number in units of `scale`; a part below one is cut, but not to nothing. */
static int apply_scale(const struct decimal *d, uint64_t scale, uint64_t *out)
{
	unsigned __int128 value = (unsigned __int128)d->fraction * scale / d->fraction_scale;

	if (d->has_fraction && scale == 1)
		return -EINVAL;
	value += (unsigned __int128)d->whole * scale;
	if (d->too_large || value > UINT64_MAX)
		return -ERANGE;
	if (!value && d->nonzero)
		return -EINVAL;
	*out = (uint64_t)value;
	return 0;
}

int parse_u64(const char *s, uint64_t *out)
{
	struct decimal d = {0};

	if (read_whole(&s, &d) || *s)
		return -EINVAL;
	if (d.too_large)
		return -ERANGE;
	*out = d.whole;
	return 0;
}

struct time_unit {
	const char *name;
	uint64_t ns;
	uint64_t limit; /* from here on the next unit is shown; 0: none */
};

/* clang-format off */
static const struct time_unit time_units[] = {
	{"ns", 1, 1000},
	{"us", 1000, 1000},
	{"ms", 1000000, 1000},
	{"s", NS_PER_S, 600},
	{"m", 60 * NS_PER_S, 600},
	{"h", 3600 * NS_PER_S, 0},
};
/* clang-format on */

static const struct time_unit *find_time_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(time_units); i++) {
		if (!strcmp(time_units[i].name, name))
			return &time_units[i];
	}
	return NULL;
}

int parse_duration(const char *s, uint64_t *ns)
{
	const struct time_unit *unit;
	struct decimal d;
	int err = read_decimal(&s, &d);

	if (err)
		return err;
	if (!*s && !d.nonzero && !d.has_fraction) {
		*ns = 0;
		return 0;
	}
	unit = find_time_unit(s);
	return unit ? apply_scale(&d, unit->ns, ns) : -EINVAL;
}

/* The unit in front of an optional "B"; 0 when it is unknown. */
static uint64_t size_unit(const char *s)
{
	static const char letters[] = "KMG";
	static const char lower[] = "kmg";
	uint64_t scale = 1;

	if (!*s || !strcmp(s, "B"))
		return 1;
	for (int i = 0; letters[i]; i++) {
		scale *= 1024;
		if (*s == letters[i] || *s == lower[i])
			return !s[1] || !strcmp(s + 1, "B") || !strcmp(s + 1, "iB") ? scale : 0;
	}
	return 0;
}

int parse_size(const char *s, uint64_t *bytes)
{
	struct decimal d;
	uint64_t scale;
	int err = read_decimal(&s, &d);

	if (err)
		return err;
	scale = size_unit(s);
	return scale ? apply_scale(&d, scale, bytes) : -EINVAL;
}

/* v / scale in 1 / parts, rounded; parts other than 1 only below the limit of the unit, where
 * nothing overflows. */
static uint64_t rounded(uint64_t v, uint64_t scale, uint64_t parts)
{
	return v / scale * parts + (v % scale * parts + scale / 2) / scale;
}

/* Three significant digits: "1.23", "12.3" or "123", the decimals as far as the unit has any. */
static void print_digits(char buf[UNITS_LEN], uint64_t ns, const struct time_unit *u)
{
	unsigned int hundredths = (unsigned int)rounded(ns, u->ns, 100);
	unsigned int tenths = (unsigned int)rounded(ns, u->ns, 10);

	if (u->ns > 1 && hundredths < 1000)
		snprintf(buf, UNITS_LEN, "%u.%02u%s", hundredths / 100, hundredths % 100, u->name);
	else if (u->ns > 1 && tenths < 1000)
		snprintf(buf, UNITS_LEN, "%u.%u%s", tenths / 10, tenths % 10, u->name);
	else
		snprintf(buf, UNITS_LEN, "%u%s", (unsigned int)rounded(ns, u->ns, 1), u->name);
}

char *fmt_duration(char buf[UNITS_LEN], uint64_t ns)
{
	const struct time_unit *u = time_units;

	/* By the rounded value: 999.96 us are 1.00 ms, not 1000 us. */
	while (u->limit && rounded(ns, u->ns, 1) >= u->limit)
		u++;
	print_digits(buf, ns, u);
	return buf;
}

/* How often 1024 goes in, by the rounded value: 1023.5 K already show as 1.0 M. */
static size_t scale_down(double *v, size_t most)
{
	size_t n = 0;

	for (; *v >= 1023.5 && n < most; n++)
		*v /= 1024;
	return n;
}

char *fmt_bytes(char buf[UNITS_LEN], double bytes)
{
	static const char units[] = "BKMGTPE";
	const char *sign = bytes <= -0.5 ? "-" : ""; /* no "-0B" */
	double v = bytes < 0 ? -bytes : bytes;
	size_t unit = scale_down(&v, sizeof(units) - 2);
	unsigned int tenths;

	if (!(v >= 0)) /* not a number */
		v = 0;
	if (v > 9999)
		v = 9999;
	tenths = (unsigned int)(v * 10 + 0.5);
	if (unit && tenths < 100)
		snprintf(buf, UNITS_LEN, "%s%u.%u%c", sign, tenths / 10, tenths % 10, units[unit]);
	else
		snprintf(buf, UNITS_LEN, "%s%u%c", sign, (unsigned int)(v + 0.5), units[unit]);
	return buf;
}

char *fmt_rfc3339(char buf[RFC3339_LEN], uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	unsigned int ns = (unsigned int)(wall_ns % NS_PER_S);
	unsigned int zone; /* minutes from UTC, unsigned */
	struct tm tm;
	char sign;
	size_t len;

	if (!localtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	sign = tm.tm_gmtoff < 0 ? '-' : '+';
	zone = (unsigned int)((tm.tm_gmtoff < 0 ? -tm.tm_gmtoff : tm.tm_gmtoff) / 60);
	len = strftime(buf, RFC3339_LEN, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + len, RFC3339_LEN - len, ".%09u%c%02u:%02u", ns, sign, zone / 60 % 24,
		 zone % 60);
	return buf;
}
