/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of base/units: what is a number and what is refused, exact values, and how numbers look,
 * above all where rounding meets the next unit.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/units.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define UNTOUCHED    4711

struct parse_case {
	const char *text;
	int err;
	uint64_t value;
};

typedef int (*parser)(const char *, uint64_t *);

static void check_parser(parser parse, const struct parse_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = UNTOUCHED;
		int err = parse(cases[i].text, &value);
		uint64_t wanted = cases[i].err ? UNTOUCHED : cases[i].value;

		if (err != cases[i].err || value != wanted)
			fail_msg("\"%s\": %d, %llu", cases[i].text, err, (unsigned long long)value);
	}
}

static void test_parse_u64(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999", -ERANGE, 0},
		{"99999999999999999999x", -EINVAL, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"12abc", -EINVAL, 0},
	};

	check_parser(parse_u64, cases, ARRAY_LEN(cases));
}

static void test_parse_duration(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"0s", 0, 0},
		{"0.0s", 0, 0},
		{"1ns", 0, 1},
		{"250ms", 0, 250000000},
		{"0.5ms", 0, 500000},
		{"0.1s", 0, 100000000},
		{"0.3s", 0, 300000000},
		{"1.5s", 0, 1500000000},
		{"1.1us", 0, 1100},
		{"2m", 0, 120000000000},
		{"1h", 0, 3600000000000},
		{"0.25h", 0, 900000000000},
		{"0.123456789s", 0, 123456789},
		{"0.1234567899s", 0, 123456789},
		{"1.00000000000000000000000000000001s", 0, 1000000000},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073.709551615s", 0, UINT64_MAX},
		{"18446744073.709551616s", -ERANGE, 0},
		{"18446744073709551616ns", -ERANGE, 0},
		{"5124096h", -ERANGE, 0},
		{"99999999999999999999s", -ERANGE, 0},
		{"99999999999999999999x", -EINVAL, 0},
	};

	check_parser(parse_duration, cases, ARRAY_LEN(cases));
}

static void test_parse_duration_refuses(void **state)
{
	static const char *const texts[] = {
		"",	 "1",	     "12abc", " 1s",  "1s ",	"1 s",	"-1s",	 "+1s",
		"1e3s",	 ".s",	     ".5s",   "1.s",  "1.2.3s", "1S",	"1sec",	 "0.0",
		"0.5ns", "0.0001us", "0x1s",  "infs", "nans",	"1,5s", "1s1ms", "\xd9\xa1s",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct parse_case c = {texts[i], -EINVAL, 0};

		check_parser(parse_duration, &c, 1);
	}
}

static void test_parse_size(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"512", 0, 512},
		{"512B", 0, 512},
		{"64K", 0, 65536},
		{"64k", 0, 65536},
		{"64KB", 0, 65536},
		{"64kiB", 0, 65536},
		{"4MiB", 0, 4 << 20},
		{"1G", 0, 1 << 30},
		{"1.5K", 0, 1536},
		{"0.1M", 0, 104857},
		{"17179869183G", 0, 17179869183ULL << 30},
		{"17179869184G", -ERANGE, 0},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"K", -EINVAL, 0},
		{"1.5", -EINVAL, 0},
		{"1.5B", -EINVAL, 0},
		{"0.0001K", -EINVAL, 0},
		{"-1K", -EINVAL, 0},
		{" 1K", -EINVAL, 0},
		{"1 K", -EINVAL, 0},
		{"1Kib", -EINVAL, 0},
		{"1iB", -EINVAL, 0},
		{"1KiBs", -EINVAL, 0},
		{"1T", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
	};

	check_parser(parse_size, cases, ARRAY_LEN(cases));
}

static void test_fmt_duration(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0ns"},
		{730, "730ns"},
		{999, "999ns"},
		{1000, "1.00us"},
		{9994, "9.99us"},
		{9995, "10.0us"},
		{12345, "12.3us"},
		{99949, "99.9us"},
		{99950, "100us"},
		{999499, "999us"},
		{999500, "1.00ms"},
		{999960, "1.00ms"},
		{20100000, "20.1ms"},
		{999000000, "999ms"},
		{999999999, "1.00s"},
		{1500000000, "1.50s"},
		{90000000000, "90.0s"},
		{599499999999, "599s"},
		{599500000000, "9.99m"},
		{600000000000, "10.0m"},
		{720000000000, "12.0m"},
		{35969999999999, "599m"},
		{35970000000000, "9.99h"},
		{UINT64_MAX, "5124096h"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char buf[UNITS_LEN];

		assert_string_equal(fmt_duration(buf, cases[i].ns), cases[i].text);
	}
}

/* What was printed, read again, is within half a unit of its third digit. */
static void test_duration_round_trip(void **state)
{
	uint64_t x = 88172645463325252ULL;

	for (int i = 0; i < 200000; i++) {
		char buf[UNITS_LEN];
		uint64_t ns, back;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		ns = x >> (x & 63);
		assert_int_equal(parse_duration(fmt_duration(buf, ns), &back), 0);
		if ((ns > back ? ns - back : back - ns) > ns / 198)
			fail_msg("%llu became %s", (unsigned long long)ns, buf);
	}
}

static void test_fmt_bytes(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {
		{0, "0B"},
		{512, "512B"},
		{1023, "1023B"},
		{1023.6, "1.0K"},
		{1024, "1.0K"},
		{4096, "4.0K"},
		{1.5 * 1024 * 1024, "1.5M"},
		{9.94 * 1024, "9.9K"},
		{9.96 * 1024, "10K"},
		{1023.4 * 1024, "1023K"},
		{1023.6 * 1024, "1.0M"},
		{20.0 * 1024 * 1024 * 1024, "20G"},
		{0x1p64, "16E"},
		{-4096, "-4.0K"},
		{-0.2, "0B"},
		{1e300, "9999E"},
		{__builtin_inf(), "9999E"},
		{__builtin_nan(""), "0B"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char buf[UNITS_LEN];

		assert_string_equal(fmt_bytes(buf, cases[i].bytes), cases[i].text);
	}
}

static const char *stamp(char *buf, const char *zone, uint64_t ns)
{
	setenv("TZ", zone, 1);
	tzset();
	return fmt_rfc3339(buf, ns);
}

static void test_fmt_rfc3339(void **state)
{
	const uint64_t noon = 1772362800123456789ULL;
	char buf[RFC3339_LEN];

	assert_string_equal(stamp(buf, "UTC0", 0), "1970-01-01T00:00:00.000000000+00:00");
	assert_string_equal(stamp(buf, "CET-1", noon), "2026-03-01T12:00:00.123456789+01:00");
	assert_string_equal(stamp(buf, "XYZ3:30", noon), "2026-03-01T07:30:00.123456789-03:30");
	assert_string_equal(stamp(buf, "UTC0", UINT64_MAX), "2554-07-21T23:34:33.709551615+00:00");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_u64),
		cmocka_unit_test(test_parse_duration),
		cmocka_unit_test(test_parse_duration_refuses),
		cmocka_unit_test(test_parse_size),
		cmocka_unit_test(test_fmt_duration),
		cmocka_unit_test(test_duration_round_trip),
		cmocka_unit_test(test_fmt_bytes),
		cmocka_unit_test(test_fmt_rfc3339),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
