/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes of protobuf's wire format, as its documentation has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/protobuf.h"

static void expect(struct protobuf *p, const char *bytes, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(protobuf_write(p, out), 0);
	fclose(out);
	assert_int_equal(size, n);
	assert_memory_equal(text, bytes, n);
	free(text);
}
#define EXPECT(p, bytes) expect(p, bytes, sizeof(bytes) - 1)

static void test_numbers(void **state)
{
	struct protobuf p = {0};

	protobuf_u64(&p, 1, 150);
	EXPECT(&p, "\x03\x08\x96\x01");
	protobuf_u64(&p, 16, 0);
	EXPECT(&p, "\x03\x80\x01\x00");
	protobuf_u64(&p, 1, UINT64_MAX);
	EXPECT(&p, "\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_s64(&p, 1, -1);
	protobuf_s64(&p, 1, 1);
	protobuf_s64(&p, 1, INT64_MIN);
	EXPECT(&p, "\x0f\x08\x01\x08\x02\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_double(&p, 2, 1);
	EXPECT(&p, "\x09\x11\0\0\0\0\0\0\xf0\x3f");
	protobuf_free(&p);
}

static void test_messages_in_messages(void **state)
{
	struct protobuf p = {0};
	char *text = NULL;
	size_t size;
	FILE *out;

	protobuf_begin(&p, 3);
	protobuf_u64(&p, 1, 150);
	protobuf_begin(&p, 4);
	protobuf_end(&p);
	protobuf_end(&p);
	EXPECT(&p, "\x07\x1a\x05\x08\x96\x01\x22\x00");
	/* Longer than the first room, with a length of two bytes each. */
	protobuf_begin(&p, 1);
	for (int i = 0; i < 5000; i++)
		protobuf_u64(&p, 1, 5);
	protobuf_end(&p);
	out = open_memstream(&text, &size);
	assert_int_equal(protobuf_write(&p, out), 0);
	fclose(out);
	assert_int_equal(size, 2 + 3 + 10000);
	assert_memory_equal(text, "\x93\x4e\x0a\x90\x4e\x08\x05", 7);
	assert_memory_equal(text + size - 2, "\x08\x05", 2);
	free(text);
	protobuf_free(&p);
}

/* A reader may refuse the whole message for one byte that is no UTF-8. */
static void test_texts(void **state)
{
	struct protobuf p = {0};

	protobuf_text(&p, 2, "testing");
	EXPECT(&p, "\x09\x12\x07testing");
	protobuf_text(&p, 2, "a\xff\xc3\xa9");
	EXPECT(&p, "\x08\x12\x06" "a\xef\xbf\xbd\xc3\xa9");
	protobuf_text(&p, 2, "");
	EXPECT(&p, "\x02\x12\x00");
	protobuf_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_messages_in_messages),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
