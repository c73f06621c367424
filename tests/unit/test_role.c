// SPDX-License-Identifier: GPL-2.0
/*
 * Roles by the table in tests/fixtures: each line is a name with a clue, and what it is to
 * be taken for. A name that is a prefix is tried with more behind it, an exact one must
 * not fit with more behind it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attrib/role.h"
#include "iolat/wire.h"

#define TABLE	    "tests/fixtures/worker-roles.tsv"
#define COMM_LENGTH (IOLAT_COMM_LEN - 1)

/* What each clue of the table stands for, beside the name. */
static const struct clue {
	const char *name;
	struct role_clues clues;
} clues[] = {
	{"process", {.parent_comm = "bash"}},
	{"inherited", {.parent_python = true, .forked = true}},
	{"inherited-plain", {.forked = true}},
	{"spawn",
	 {.parent_comm = "python3",
	  .parent_python = true,
	  .flags = IOLAT_FACT_PYTHON | IOLAT_FACT_SPAWNED}},
	{"forkserver",
	 {.parent_comm = "python3",
	  .parent_python = true,
	  .flags = IOLAT_FACT_PYTHON | IOLAT_FACT_FORKSERVER}},
	{"served",
	 {.parent_comm = "python3",
	  .parent_python = true,
	  .parent_role = ROLE_MP_FORKSERVER,
	  .forked = true,
	  .flags = IOLAT_FACT_PYTHON | IOLAT_FACT_FORKSERVER}},
	{"tracker",
	 {.parent_comm = "python3",
	  .parent_python = true,
	  .flags = IOLAT_FACT_PYTHON | IOLAT_FACT_TRACKER}},
	{"pipe",
	 {.parent_comm = "pt_data_worker",
	  .parent_python = true,
	  .parent_role = ROLE_DATALOADER_WORKER,
	  .flags = IOLAT_FACT_SHELL_COMMAND}},
};

static enum role role_of(const char *clue, const char *comm)
{
	if (!strcmp(clue, "thread"))
		return role_of_thread(comm);
	for (size_t i = 0; i < sizeof(clues) / sizeof(clues[0]); i++) {
		struct role_clues c = clues[i].clues;

		if (strcmp(clues[i].name, clue))
			continue;
		c.comm = comm;
		if (!c.parent_comm) /* the name came with the fork */
			c.parent_comm = comm;
		return role_of_process(&c);
	}
	fail_msg("no such clue: %s", clue);
	return ROLE_NONE;
}

static void check(const char *clue, const char *comm, const char *role)
{
	const char *got = role_name(role_of(clue, comm));

	if (strcmp(got ? got : "-", role))
		fail_msg("%s (%s): %s instead of %s", comm, clue, got ? got : "-", role);
}

static void check_line(char *line)
{
	char *comm = strsep(&line, "\t"), *match = strsep(&line, "\t");
	char *clue = strsep(&line, "\t"), *framework = strsep(&line, "\t");
	char *role = strsep(&line, "\t\n"), longer[2 * IOLAT_COMM_LEN];

	assert_non_null(framework);
	assert_non_null(role);
	check(clue, comm, role);
	if (strlen(comm) == COMM_LENGTH)
		return; /* nothing can stand behind it */
	snprintf(longer, sizeof(longer), "%s7", comm);
	if (!strcmp(match, "prefix"))
		check(clue, longer, role);
	else if (!strcmp(clue, "thread"))
		check(clue, longer, "-");
}

static void test_the_table(void **state)
{
	FILE *f = fopen(TABLE, "re");
	char *line = NULL;
	size_t size = 0, n = 0;

	assert_non_null(f);
	assert_true(getline(&line, &size, f) > 0); /* the header */
	for (; getline(&line, &size, f) > 0; n++)
		check_line(line);
	assert_true(n > 30);
	free(line);
	fclose(f);
}

static void test_exact_names_of_processes(void **state)
{
	check("process", "pt_data_workers", "-");
	check("process", "rayle", "-");
	check("process", "ray::IDLEx", "task-or-actor");
	check("process", "", "-");
}

/* Whoever has no name may still have a command line. */
static void test_unknown_name(void **state)
{
	struct role_clues c = {.flags = IOLAT_FACT_SPAWNED};

	assert_int_equal(role_of_process(&c), ROLE_MP_SPAWN);
	c.flags = 0;
	assert_int_equal(role_of_process(&c), ROLE_NONE);
}

static void test_every_role_has_a_name(void **state)
{
	assert_null(role_name(ROLE_NONE));
	for (enum role r = ROLE_NONE + 1; r < ROLE_MAX; r++)
		assert_non_null(role_name(r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_table),
		cmocka_unit_test(test_exact_names_of_processes),
		cmocka_unit_test(test_unknown_name),
		cmocka_unit_test(test_every_role_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
