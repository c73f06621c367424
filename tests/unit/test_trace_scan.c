// SPDX-License-Identifier: GPL-2.0
/* Where events can go into somebody else's trace, what its clock is, and what is no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "render/trace_scan.h"

/* In pieces of `piece` bytes. */
static int scan(struct trace_scan *s, const char *text, size_t piece)
{
	size_t len = strlen(text);
	int err = 0;

	trace_scan_init(s);
	for (size_t i = 0; !err && i < len; i += piece)
		err = trace_scan_feed(s, text + i, len - i < piece ? len - i : piece);
	return err ?: trace_scan_end(s);
}

static void test_kineto(void **state)
{
	const char *text = "{\n\"schemaVersion\": 1, \"deviceProperties\": [{\"pid\": 9}],\n"
			   "\"traceEvents\": [{\"ph\":\"X\",\"pid\":4242,\"tid\":1,\"args\":{\"pid\":7,\"x\":[1,[2]]}},\n"
			   " {\"ph\":\"i\",\"pid\":\"Spans\",\"name\":\"a]}\\\"[\"}\n ],\n"
			   "\"traceName\": \"x\", \"baseTimeNanoseconds\": 1790000000000000000, \"pid\": 8}\n";
	struct trace_scan s;

	for (size_t piece = 1; piece < 40; piece += 13) {
		assert_int_equal(scan(&s, text, piece), 0);
		assert_false(s.bare);
		assert_false(s.empty);
		assert_true(s.has_base);
		assert_int_equal(s.base_ns, 1790000000000000000);
		assert_int_equal(s.events_end, strstr(text, "\n ],") + 2 - text);
		assert_true(trace_scan_has_pid(&s, 4242));
		assert_false(trace_scan_has_pid(&s, 7));
		assert_false(trace_scan_has_pid(&s, 8));
		assert_false(trace_scan_has_pid(&s, 9));
		trace_scan_free(&s);
	}
}

static void test_a_bare_array(void **state)
{
	struct trace_scan s;

	assert_int_equal(scan(&s, "[{\"pid\": 5, \"ts\": 1.5e3}, null]", 3), 0);
	assert_true(s.bare);
	assert_false(s.has_base);
	assert_false(s.empty);
	assert_int_equal(s.events_end, 30);
	assert_true(trace_scan_has_pid(&s, 5));
	trace_scan_free(&s);
}

static void test_without_events(void **state)
{
	static const char *const texts[] = {"[]", " [ ] ", "{\"traceEvents\":[]}", "{\"a\":{\"traceEvents\":[1]},\"traceEvents\":[\n]}"};
	struct trace_scan s;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(scan(&s, texts[i], 4), 0);
		assert_true(s.empty);
		assert_int_equal(texts[i][s.events_end], ']');
		trace_scan_free(&s);
	}
}

static void test_what_is_no_trace(void **state)
{
	static const char *const texts[] = {
		"", " ", "{", "[", "[1", "{}", "{\"traceEvents\":{}}", "{\"traceEvents\":[1}", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
		"{\"a\":}", "{1:2}", "{\"a\":1,}", "[1]]", "[1] x", "[1][", "nope", "\"x\"", "[truth]", "[\"x]", "{\"a\":1 \"b\":2}",
		"{\"traceEvents\":[],\"traceEvents\":[]}", "[1:2]", "\x1f\x8b", "[--]", "[.]",
	};
	struct trace_scan s;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (scan(&s, texts[i], 2) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
		assert_non_null(s.problem);
		trace_scan_free(&s);
	}
}

static void test_depth_is_bounded(void **state)
{
	char text[1000];
	struct trace_scan s;

	memset(text, '[', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(scan(&s, text, 100), -EINVAL);
	assert_string_equal(s.problem, "nested too deeply");
	trace_scan_free(&s);
}

/* Keys and numbers that are longer than any that matters. */
static void test_long_words(void **state)
{
	char text[400] = "{\"", *at = text + 2;
	struct trace_scan s;

	memset(at, 'k', 100);
	strcpy(at + 100, "\":");
	memset(at + 102, '1', 150);
	strcpy(at + 252, ",\"traceEvents\":[{\"pid\":99999999999}],\"baseTimeNanoseconds\":-5}");
	assert_int_equal(scan(&s, text, 7), 0);
	assert_false(s.has_base);
	assert_int_equal(s.pids.count, 0);
	trace_scan_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kineto),
		cmocka_unit_test(test_a_bare_array),
		cmocka_unit_test(test_without_events),
		cmocka_unit_test(test_what_is_no_trace),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
