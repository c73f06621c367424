/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of base/json: the exact bytes for nested values, hostile strings and awkward numbers, also
 * under a locale with a decimal comma where the machine has one.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct page {
	struct json j;
	char *text;
	size_t len;
};

static void page_open(struct page *p)
{
	FILE *f = open_memstream(&p->text, &p->len);

	assert_non_null(f);
	json_begin(&p->j, f);
}

static void page_expect(struct page *p, const char *wanted)
{
	assert_int_equal(fclose(p->j.out), 0);
	assert_string_equal(p->text, wanted);
	free(p->text);
}

static void test_structure(void **state)
{
	struct page p;
	struct json *j = &p.j;

	page_open(&p);
	json_open(j, '{');
	json_ku64(j, "n", 7);
	json_kstr(j, "s", "x");
	json_key(j, "a");
	json_open(j, '[');
	json_u64(j, 0);
	json_open(j, '{');
	json_close(j, '}');
	json_open(j, '[');
	json_close(j, ']');
	json_bool(j, true);
	json_bool(j, false);
	json_null(j);
	json_close(j, ']');
	json_kstr(j, "none", NULL);
	json_close(j, '}');
	json_end(j);
	json_u64(j, UINT64_MAX);
	json_end(j);
	page_expect(&p, "{\"n\":7,\"s\":\"x\",\"a\":[0,{},[],true,false,null],\"none\":null}\n"
			"18446744073709551615\n");
}

static void test_strings(void **state)
{
	static const struct {
		const char *from;
		const char *to;
	} cases[] = {
		{"", "\"\""},
		{"a\"b\\c/", "\"a\\\"b\\\\c/\""},
		{"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
		{"\x01\x1b\x1f\x7f", "\"\\u0001\\u001b\\u001f\\u007f\""},
		{"\xc2\x9b\xc2\xa0", "\"\\u009b\xc2\xa0\""},
		{"\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\""},
		{"\xc3\xbc\xf0\x9f\x98\x80", "\"\xc3\xbc\xf0\x9f\x98\x80\""},
		{"a\xff\xc3(", "\"a\xef\xbf\xbd\xef\xbf\xbd(\""},
		{"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xf0\x9f\x98", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct page p;

		page_open(&p);
		json_str(&p.j, cases[i].from);
		page_expect(&p, cases[i].to);
	}
}

static void check_doubles(void)
{
	static const struct {
		double v;
		int decimals;
		const char *text;
	} cases[] = {
		{0, 2, "0"},
		{-0.0, 2, "0"},
		{-0.001, 2, "0"},
		{-1.25, 2, "-1.25"},
		{1.5, 3, "1.5"},
		{2, 3, "2"},
		{100, 2, "100"},
		{100, 0, "100"},
		{99.999, 2, "100"},
		{0.05, 1, "0.1"},
		{33.333333, 2, "33.33"},
		{1.75, -1, "2"},
		{0.1, 99, "0.10000000000000001"},
		{123456789012345.25, 2, "123456789012345.25"},
		{1e16, 2, "10000000000000000"},
		{1.5e300, 2, "1.5000000000000001e+300"},
		{-1e100, 2, "-1e+100"},
		{NAN, 2, "null"},
		{INFINITY, 2, "null"},
		{-INFINITY, 2, "null"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct page p;

		page_open(&p);
		json_double(&p.j, cases[i].v, cases[i].decimals);
		page_expect(&p, cases[i].text);
	}
}

static void test_doubles(void **state)
{
	check_doubles();
}

static void test_doubles_in_other_locale(void **state)
{
	/* The last one's decimal point has two bytes. */
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
	int found = 0;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!setlocale(LC_ALL, names[i]))
			continue;
		found++;
		check_doubles();
	}
	setlocale(LC_ALL, "C");
	if (!found)
		skip();
}

static void test_values_take_commas(void **state)
{
	struct page p;

	page_open(&p);
	json_open(&p.j, '[');
	json_double(&p.j, NAN, 1);
	json_str(&p.j, NULL);
	json_double(&p.j, 0.5, 1);
	json_close(&p.j, ']');
	page_expect(&p, "[null,null,0.5]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_doubles_in_other_locale),
		cmocka_unit_test(test_values_take_commas),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
