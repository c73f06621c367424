// SPDX-License-Identifier: GPL-2.0
/* Moments as people write them. */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/moment.h"

#define S UINT64_C(1000000000)
#define NOON_2026 (UINT64_C(1767268800) * S) /* 2026-01-01T12:00:00Z */

static uint64_t at(const char *text)
{
	struct moment m;

	assert_int_equal(moment_parse(text, &m), 0);
	return moment_resolve(&m, NOON_2026);
}

static void test_offsets(void **state)
{
	assert_int_equal(at("0"), NOON_2026);
	assert_int_equal(at("90s"), NOON_2026 + 90 * S);
	assert_int_equal(at("+1.5m"), NOON_2026 + 90 * S);
	assert_int_equal(at("5000000h"), UINT64_MAX);
}

static void test_dates(void **state)
{
	assert_int_equal(at("2026-01-01T12:00:01Z"), NOON_2026 + S);
	assert_int_equal(at("2026-01-01 13:00:00.25+01:00"), NOON_2026 + S / 4);
	assert_int_equal(at("2026-01-01T11:30:00-00:30"), NOON_2026);
}

static void test_local_time(void **state)
{
	setenv("TZ", "UTC-2", 1); /* two hours east */
	tzset();
	assert_int_equal(at("2026-01-01T14:00:05"), NOON_2026 + 5 * S);
	assert_int_equal(at("14:00:05.5"), NOON_2026 + 5 * S + S / 2);
	assert_int_equal(at("14:01"), NOON_2026 + 60 * S);
	assert_int_equal(at("13:00:00"), NOON_2026 + 23 * 3600 * S); /* the next day */
	setenv("TZ", "UTC", 1);
	tzset();
}

/* A day of 25 hours, and one of 23. */
static void test_other_days(void **state)
{
	struct moment noon;

	setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
	tzset();
	assert_int_equal(moment_parse("12:00:00", &noon), 0);
	assert_int_equal(moment_resolve(&noon, 1793505600 * S), 1793552400 * S); /* 2026-11-01T04:00:00Z, 17:00 */
	assert_int_equal(moment_resolve(&noon, 1772946000 * S), 1772985600 * S); /* 2026-03-08T05:00:00Z, 16:00 */
	assert_int_equal(moment_resolve(&noon, 1793469600 * S), 1793552400 * S); /* of the day before, in the afternoon */
	setenv("TZ", "UTC", 1);
	tzset();
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"", "x", "5", "12", "12:00:00x", "2026-01-01", "2026-01-01T12:00:00+1", "-5s",
					  "2026-01-01T12:00:00+99:00", "25:00:00", "1800-01-01T00:00:00Z", "2026-02-30T00:00:00Z",
					  "9999-01-01T00:00:00Z"};
	struct moment m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(moment_parse(bad[i], &m), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_local_time),
		cmocka_unit_test(test_other_days),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
