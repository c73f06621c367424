// SPDX-License-Identifier: GPL-2.0
/* Tasks' time: how waits become sums of frames and of the run, and what decides their reasons. */
#include "feed_waits.h"
#include "stats/tasks.h"

static void test_reasons_sum_up(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait fault = wait_of(100, 300, 350);
	const struct task *t;

	make_task(f, 100, "worker");
	read_and_wait(f, 100, 100, 200);
	fault.call = IOLAT_CALL_NONE;
	feed(f, fault);
	whole(f, T0 + MS(1000));
	assert_true(f->s.waits);
	t = task_of(f, 100);
	assert_ms(t->wall_ns, 1000);
	assert_ms(t->blocked_ns, 150);
	assert_ms(t->reasons[REASON_DISK], 100);
	assert_ms(t->reasons[REASON_PAGE_FAULT], 50);
	finish(f);
}

/* A wait that goes on counts in each frame as far as it went, and in the end as a whole. */
static void test_a_wait_over_three_frames(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait open = wait_of(100, 500, 1000);

	make_task(f, 100, "worker");
	open.flags |= IOLAT_WAIT_OPEN;
	feed(f, a_look(T0 + MS(1000)));
	feed(f, an_inflight(T0 + MS(500)));
	feed(f, open);
	interval(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->blocked_ns, 500);
	open.end_ns = T0 + MS(2000);
	feed(f, a_look(T0 + MS(2000)));
	feed(f, an_inflight(T0 + MS(500)));
	feed(f, open);
	interval(f, T0 + MS(2000));
	assert_ms(task_of(f, 100)->blocked_ns, 1000);
	read_and_wait(f, 100, 500, 2250);
	interval(f, T0 + MS(3000));
	assert_ms(task_of(f, 100)->blocked_ns, 250);
	whole(f, T0 + MS(3000));
	assert_ms(task_of(f, 100)->reasons[REASON_DISK], 1750);
	finish(f);
}

/* What hangs in the disk below says which device passed it on, and whose it is all the same. */
static void test_a_copy_hangs(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_inflight e = an_inflight(T0 + MS(500));

	make_task(f, 100, "worker");
	feed(f, a_name(8, "dm-0"));
	e.via = 8;
	e.flags = IOLAT_RQ_COPY;
	feed(f, a_look(T0 + MS(2000)));
	feed(f, e);
	interval(f, T0 + MS(2000));
	assert_int_equal(f->s.n_stuck, 1);
	assert_string_equal(f->s.stuck[0].via, "dm-0");
	assert_int_equal(f->s.stuck[0].subject.process->pid, 100);
	finish(f);
}

static void test_life_and_death(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 200, T0 + MS(400), "short");

	e.flags = IOLAT_TASK_TRACED;
	feed(f, e);
	e.what = IOLAT_TASK_EXIT;
	e.ts_ns = T0 + MS(600);
	feed(f, e);
	interval(f, T0 + MS(1000));
	assert_ms(task_of(f, 200)->wall_ns, 200);
	interval(f, T0 + MS(2000));
	assert_null(task_of(f, 200));
	whole(f, T0 + MS(2000));
	assert_ms(task_of(f, 200)->wall_ns, 200);
	finish(f);
}

/* What a task waited before the run began is no part of it, and one that is dying lives until its last sleep is over. */
static void test_no_wait_outside_of_life(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait early = wait_of(100, 0, 20);
	struct iolat_task e = a_task(IOLAT_TASK_EXIT, 100, 100, "worker");

	early.start_ns = T0 - MS(40);
	make_task(f, 100, "worker");
	feed(f, early);
	e.ts_ns = T0 + MS(30);
	feed(f, e);
	feed(f, wait_of(100, 40, 50));
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->blocked_ns, 30);
	assert_ms(task_of(f, 100)->wall_ns, 50);
	finish(f);
}

/* The pid's next process is another task. */
static void test_a_pid_twice(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 200, T0 + MS(100), "first");

	e.flags = IOLAT_TASK_TRACED;
	feed(f, e);
	read_and_wait(f, 200, 200, 300);
	e.what = IOLAT_TASK_EXIT;
	e.ts_ns = T0 + MS(400);
	feed(f, e);
	e = a_task(IOLAT_TASK_NEW, 200, T0 + MS(500), "second");
	e.flags = IOLAT_TASK_TRACED;
	feed(f, e);
	whole(f, T0 + MS(1000));
	assert_int_equal(f->s.n_tasks, 2);
	assert_string_equal(f->s.tasks[0].subject.process->comm, "first");
	assert_ms(f->s.tasks[0].blocked_ns, 100);
	assert_ms(f->s.tasks[1].blocked_ns, 0);
	finish(f);
}

static void test_threads_are_tasks_of_their_own(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 100, "reader");
	struct iolat_wait w = wait_of(100, 100, 200);

	make_task(f, 100, "trainer");
	e.tid = 101;
	e.ts_ns = T0;
	e.flags = IOLAT_TASK_TRACED;
	feed(f, e);
	w.tid = 101;
	feed(f, w);
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->blocked_ns, 0);
	assert_ms(task_of(f, 101)->blocked_ns, 100);
	assert_string_equal(task_of(f, 101)->subject.thread->comm, "reader");
	assert_int_equal(task_of(f, 101)->subject.process->pid, 100);
	finish(f);
}

/* io_getevents is a wait for the disk only with a request of the process in it, whichever thread's. */
static void test_asynchronous_io(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 100, 200);
	struct iolat_request rq = io_of(100, 150, 0, 100);

	make_task(f, 100, "aio");
	w.call = IOLAT_CALL_AIO;
	w.flags = 0;
	feed(f, w);
	whole(f, T0 + MS(300));
	assert_ms(task_of(f, 100)->blocked_ns, 0);
	rq.tid = 101;
	feed(f, rq); /* comes late: it was in flight */
	whole(f, T0 + MS(400));
	assert_ms(task_of(f, 100)->reasons[REASON_DISK], 100);
	w = wait_of(100, 500, 600); /* a timeout with nothing in flight */
	w.call = IOLAT_CALL_AIO;
	feed(f, w);
	feed(f, io_of(100, 700, 0, 50));
	whole(f, T0 + MS(800));
	assert_ms(task_of(f, 100)->blocked_ns, 100);
	finish(f);
}

/* A write(2) from a mapped file: the fault is inside the call, and only the count of faults tells. */
static void test_a_fault_inside_a_call(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 100, 200);

	make_task(f, 100, "sender");
	feed(f, io_of(100, 200, 0, 100));
	w.call = IOLAT_CALL_WRITE;
	w.major_faults = 5;
	feed(f, w);
	w = wait_of(100, 300, 301);
	w.major_faults = 6;
	feed(f, w);
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->reasons[REASON_PAGE_FAULT], 100);
	assert_ms(task_of(f, 100)->reasons[REASON_DISK], 1);
	finish(f);
}

/* Without a request, in a cgroup with a limit: held back. What was let go is the disk's from there on. */
static void test_held_back_by_a_limit(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_other released = an_other();
	struct iolat_limit none = a_limit();

	make_task(f, 100, "worker");
	feed(f, a_name(77, "kthrotld"));
	feed(f, a_limit());
	released.tgid = 0;
	released.tid = 12;
	released.via = 77;
	released.owner = IOLAT_OWNER_BIO;
	released.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7);
	released.end_ns = T0 + MS(200);
	released.queue_ns = MS(0);
	released.device_ns = MS(20);
	feed(f, released);
	feed(f, wait_of(100, 100, 200));
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->reasons[REASON_THROTTLE], 80);
	assert_ms(task_of(f, 100)->reasons[REASON_DISK], 20);
	none.read_bps = 0;
	feed(f, none);
	feed(f, wait_of(100, 300, 400));
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->reasons[REASON_THROTTLE], 80);
	finish(f);
}

static void test_a_read_limit_holds_back_no_write(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 100, 200);

	make_task(f, 100, "worker");
	feed(f, a_limit());
	w.call = IOLAT_CALL_WRITE;
	feed(f, w);
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->reasons[REASON_THROTTLE], 0);
	assert_ms(task_of(f, 100)->reasons[REASON_DISK], 100);
	finish(f);
}

static void test_without_waits_there_are_no_tasks(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_run());
	make_task(f, 100, "worker");
	whole(f, T0 + MS(1000));
	assert_false(f->s.waits);
	assert_int_equal(f->s.n_tasks, 0);
	finish(f);
}

/* Weeks of short processes: those that waited stay, memory does not grow. */
static void test_many_tasks(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_task e;

	make_task(f, 100, "worker");
	read_and_wait(f, 100, 10, 500);
	for (uint32_t i = 0; i < 60000; i++) {
		e = a_task(IOLAT_TASK_NEW, 1000 + i % 20000, T0 + MS(i + 1), "short");
		e.flags = IOLAT_TASK_TRACED;
		feed(f, e);
		e.what = IOLAT_TASK_EXIT;
		feed(f, e);
	}
	whole(f, T0 + MS(70000));
	assert_true(f->s.n_tasks <= 16384);
	assert_ms(task_of(f, 100)->blocked_ns, 490);
	finish(f);
}

/* Room is made in the middle of a run, too, for a thread of a process whose other ones have ended. */
static void test_room_for_a_thread(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_task e = a_task(IOLAT_TASK_EXIT, 100, T0 + MS(20), "loader");
	struct iolat_wait w = wait_of(100, 10, 11);

	w.tid = e.tid = 101;
	feed(f, w);
	feed(f, e);
	for (uint32_t i = 0; i < 2 * TASKS_KEPT; i++)
		feed(f, wait_of(1000 + i, 10, 510));
	w = wait_of(100, 30, 40);
	w.tid = 102;
	feed(f, w);
	whole(f, T0 + MS(1000));
	assert_null(task_of(f, 101));
	assert_ms(task_of(f, 102)->blocked_ns, 10);
	finish(f);
}

/* More disks than are remembered have something in flight: each is what its event names, or not known. */
static void test_many_disks_hang(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_inflight e = an_inflight(T0 - MS(500));
	size_t known = 0;

	for (e.disk = 1; e.disk <= MODEL_DISKS + 1000; e.disk++)
		feed(f, a_disk(e.disk, "sdx"));
	feed(f, a_look(T0 + MS(1000)));
	for (e.disk = 1; e.disk <= MODEL_DISKS + 1000; e.disk++) {
		e.sector = e.disk;
		feed(f, e);
	}
	whole(f, T0 + MS(1000));
	assert_int_equal(f->s.n_stuck, MODEL_DISKS + 1000);
	for (size_t i = 0; i < f->s.n_stuck; i++) {
		const struct disk *disk = f->s.stuck[i].subject.disk;

		if (disk)
			assert_int_equal(disk->number, f->s.stuck[i].sector);
		known += disk != NULL;
	}
	assert_int_equal(known, MODEL_DISKS);
	finish(f);
}

/* The same of threads that have ended. */
static void test_io_of_many_threads_hangs(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_inflight e = an_inflight(T0 - MS(500));
	struct iolat_task end = a_task(IOLAT_TASK_EXIT, 100, T0 + MS(500), "server");

	make_task(f, 100, "server");
	feed(f, end);
	feed(f, a_look(T0 + MS(1000)));
	for (uint32_t i = 0; i < THREAD_DEAD + 1000; i++) {
		e.sector = e.tid = 1000 + i;
		feed(f, e);
	}
	whole(f, T0 + MS(1000));
	assert_int_equal(f->s.n_stuck, THREAD_DEAD + 1000);
	for (size_t i = 0; i < f->s.n_stuck; i++)
		assert_int_equal(f->s.stuck[i].subject.thread->tid, f->s.stuck[i].sector);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_sum_up),
		cmocka_unit_test(test_a_wait_over_three_frames),
		cmocka_unit_test(test_a_copy_hangs),
		cmocka_unit_test(test_life_and_death),
		cmocka_unit_test(test_no_wait_outside_of_life),
		cmocka_unit_test(test_a_pid_twice),
		cmocka_unit_test(test_threads_are_tasks_of_their_own),
		cmocka_unit_test(test_asynchronous_io),
		cmocka_unit_test(test_a_fault_inside_a_call),
		cmocka_unit_test(test_held_back_by_a_limit),
		cmocka_unit_test(test_a_read_limit_holds_back_no_write),
		cmocka_unit_test(test_without_waits_there_are_no_tasks),
		cmocka_unit_test(test_many_tasks),
		cmocka_unit_test(test_room_for_a_thread),
		cmocka_unit_test(test_many_disks_hang),
		cmocka_unit_test(test_io_of_many_threads_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
