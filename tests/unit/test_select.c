// SPDX-License-Identifier: GPL-2.0
/* What a selection by name and owner takes of a single process. */
#include "feed.h"

#include <errno.h>

#include "attrib/entity.h"
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

static bool takes(const char *word, const struct container *c)
{
	struct selection s = {0};
	bool wants;

	assert_int_equal(select_add_word(&s.containers, word), 0);
	wants = select_wants_place(&s, c, NULL, NULL);
	select_free(&s);
	return wants;
}

static void test_containers(void **state)
{
	static const struct container docker = {"docker", "0123456789abcdef", "web", NULL, "", NULL, false};
	static const struct container nameless = {"docker", "0123456789abcdef", NULL, NULL, "", NULL, false};
	static const struct container pod = {"k8s", "fedcba98", "ml/train-0/app", NULL, "", NULL, false};
	static const struct container logger = {"podman-conmon", "0123", "web", NULL, "", NULL, true};

	assert_true(takes("web", &docker));
	assert_true(takes("0123", &docker) && takes("0123456789abcdef", &docker));
	assert_true(takes("01234", &nameless));
	assert_false(takes("012", &docker)); /* too little of an id */
	assert_false(takes("1234", &docker) || takes("we", &docker) || takes("", &docker));
	assert_false(takes("0123456789abcdef0", &docker) || takes("web", &nameless));
	assert_true(takes("ml/train-0/app", &pod) && takes("app", &pod));
	assert_false(takes("train-0", &pod) || takes("train-0/app", &pod));
	assert_false(takes("web", &logger) || takes("0123", &logger));
	assert_false(takes("web", NULL));
}

static void test_pods_and_jobs(void **state)
{
	static const struct pod pod = {"ml", "train-0", "u-1"}, nameless = {NULL, NULL, "u-1"};
	static const struct job job = {"77", "0", "sABC"};
	struct selection s = {0};

	assert_true(select_wants_place(&s, NULL, NULL, NULL));
	assert_int_equal(select_add_word(&s.pods, "dev/train-0"), 0);
	assert_int_equal(select_add_word(&s.pods, "mlx/train-0"), 0);
	assert_false(select_wants_place(&s, NULL, &pod, NULL));
	assert_false(select_wants_place(&s, NULL, &nameless, NULL));
	assert_int_equal(select_add_word(&s.pods, "ml/train-0"), 0);
	assert_true(select_wants_place(&s, NULL, &pod, NULL));
	assert_int_equal(select_add_word(&s.pods, "u-1"), 0);
	assert_true(select_wants_place(&s, NULL, &nameless, NULL));
	assert_int_equal(select_add_word(&s.jobs, "sABC"), 0); /* kinds are AND-ed */
	assert_false(select_wants_place(&s, NULL, &pod, NULL));
	assert_false(select_wants_place(&s, NULL, NULL, &job));
	assert_true(select_wants_place(&s, NULL, &pod, &job));
	select_free(&s);
}

/* Some libraries need gigabytes for these, or for ever. */
static void test_hostile_regexes_are_cheap(void **state)
{
	static const char *const tries[] = {"a++++++++++++++++++++++++++++++++++++++++", "(((a{255}){255}){255}){255}", "(a*)*(a*)*(a*)*b"};
	struct selection s = {0};
	char why[128];

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		int err = select_add_name(&s, tries[i], why, sizeof(why));

		assert_true(!err || err == -EINVAL);
	}
	assert_false(select_match(&s, "aaaaaaaaaaaaaaa", 0));
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
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_pods_and_jobs),
		cmocka_unit_test(test_bad_regex_says_why),
		cmocka_unit_test(test_hostile_regexes_are_cheap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
