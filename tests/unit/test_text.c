/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of base/text: every code point there and back, each way of getting UTF-8 wrong, cutting at
 * every length, and columns that do not depend on the locale.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define BAD	     "\xef\xbf\xbd"

/* Writes cp in `len` bytes, whether that is the right length or not. */
static void encode(char *s, unsigned int cp, int len)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (int i = len - 1; i > 0; i--, cp >>= 6)
		s[i] = (char)(0x80 | (cp & 0x3f));
	s[0] = (char)(lead[len] | cp);
	s[len] = '\0';
}

static int right_length(unsigned int cp)
{
	if (cp < 0x80)
		return 1;
	if (cp < 0x800)
		return 2;
	return cp < 0x10000 ? 3 : 4;
}

static void test_every_code_point(void **state)
{
	for (unsigned int cp = 1; cp < 0x140000; cp++) {
		int len = right_length(cp);
		bool valid = cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
		unsigned int got = 0;
		char s[5];

		encode(s, cp, len);
		assert_int_equal(utf8_next(s, &got), valid ? len : 0);
		assert_int_equal(got, valid ? cp : 0);
		for (int longer = len + 1; longer <= 4; longer++) {
			encode(s, cp, longer);
			assert_int_equal(utf8_next(s, &got), 0);
		}
	}
}

static void test_invalid(void **state)
{
	static const char *const texts[] = {
		"",
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xc2",
		"\xc2(",
		"\xe2\x82",
		"\xe2\x28\xa1",
		"\xf0\x9f\x98",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf8\x88\x80\x80\x80",
		"\xfe",
		"\xff",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(utf8_next(texts[i], NULL), 0);
}

/* A copy of exactly its length: a sanitizer sees any read behind the NUL. */
static void test_stays_inside(void **state)
{
	static const char *const texts[] = {"\xf0", "\xf0\x9f", "\xf0\x9f\x98", "\xe2\x82", "\xc2"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		char *s = strdup(texts[i]);

		assert_non_null(s);
		assert_int_equal(utf8_next(s, NULL), 0);
		assert_int_equal(text_columns(s), strlen(s));
		free(s);
	}
}

static void test_clean(void **state)
{
	char buf[64];

	assert_int_equal(utf8_clean(buf, sizeof(buf), "a\xff!\xe2\x82"), 11);
	assert_string_equal(buf, "a" BAD "!" BAD BAD);
	utf8_clean(buf, sizeof(buf), "tab\tgr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
	assert_string_equal(buf, "tab\tgr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
	assert_int_equal(utf8_clean(buf, sizeof(buf), ""), 0);
	assert_string_equal(buf, "");
}

static void test_clean_cuts_between_characters(void **state)
{
	static const char text[] = "a\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80\xff!";
	static const size_t ends[] = {0, 1, 3, 6, 10, 13, 14};

	for (size_t size = 1; size <= 20; size++) {
		char *buf = malloc(size);
		size_t len, fits = 0;

		for (size_t i = 0; i < ARRAY_LEN(ends); i++)
			fits = ends[i] < size ? ends[i] : fits;
		assert_non_null(buf);
		len = utf8_clean(buf, size, text);
		assert_int_equal(len, fits);
		assert_int_equal(strlen(buf), len);
		free(buf);
	}
	assert_int_equal(utf8_clean(NULL, 0, text), 0);
}

static void test_printable(void **state)
{
	static const struct {
		const char *from;
		const char *to;
	} cases[] = {
		{"plain name", "plain name"},
		{"a\tb\nc\r\x7f\x01", "a?b?c???"},
		{"\x1b[31mred", "?[31mred"},
		{"\xc2\x80\xc2\x9bz\xc2\x9f\xc2\xa0", "??z?\xc2\xa0"},
		{"\xe2\x80\x8e\xe2\x80\x8f", "??"},
		{"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf",
		 "????\xe2\x80\xaf"},
		{"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??\xe2\x81\xaa"},
		{"\xd8\x9c", "?"},
		{"\x9bm", BAD "m"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char buf[64];

		assert_int_equal(text_printable(buf, sizeof(buf), cases[i].from),
				 strlen(cases[i].to));
		assert_string_equal(buf, cases[i].to);
	}
}

static void test_columns(void **state)
{
	static const struct {
		const char *text;
		int columns;
	} cases[] = {
		{"", 0},
		{"dataloader", 10},
		{"gr\xc3\xbc\xc3\x9f", 4},
		{"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 6}, /* Japanese */
		{"\xed\x95\x9c\xea\xb8\x80", 4},	     /* Korean, composed */
		{"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2}, /* the same kind from its parts */
		{"e\xcc\x81", 1},			     /* combining acute */
		{"a\xe2\x80\x8bz", 2},			     /* zero width space */
		{"\xf0\x9f\x98\x80", 2},		     /* emoji */
		{"\xef\xbc\xa1", 2},			     /* full width A */
		{"\xef\xbd\xb1", 1},			     /* half width kana */
		{"\xf0\xa0\x80\x80", 2},		     /* plane 2 */
		{"\xc2\xad", 1},			     /* soft hyphen */
		{BAD, 1},
		{"\xff\xfe", 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (text_columns(cases[i].text) != cases[i].columns)
			fail_msg("case %zu: %d", i, text_columns(cases[i].text));
	}
}

static void test_fit(void **state)
{
	static const char wide[] = "a\xe6\x97\xa5o\xcc\x81z";

	assert_int_equal(text_fit(wide, -1), 0);
	assert_int_equal(text_fit(wide, 0), 0);
	assert_int_equal(text_fit(wide, 1), 1);
	assert_int_equal(text_fit(wide, 2), 1);
	assert_int_equal(text_fit(wide, 3), 4);
	assert_int_equal(text_fit(wide, 4), 7); /* takes the accent along */
	assert_int_equal(text_fit(wide, 5), 8);
	assert_int_equal(text_fit(wide, INT_MAX), 8);
}

static void test_break(void **state)
{
	assert_int_equal(text_break("two words", 9), 9);
	assert_int_equal(text_break("two words", 8), 3);
	assert_int_equal(text_break("two words", 3), 3);
	assert_int_equal(text_break("two words", 2), 2); /* a word that is too long */
	assert_int_equal(text_break("\xe6\x97\xa5\xe6\x97\xa5 a", 4), 6);
	assert_int_equal(text_break("\xe6\x97\xa5", 1), 3); /* it goes on, whatever the width */
	assert_int_equal(text_break("", 0), 0);
}

static void test_printable_char(void **state)
{
	char out[TEXT_CHAR];

	assert_int_equal(text_printable_char(out, "ab"), 1);
	assert_string_equal(out, "a");
	assert_int_equal(text_printable_char(out, "\xe5\x90\x8dx"), 3);
	assert_string_equal(out, "\xe5\x90\x8d");
	assert_int_equal(text_printable_char(out, "\xf0\x9f\x92\xbe"), 4);
	assert_string_equal(out, "\xf0\x9f\x92\xbe");
	assert_int_equal(text_printable_char(out, "\xe5\x90"), 1); /* cut short */
	assert_string_equal(out, "\xef\xbf\xbd");
	assert_int_equal(text_printable_char(out, "\033["), 1);
	assert_string_equal(out, "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printable_char),
		cmocka_unit_test(test_every_code_point),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_stays_inside),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_cuts_between_characters),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_break),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
