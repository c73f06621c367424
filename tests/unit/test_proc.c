// SPDX-License-Identifier: GPL-2.0
/*
 * The process table: who had a pid when, what became of it, who inherits a selection,
 * and that churn does not grow it.
 */
#include "feed.h"

#include "attrib/proc.h"

struct fixture {
	struct selection selection;
	struct proc_table t;
};

static struct fixture *start(bool threads)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	proc_table_init(&f->t, &f->selection, threads);
	return f;
}

static void finish(struct fixture *f)
{
	proc_table_free(&f->t);
	select_free(&f->selection);
	test_free(f);
}

static void select_name(struct fixture *f, const char *regex)
{
	char why[64];

	assert_int_equal(select_add_name(&f->selection, regex, why, sizeof(why)), 0);
}

static void feed(struct fixture *f, struct iolat_task e)
{
	assert_int_equal(proc_event(&f->t, &e), 0);
}

static void feed_at(struct fixture *f, struct iolat_task e, uint64_t ts_ns)
{
	e.ts_ns = ts_ns;
	feed(f, e);
}

static void fork_from(struct fixture *f, uint32_t ppid, uint32_t pid, uint64_t start_ns,
		      const char *comm)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, pid, start_ns, comm);

	e.ppid = ppid;
	feed(f, e);
}

static void seen(struct fixture *f, uint32_t ppid, uint32_t pid, uint64_t ts_ns, const char *comm)
{
	struct iolat_task e = a_task(IOLAT_TASK_SEEN, pid, pid, comm);

	e.ppid = ppid;
	feed_at(f, e, ts_ns);
}

static struct proc *at(struct fixture *f, uint32_t pid, uint64_t ns)
{
	return proc_at(&f->t, pid, ns).proc;
}

static bool wanted(struct fixture *f, uint32_t pid)
{
	return proc_wanted(&f->t, at(f, pid, UINT64_MAX));
}

static void test_facts_of_a_process(void **state)
{
	struct fixture *f = start(false);
	struct proc *p;

	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "sh"));
	p = at(f, 100, 60);
	assert_non_null(p);
	assert_int_equal(p->pub.pid, 100);
	assert_int_equal(p->pub.ppid, 1);
	assert_int_equal(p->pub.uid, 1000);
	assert_int_equal(p->pub.start_ns, 50);
	assert_true(p->pub.comm_known);
	feed_at(f, a_task(IOLAT_TASK_EXEC, 100, 50, "dd"), 70);
	assert_ptr_equal(at(f, 100, 60), p);
	assert_string_equal(p->pub.comm, "dd");
	assert_null(at(f, 101, 60));
	finish(f);
}

static void test_only_the_leader_names_a_process(void **state)
{
	struct fixture *f = start(true);
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 50, "worker");
	struct proc *p;

	e.tid = 101;
	feed(f, e);
	p = at(f, 100, 60);
	assert_false(p->pub.comm_known);
	assert_string_equal(proc_thread_get(&f->t, p, 101)->pub.comm, "worker");
	feed_at(f, a_task(IOLAT_TASK_COMM, 100, 50, "server"), 60);
	assert_string_equal(p->pub.comm, "server");
	assert_string_equal(proc_thread_get(&f->t, p, 100)->pub.comm, "server");
	assert_string_equal(proc_thread_get(&f->t, p, 101)->pub.comm, "worker");
	assert_false(proc_thread_get(&f->t, p, 102)->pub.comm_known);
	finish(f);
}

static void test_old_word_does_not_rename(void **state)
{
	struct fixture *f = start(false);

	feed_at(f, a_task(IOLAT_TASK_COMM, 100, 50, "new"), 90);
	feed_at(f, a_task(IOLAT_TASK_SEEN, 100, 50, "old"), 80);
	assert_string_equal(at(f, 100, 100)->pub.comm, "new");
	finish(f);
}

static void test_reused_pid_is_told_by_time(void **state)
{
	struct fixture *f = start(false);
	struct proc *first, *second;
	struct proc_span span;

	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "first"));
	feed_at(f, a_task(IOLAT_TASK_EXIT, 100, 50, "first"), 80);
	first = at(f, 100, 60);
	feed(f, a_task(IOLAT_TASK_NEW, 100, 90, "second"));
	second = at(f, 100, 95);
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(at(f, 100, 85), first);
	assert_ptr_equal(at(f, 100, 10), first);
	span = proc_at(&f->t, 100, 85);
	assert_true(span.from == 0 && span.until == 89);
	span = proc_at(&f->t, 100, 90);
	assert_true(span.proc == second && span.from == 90 && span.until == UINT64_MAX);
	finish(f);
}

static void test_lost_exit_ends_with_the_next_of_the_pid(void **state)
{
	struct fixture *f = start(false);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "first"));
	feed(f, a_task(IOLAT_TASK_NEW, 100, 90, "second"));
	assert_true(at(f, 100, 60)->dead);
	assert_false(at(f, 100, 95)->dead);
	assert_int_equal(proc_selected_alive(&f->t, false), 1);
	finish(f);
}

/* A complete list that does not name somebody says that the exit got lost. */
static void test_lists_end_who_is_not_on_them(void **state)
{
	struct fixture *f = start(false);

	fork_from(f, 1, 100, 10, "gone");
	fork_from(f, 1, 101, 10, "stays");
	seen(f, 1, 101, 60, "stays");
	fork_from(f, 1, 102, 70, "new");
	feed(f, (struct iolat_task){.head = HEAD(TASK, iolat_task),
				    .what = IOLAT_TASK_LISTED,
				    .ts_ns = 50});
	assert_true(at(f, 100, UINT64_MAX)->dead);
	assert_false(at(f, 101, UINT64_MAX)->dead);
	assert_false(at(f, 102, UINT64_MAX)->dead);
	assert_int_equal(proc_selected_alive(&f->t, false), 2);
	finish(f);
}

static void test_proc_rounds_starts_to_ticks(void **state)
{
	struct fixture *f = start(false);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 1234567890, "a"));
	feed_at(f, a_task(IOLAT_TASK_SEEN, 100, 1230000000, "a"), 1300000000);
	assert_null(at(f, 100, 1300000000)->next);
	assert_int_equal(at(f, 100, 1300000000)->pub.start_ns, 1234567890);
	finish(f);
}

static void test_guess_is_adopted_by_a_late_birth(void **state)
{
	struct fixture *f = start(false);
	struct proc *p = proc_guess(&f->t, 100, 60);

	assert_false(p->pub.comm_known);
	assert_int_equal(p->pub.uid, UINT32_MAX);
	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "dd"));
	assert_ptr_equal(at(f, 100, 60), p);
	assert_string_equal(p->pub.comm, "dd");
	finish(f);
}

static void test_guess_is_not_a_later_process(void **state)
{
	struct fixture *f = start(false);
	struct proc *p = proc_guess(&f->t, 100, 60);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 70, "dd"));
	assert_ptr_equal(at(f, 100, 65), p);
	assert_ptr_not_equal(at(f, 100, 75), p);
	assert_true(p->dead);
	finish(f);
}

static void test_exec_by_another_thread_revives(void **state)
{
	struct fixture *f = start(true);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "a"));
	feed_at(f, a_task(IOLAT_TASK_EXIT, 100, 50, "a"), 60);
	assert_int_equal(proc_selected_alive(&f->t, false), 0);
	feed_at(f, a_task(IOLAT_TASK_EXEC, 100, 50, "b"), 61);
	assert_int_equal(proc_selected_alive(&f->t, false), 1);
	assert_string_equal(at(f, 100, 70)->pub.comm, "b");
	finish(f);
}

static void test_children_inherit(void **state)
{
	struct fixture *f = start(false);

	select_name(f, "^train");
	fork_from(f, 1, 10, 10, "trainer");
	fork_from(f, 10, 11, 20, "sh");
	fork_from(f, 11, 12, 30, "cat");
	fork_from(f, 1, 13, 40, "cat");
	assert_true(wanted(f, 12));
	assert_false(wanted(f, 13));
	assert_int_equal(proc_selected_alive(&f->t, false), 3);
	feed_at(f, a_task(IOLAT_TASK_EXEC, 10, 10, "other"), 50);
	assert_true(wanted(f, 10)); /* once a member, always one */
	finish(f);
}

static void test_rename_selects_from_then_on(void **state)
{
	struct fixture *f = start(false);

	select_name(f, "^train");
	fork_from(f, 1, 10, 10, "sh");
	fork_from(f, 10, 11, 20, "before");
	feed_at(f, a_task(IOLAT_TASK_COMM, 10, 10, "trainer"), 30);
	fork_from(f, 10, 12, 40, "after");
	assert_true(wanted(f, 10));
	assert_false(wanted(f, 11));
	assert_true(wanted(f, 12));
	finish(f);
}

static void test_scan_sees_children_before_parents(void **state)
{
	struct fixture *f = start(false);

	select_name(f, "^train");
	seen(f, 20, 10, 100, "leaf");
	seen(f, 30, 20, 101, "sh");
	fork_from(f, 20, 40, 102, "young");
	assert_false(wanted(f, 10));
	seen(f, 1, 30, 103, "trainer");
	assert_true(wanted(f, 10));
	assert_true(wanted(f, 40));
	assert_int_equal(proc_selected_alive(&f->t, false), 4);
	finish(f);
}

static void test_scan_after_a_rename_does_not_reach_back(void **state)
{
	struct fixture *f = start(false);

	select_name(f, "^train");
	seen(f, 1, 30, 100, "sh");
	seen(f, 30, 10, 101, "leaf");
	feed_at(f, a_task(IOLAT_TASK_EXEC, 30, 30, "trainer"), 200);
	assert_false(wanted(f, 10));
	finish(f);
}

static void test_families_in_a_circle_end(void **state)
{
	struct fixture *f = start(false);

	select_name(f, "^train");
	seen(f, 11, 10, 100, "a");
	seen(f, 10, 11, 100, "b");
	assert_false(wanted(f, 10));
	finish(f);
}

static void test_user_and_name_and_kernel(void **state)
{
	struct fixture *f = start(false);
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 12, 30, "train");

	select_name(f, "train");
	assert_int_equal(select_add_uid(&f->selection, 1000), 0);
	e.uid = 0;
	feed(f, e);
	fork_from(f, 1, 10, 10, "train");
	fork_from(f, 1, 11, 20, "cat");
	assert_true(wanted(f, 10));
	assert_false(wanted(f, 11));
	assert_false(wanted(f, 12));
	assert_int_equal(proc_selected_alive(&f->t, true), 0);
	e = a_task(IOLAT_TASK_COMM, 10, 10, "train");
	e.flags = IOLAT_TASK_SELECTED;
	feed(f, e);
	assert_int_equal(proc_selected_alive(&f->t, true), 1);
	feed(f, a_task(IOLAT_TASK_EXIT, 10, 10, "train"));
	assert_int_equal(proc_selected_alive(&f->t, true), 0);
	finish(f);
}

static void test_nobody_is_wanted_only_without_a_selection(void **state)
{
	struct fixture *f = start(false);

	assert_true(proc_wanted(&f->t, NULL));
	select_name(f, "x");
	assert_false(proc_wanted(&f->t, NULL));
	finish(f);
}

static void live_and_die(struct fixture *f, uint32_t pid, uint64_t ns)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, pid, ns, "x");

	feed(f, e);
	e.tid = pid + 1000000;
	feed(f, e);
	e = a_task(IOLAT_TASK_EXIT, pid, ns, "x");
	e.ts_ns = ns + 1;
	feed(f, e);
}

static void test_churn_is_bounded_and_references_hold(void **state)
{
	struct fixture *f = start(true);
	struct proc *kept;

	live_and_die(f, 1, 1);
	kept = at(f, 1, 1);
	proc_ref(kept);
	for (uint32_t i = 2; i < 3 * PROC_DEAD; i++)
		live_and_die(f, 1 + i % 20000, i * 10);
	assert_int_equal(f->t.dead.n, PROC_DEAD);
	assert_int_equal(f->t.live.n, 0);
	assert_true(f->t.by_pid.count <= PROC_DEAD);
	assert_int_equal(f->t.threads_live.n, 0);
	assert_true(f->t.threads_dead.n <= THREAD_DEAD);
	assert_int_equal(f->t.threads.count, f->t.threads_dead.n);
	assert_string_equal(kept->pub.comm, "x");
	proc_unref(kept);
	finish(f);
}

static void test_one_pid_has_few_processes(void **state)
{
	struct fixture *f = start(false);

	for (uint32_t i = 1; i < 100; i++)
		live_and_die(f, 7, i * 10);
	assert_int_equal(f->t.dead.n, PROC_SAME_PID);
	assert_int_equal(at(f, 7, UINT64_MAX)->pub.start_ns, 990);
	finish(f);
}

static void test_threads_come_again(void **state)
{
	struct fixture *f = start(true);
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 50, "a");
	struct proc_thread *first;

	feed(f, e);
	e.tid = 101;
	feed(f, e);
	first = proc_thread_get(&f->t, at(f, 100, 50), 101);
	proc_thread_ref(first);
	e.what = IOLAT_TASK_EXIT;
	feed(f, e);
	assert_ptr_equal(proc_thread_get(&f->t, at(f, 100, 50), 101), first);
	e.what = IOLAT_TASK_NEW;
	feed(f, e);
	assert_ptr_not_equal(proc_thread_get(&f->t, at(f, 100, 50), 101), first);
	proc_thread_unref(first);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts_of_a_process),
		cmocka_unit_test(test_only_the_leader_names_a_process),
		cmocka_unit_test(test_old_word_does_not_rename),
		cmocka_unit_test(test_reused_pid_is_told_by_time),
		cmocka_unit_test(test_lost_exit_ends_with_the_next_of_the_pid),
		cmocka_unit_test(test_lists_end_who_is_not_on_them),
		cmocka_unit_test(test_proc_rounds_starts_to_ticks),
		cmocka_unit_test(test_guess_is_adopted_by_a_late_birth),
		cmocka_unit_test(test_guess_is_not_a_later_process),
		cmocka_unit_test(test_exec_by_another_thread_revives),
		cmocka_unit_test(test_children_inherit),
		cmocka_unit_test(test_rename_selects_from_then_on),
		cmocka_unit_test(test_scan_sees_children_before_parents),
		cmocka_unit_test(test_scan_after_a_rename_does_not_reach_back),
		cmocka_unit_test(test_families_in_a_circle_end),
		cmocka_unit_test(test_user_and_name_and_kernel),
		cmocka_unit_test(test_nobody_is_wanted_only_without_a_selection),
		cmocka_unit_test(test_churn_is_bounded_and_references_hold),
		cmocka_unit_test(test_one_pid_has_few_processes),
		cmocka_unit_test(test_threads_come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
