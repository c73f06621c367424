// SPDX-License-Identifier: GPL-2.0
/* Processes that are over too soon to say anything alone: a shell's commands, the pipes of a loader. */
#include "feed_waits.h"

static void end_task(struct fixture *f, uint32_t pid, uint64_t at)
{
	struct iolat_task e = a_task(IOLAT_TASK_EXIT, pid, pid, "dd");

	e.ts_ns = T0 + MS(at);
	feed(f, e);
}

/* A shell, 100, runs commands one after the other, each for 100 ms, of which it sleeps so many. */
static void run_commands(struct fixture *f, size_t n, uint64_t ms, struct iolat_wait w)
{
	make_task(f, 100, "sh");
	for (size_t i = 0; i < n; i++) {
		struct iolat_task e = a_task(IOLAT_TASK_NEW, 200 + i, 200 + i, "dd");

		e.ts_ns = T0 + MS(100 * i);
		e.ppid = 100;
		e.flags = IOLAT_TASK_TRACED | IOLAT_TASK_SELECTED;
		feed(f, e);
		w.tid = w.tgid = 200 + i;
		w.start_ns = e.ts_ns;
		w.end_ns = e.ts_ns + MS(ms);
		if (ms)
			feed(f, w);
		end_task(f, 200 + i, 100 * i + 100);
	}
	whole(f, T0 + MS(100 * n));
}

static void test_commands_under_a_limit(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	feed(f, a_limit());
	run_commands(f, 20, 90, a_wait());
	g = finding_of(f, "cgroup-throttled");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "throttle_pct"), 90);
	assert_int_equal(evidence_of(g, "processes"), 20);
	assert_ms((uint64_t)evidence_of(g, "throttle_ns"), 1800);
	assert_non_null(strstr(g->text, "20 short-lived processes (dd) are held back by the I/O limit of their own"));
	assert_not_found(f, "not-the-disk");
	finish(f);
}

static void test_commands_that_wait_for_the_disk(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	run_commands(f, 20, 80, a_wait());
	g = finding_of(f, "all-workers-io-bound");
	assert_non_null(g);
	assert_string_equal(g->subject, "20 short-lived processes (dd)");
	assert_int_equal(evidence_of(g, "workers"), 20);
	assert_int_equal(evidence_of(g, "blocked_pct"), 80);
	assert_not_found(f, "not-the-disk");
	assert_not_found(f, "worker-stuck");
	finish(f);
}

static void test_commands_on_a_network_mount(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = a_wait();

	w.fs_magic = 0x6969;
	w.fs_major = 0;
	run_commands(f, 20, 50, w);
	assert_int_equal(evidence_of(finding_of(f, "network-filesystem"), "wait_pct"), 50);
	finish(f);
}

static void test_commands_that_compute(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	run_commands(f, 20, 2, a_wait());
	g = finding_of(f, "not-the-disk");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "processes"), 21);
	assert_int_equal(evidence_of(g, "blocked_pct"), 2);
	assert_int_equal(f->s.n_findings, 1);
	finish(f);
}

/* A command or two in a long run are not what sets the pace. */
static void test_a_few_commands(void **state)
{
	struct fixture *f = start_waits();

	feed(f, a_limit());
	run_commands(f, 3, 90, a_wait());
	whole(f, T0 + MS(20000));
	assert_not_found(f, "cgroup-throttled");
	assert_not_found(f, "all-workers-io-bound");
	finish(f);
}

/* Each command has another name and is over soon; together they wait for most of the run. */
static void run_others(struct fixture *f, uint64_t ms)
{
	make_task(f, 100, "sh");
	for (uint32_t i = 0; i < 20; i++) {
		struct iolat_task e = a_task(IOLAT_TASK_NEW, 200 + i, 200 + i, (char[]){'a' + i, '\0'});

		e.ts_ns = T0 + MS(100 * i);
		e.flags = IOLAT_TASK_TRACED | IOLAT_TASK_SELECTED;
		feed(f, e);
		feed(f, wait_of(200 + i, 100 * i, 100 * i + ms));
		e.what = IOLAT_TASK_EXIT;
		e.ts_ns += MS(100);
		feed(f, e);
	}
	whole(f, T0 + MS(2000));
}

static void test_commands_of_many_names(void **state)
{
	struct fixture *f = start_waits();

	run_others(f, 80);
	assert_not_found(f, "not-the-disk");
	finish(f);
	f = start_waits();
	run_others(f, 2);
	assert_non_null(finding_of(f, "not-the-disk"));
	finish(f);
}

/* Of those that have only begun nothing is known yet. */
static void test_commands_that_have_begun(void **state)
{
	struct fixture *f = start_waits();

	for (uint32_t pid = 200; pid < 210; pid++) {
		make_task(f, pid, "dd");
		feed(f, wait_of(pid, 0, 90));
	}
	whole(f, T0 + MS(100));
	assert_int_equal(f->s.n_findings, 0);
	finish(f);
}

/* Each cgroup's stand together. */
static void test_commands_of_two_cgroups(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = a_wait();

	feed(f, a_limit());
	w.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 8); /* which has no limit */
	for (uint32_t i = 0; i < 40; i++) {
		struct iolat_task e = a_task(IOLAT_TASK_NEW, 200 + i, 200 + i, "dd");

		e.ts_ns = T0 + MS(50 * i);
		e.flags = IOLAT_TASK_TRACED | IOLAT_TASK_SELECTED;
		e.cgroup = i % 2 ? w.cgroup : a_wait().cgroup;
		feed(f, e);
		if (i % 2 == 0)
			feed(f, wait_of(200 + i, 50 * i, 50 * i + 90));
		end_task(f, 200 + i, 50 * i + 100);
	}
	whole(f, T0 + MS(2100));
	assert_int_equal(evidence_of(finding_of(f, "cgroup-throttled"), "throttle_pct"), 90);
	assert_int_equal(evidence_of(finding_of(f, "cgroup-throttled"), "processes"), 20);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands_under_a_limit),
		cmocka_unit_test(test_commands_that_wait_for_the_disk),
		cmocka_unit_test(test_commands_on_a_network_mount),
		cmocka_unit_test(test_commands_that_compute),
		cmocka_unit_test(test_a_few_commands),
		cmocka_unit_test(test_commands_of_many_names),
		cmocka_unit_test(test_commands_that_have_begun),
		cmocka_unit_test(test_commands_of_two_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
