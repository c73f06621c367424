// SPDX-License-Identifier: GPL-2.0
/* What a selection by name and owner takes of a single process. */
#include "feed.h"

#include <errno.h>

#include "attrib/select.h"

static void add_name(struct selection *s, const char *regex)
{
	char why[64];

	assert_int_equal(select_add_name(s, regex, why, sizeof(why)), 0);
}

static void test_empty_takes_all(void **state)
{
	struct selection s = {0};

	assert_int_equal(select_match(&s, "dd", 0), 0);
	assert_true(select_wants(&s, 0));
	select_free(&s);
}

static void test_names_match_anywhere(void **state)
{
	struct selection s = {0};

	add_name(&s, "^pt_");
	add_name(&s, "train(er|ing)");
	assert_int_equal(select_match(&s, "pt_data", 0), SELECT_NAME);
	assert_int_equal(select_match(&s, "mytrainer", 0), SELECT_NAME);
	assert_int_equal(select_match(&s, "apt_get", 0), 0);
	assert_int_equal(select_match(&s, NULL, 0), 0);
	select_free(&s);
}

static void test_uids(void **state)
{
	struct selection s = {0};

	assert_int_equal(select_add_uid(&s, 0), 0);
	assert_int_equal(select_add_uid(&s, 1000), 0);
	assert_int_equal(select_match(&s, NULL, 1000), SELECT_USER);
	assert_int_equal(select_match(&s, "dd", 0), SELECT_USER);
	assert_int_equal(select_match(&s, "dd", 1001), 0);
	assert_int_equal(select_match(&s, "dd", UINT32_MAX), 0);
	select_free(&s);
}

static void test_kinds_are_anded(void **state)
{
	struct selection s = {0};

	add_name(&s, "dd");
	assert_true(select_wants(&s, SELECT_NAME));
	assert_false(select_wants(&s, 0));
	assert_int_equal(select_add_uid(&s, 1000), 0);
	assert_false(select_wants(&s, SELECT_NAME));
	assert_false(select_wants(&s, SELECT_USER));
	assert_true(select_wants(&s, SELECT_NAME | SELECT_USER));
	select_free(&s);
}

static void test_bad_regex_says_why(void **state)
{
	struct selection s = {0};
	char why[64] = "";

	assert_int_equal(select_add_name(&s, "a(", why, sizeof(why)), -EINVAL);
	assert_true(strlen(why) > 0);
	assert_int_equal(s.n_names, 0);
	add_name(&s, "a");
	assert_int_equal(select_match(&s, "cat", 0), SELECT_NAME);
	select_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_takes_all),
		cmocka_unit_test(test_names_match_anywhere),
		cmocka_unit_test(test_uids),
		cmocka_unit_test(test_kinds_are_anded),
		cmocka_unit_test(test_bad_regex_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
