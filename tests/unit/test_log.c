/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of base/log: standard error is led into a file, and what arrives there must be one clean
 * line a message, and one warning a run.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"

struct capture {
	FILE *file;
	int saved; /* the real standard error */
};

static void capture_start(struct capture *c)
{
	c->file = tmpfile();
	assert_non_null(c->file);
	c->saved = dup(STDERR_FILENO);
	assert_true(c->saved >= 0);
	assert_true(dup2(fileno(c->file), STDERR_FILENO) >= 0);
}

static void capture_stop(struct capture *c, char *text, size_t size)
{
	size_t len;

	fflush(stderr);
	dup2(c->saved, STDERR_FILENO);
	close(c->saved);
	rewind(c->file);
	len = fread(text, 1, size - 1, c->file);
	text[len] = '\0';
	fclose(c->file);
}

static void test_error_line(void **state)
{
	struct capture c;
	char text[256];

	capture_start(&c);
	log_error("cannot open %s: %d", "a\nb\x1b[2J\xff", 7);
	log_error("again");
	capture_stop(&c, text, sizeof(text));
	assert_string_equal(text, "iolat: cannot open a?b?[2J\xef\xbf\xbd: 7\niolat: again\n");
}

static void test_long_line_is_cut(void **state)
{
	static char longest[20000], text[20100];
	struct capture c;

	memset(longest, 'x', sizeof(longest) - 1);
	capture_start(&c);
	log_error("%s", longest);
	capture_stop(&c, text, sizeof(text));
	assert_true(strlen(text) > 4096);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void test_one_warning(void **state)
{
	struct capture c;
	char text[256];

	capture_start(&c);
	errno = ENOSPC;
	log_warn("first %d", 1);
	assert_int_equal(errno, ENOSPC);
	log_warn("second");
	log_error("an error still comes");
	capture_stop(&c, text, sizeof(text));
	assert_string_equal(text, "iolat: warning: first 1\niolat: an error still comes\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_line),
		cmocka_unit_test(test_long_line_is_cut),
		cmocka_unit_test(test_one_warning),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
