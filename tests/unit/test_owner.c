// SPDX-License-Identifier: GPL-2.0
/*
 * Whose an I/O is in the rows: user tasks by pid and time, kernel submitters by `via`,
 * copies below stacked devices, and selections by name and owner.
 */
#include "feed_run.h"

static struct iolat_request kernel_request(enum iolat_owner owner, uint32_t tid, uint32_t via)
{
	struct iolat_request e = a_request();

	e.owner = owner;
	e.tgid = 0;
	e.tid = tid;
	e.via = via;
	if (owner == IOLAT_OWNER_NONE)
		e.cgroup = 0;
	return e;
}

static struct iolat_task a_kthread(uint32_t pid, const char *comm)
{
	struct iolat_task e = a_task(IOLAT_TASK_SEEN, pid, 10000000, comm);

	e.flags = IOLAT_TASK_KTHREAD;
	return e;
}

static void test_kernel_submitters_are_told_by_via(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_name(1, "writeback"));
	feed(f, a_name(2, "loop3"));
	feed(f, a_kthread(50, "jbd2/sda1-8"));
	feed(f, a_kthread(51, "kworker/0:1"));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 51, 1));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 52, 1));
	feed(f, kernel_request(IOLAT_OWNER_PAGE, 51, 2));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 50, 0));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 51, 0));
	feed(f, kernel_request(IOLAT_OWNER_NONE, 60, 0));
	whole(f, 1000);
	assert_int_equal(f->s.n_rows, 5);
	assert_int_equal(row_via(f, "writeback")->ios, 2);
	assert_null(row_via(f, "writeback")->subject.process);
	assert_string_equal(row_via(f, "writeback")->owner_from, "bio");
	assert_string_equal(row_via(f, "loop3")->owner_from, "page");
	assert_int_equal(row_via(f, "kernel thread jbd2/sda1-8")->ios, 1);
	assert_int_equal(row_via(f, "kernel thread kworker")->ios, 1);
	assert_null(row_via(f, "kernel thread")->owner_from);
	assert_int_equal(f->s.coverage.tally.unowned, 1);
	finish(f);
}

static void test_late_names_hold_from_then_on(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, kernel_request(IOLAT_OWNER_BIO, 50, 1));
	feed(f, a_name(1, "writeback"));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 50, 1));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 51, 0));
	feed(f, a_kthread(51, "kthreadd"));
	feed(f, a_kthread(51, "kswapd0"));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 51, 0));
	whole(f, 1000);
	assert_int_equal(row_via(f, "writeback")->ios, 1);
	assert_int_equal(row_via(f, "kernel thread kswapd0")->ios, 1);
	assert_int_equal(row_via(f, "kernel thread")->ios, 2);
	finish(f);
}

static void test_owner_from_is_the_step_of_most(void **state)
{
	struct fixture *f = start(1u << BY_DEVICE);

	feed(f, a_request());
	feed(f, kernel_request(IOLAT_OWNER_PAGE, 50, 0));
	feed(f, kernel_request(IOLAT_OWNER_PAGE, 50, 0));
	whole(f, 1000);
	assert_string_equal(the_row(f)->owner_from, "page");
	assert_null(the_row(f)->via); /* some had none */
	finish(f);
}

static void test_common_via_without_submitters(void **state)
{
	struct fixture *f = start(1u << BY_CGROUP);

	feed(f, a_name(1, "writeback"));
	feed(f, kernel_request(IOLAT_OWNER_BIO, 50, 1));
	interval(f, 1000);
	feed(f, kernel_request(IOLAT_OWNER_PAGE, 51, 1));
	whole(f, 2000);
	assert_string_equal(the_row(f)->via, "writeback");
	interval(f, 2000);
	feed(f, kernel_request(IOLAT_OWNER_PAGE, 51, 0));
	whole(f, 3000);
	assert_null(the_row(f)->via);
	finish(f);
}

static void test_unknown_processes_have_no_name(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_request());
	whole(f, 1000);
	assert_int_equal(the_row(f)->subject.process->pid, 100);
	assert_false(the_row(f)->subject.process->comm_known);
	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "late"));
	feed(f, a_request());
	whole(f, 2000);
	assert_string_equal(the_row(f)->subject.process->comm, "late");
	assert_int_equal(the_row(f)->ios, 2);
	finish(f);
}

static struct iolat_request submitted_at(uint64_t ns)
{
	struct iolat_request e = a_request();

	e.end_ns = ns + e.queue_ns + e.device_ns;
	return e;
}

static void test_reused_pids_are_other_rows(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 1111, "first"));
	feed(f, submitted_at(2000));
	feed(f, submitted_at(2000));
	feed(f, a_task(IOLAT_TASK_EXIT, 100, 1111, "first"));
	feed(f, submitted_at(2500)); /* trails behind the exit */
	feed(f, a_task(IOLAT_TASK_NEW, 100, 3333, "second"));
	feed(f, submitted_at(2700)); /* and behind the next one's birth */
	feed(f, submitted_at(4000));
	feed(f, submitted_at(2700));
	feed(f, submitted_at(4000));
	whole(f, 1000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(row_comm(f, "first")->ios, 5);
	assert_int_equal(row_comm(f, "second")->ios, 2);
	finish(f);
}

/* So many that all that have ended before them are forgotten. */
static void others_come_and_go(struct fixture *f, struct iolat_task e)
{
	for (uint32_t i = 1000; i < 20000; i++) {
		e.tid = i;
		e.tgid = e.tgid == 100 ? 100 : i;
		e.what = IOLAT_TASK_NEW;
		feed(f, e);
		e.what = IOLAT_TASK_EXIT;
		feed(f, e);
	}
}

static void test_pids_that_were_forgotten_are_other_rows(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 1111, "first"));
	feed(f, submitted_at(2000));
	feed(f, a_task(IOLAT_TASK_EXIT, 100, 1111, "first"));
	others_come_and_go(f, a_task(IOLAT_TASK_NEW, 1, 2500, "churn"));
	feed(f, a_task(IOLAT_TASK_NEW, 100, 3333, "second"));
	feed(f, submitted_at(4000));
	whole(f, 1000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(row_comm(f, "first")->ios, 1);
	assert_int_equal(row_comm(f, "second")->ios, 1);
	finish(f);
}

static void test_tids_that_were_forgotten_are_other_rows(void **state)
{
	struct fixture *f = start(1u << BY_THREAD);
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 1111, "first");
	struct iolat_request read = submitted_at(2000);

	feed(f, e);
	e.tid = read.tid = 101;
	feed(f, e);
	feed(f, read);
	e.what = IOLAT_TASK_EXIT;
	feed(f, e);
	others_come_and_go(f, e);
	feed(f, a_task(IOLAT_TASK_NEW, 100, 1111, "first"));
	e = a_task(IOLAT_TASK_NEW, 101, 3333, "second");
	e.tgid = 100;
	e.start_ns = 1111;
	feed(f, e);
	feed(f, read);
	whole(f, 1000000);
	assert_int_equal(f->s.n_rows, 2);
	finish(f);
}

static void test_rows_keep_what_the_tables_forgot(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "early"));
	feed(f, a_request());
	interval(f, 1000);
	feed(f, a_task(IOLAT_TASK_EXIT, 100, 50, "early"));
	for (uint32_t i = 1000; i < 20000; i++) {
		feed(f, a_task(IOLAT_TASK_NEW, i, i, "churn"));
		feed(f, a_task(IOLAT_TASK_EXIT, i, i, "churn"));
	}
	for (uint32_t i = 2; i < 10000; i++)
		feed(f, a_disk(i, "loop0"));
	whole(f, 2000);
	assert_string_equal(the_row(f)->subject.process->comm, "early");
	assert_int_equal(the_row(f)->subject.disk->number, 1);
	assert_true(f->s.coverage.n_disks < 9000);
	finish(f);
}

static void test_threads_of_one_process(void **state)
{
	struct fixture *f = start(1u << BY_PROCESS | 1u << BY_THREAD);
	struct iolat_task task = a_task(IOLAT_TASK_NEW, 100, 50, "app");
	struct iolat_request e = a_request();

	feed(f, task);
	task.tid = 101;
	memcpy(task.comm, "pool-1", sizeof("pool-1"));
	feed(f, task);
	feed(f, e);
	e.tid = 101;
	feed(f, e);
	feed(f, kernel_request(IOLAT_OWNER_BIO, 50, 0));
	whole(f, 1000);
	assert_int_equal(f->s.n_rows, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct thread *th = f->s.rows[i]->subject.thread;

		if (!f->s.rows[i]->subject.process)
			assert_null(th);
		else
			assert_string_equal(th->comm, th->tid == 101 ? "pool-1" : "app");
	}
	finish(f);
}

static void test_copies_count_beside_their_device_only(void **state)
{
	struct fixture *f = start(BY_DEFAULT), *g = start(1u << BY_PROCESS);
	struct iolat_request e = kernel_request(IOLAT_OWNER_BIO, 50, 1);

	e.flags = IOLAT_RQ_COPY;
	feed(f, a_name(1, "dm-3"));
	feed(g, a_name(1, "dm-3"));
	feed(f, e);
	feed(g, e);
	whole(f, 1000);
	assert_int_equal(row_via(f, "dm-3")->ios, 1);
	assert_int_equal(f->s.coverage.tally.requests, 1);
	whole(g, 1000);
	assert_int_equal(g->s.n_rows, 0);
	assert_int_equal(g->s.coverage.tally.requests, 0);
	assert_int_equal(g->s.coverage.tally.unowned, 0);
	assert_int_equal(g->s.coverage.disks[0].seen, 1);
	finish(f);
	finish(g);
}

static void test_copies_of_a_task_carry_via(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	e.flags = IOLAT_RQ_COPY;
	e.via = 1;
	feed(f, a_name(1, "dm-0"));
	feed(f, e);
	whole(f, 1000);
	assert_string_equal(the_row(f)->via, "dm-0");
	assert_non_null(the_row(f)->subject.process);
	feed(f, a_request());
	whole(f, 1000);
	assert_null(the_row(f)->via);
	finish(f);
}

static void test_selection_counts_wanted_processes(void **state)
{
	struct selection s = {0};
	struct fixture *f;
	struct iolat_request e = a_request();
	char why[64];

	assert_int_equal(select_add_name(&s, "^dd$", why, sizeof(why)), 0);
	f = start_with(BY_DEFAULT, 0, &s);
	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "dd"));
	feed(f, a_task(IOLAT_TASK_NEW, 101, 50, "cat"));
	feed(f, e);
	e.tgid = 101;
	feed(f, e);
	feed(f, e);
	feed(f, kernel_request(IOLAT_OWNER_BIO, 50, 0));
	whole(f, 1000);
	assert_int_equal(the_row(f)->ios, 1);
	assert_int_equal(f->s.coverage.tally.requests, 1);
	assert_int_equal(f->s.coverage.disks[0].seen, 4);
	assert_int_equal(run_selected_alive(f->run), 1);
	feed(f, a_task(IOLAT_TASK_COMM, 101, 50, "dd")); /* the cached answer must not stay */
	feed(f, e);
	whole(f, 1000);
	assert_int_equal(f->s.coverage.tally.requests, 2);
	assert_int_equal(run_selected_alive(f->run), 2);
	feed(f, a_task(IOLAT_TASK_EXIT, 100, 50, "dd"));
	feed(f, a_task(IOLAT_TASK_EXIT, 101, 50, "dd"));
	assert_int_equal(run_selected_alive(f->run), 0);
	finish(f);
}

/* A scan of /proc may tell of a parent after its child's first request. */
static void test_late_parents_select_their_children(void **state)
{
	struct selection s = {0};
	struct fixture *f;
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 50, "cat");
	char why[64];

	assert_int_equal(select_add_name(&s, "^sh$", why, sizeof(why)), 0);
	f = start_with(BY_DEFAULT, 0, &s);
	e.ppid = 99;
	feed(f, e);
	feed(f, a_request());
	feed(f, a_task(IOLAT_TASK_SEEN, 99, 40, "sh"));
	feed(f, a_request());
	whole(f, 1000);
	assert_int_equal(the_row(f)->ios, 1);
	finish(f);
}

static void test_the_kernels_selection_alive(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_run run = a_run();
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 50, "dd");

	run.selected = 1;
	feed(f, run);
	feed(f, a_task(IOLAT_TASK_NEW, 101, 50, "cat"));
	assert_int_equal(run_selected_alive(f->run), 0);
	e.flags = IOLAT_TASK_SELECTED;
	feed(f, e);
	assert_int_equal(run_selected_alive(f->run), 1);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_submitters_are_told_by_via),
		cmocka_unit_test(test_late_names_hold_from_then_on),
		cmocka_unit_test(test_owner_from_is_the_step_of_most),
		cmocka_unit_test(test_common_via_without_submitters),
		cmocka_unit_test(test_unknown_processes_have_no_name),
		cmocka_unit_test(test_reused_pids_are_other_rows),
		cmocka_unit_test(test_pids_that_were_forgotten_are_other_rows),
		cmocka_unit_test(test_tids_that_were_forgotten_are_other_rows),
		cmocka_unit_test(test_rows_keep_what_the_tables_forgot),
		cmocka_unit_test(test_threads_of_one_process),
		cmocka_unit_test(test_copies_count_beside_their_device_only),
		cmocka_unit_test(test_copies_of_a_task_carry_via),
		cmocka_unit_test(test_selection_counts_wanted_processes),
		cmocka_unit_test(test_late_parents_select_their_children),
		cmocka_unit_test(test_the_kernels_selection_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
