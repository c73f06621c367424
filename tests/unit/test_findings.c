// SPDX-License-Identifier: GPL-2.0
/* Findings: for each the numbers that bear it out, and close ones that do not. */
#include "feed_waits.h"

/* A loader's workers 101.. that each wait on the disk for that part of two seconds. */
static void workers(struct fixture *f, const unsigned int *pct, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		make_task(f, 101 + i, "pt_data_worker");
		if (pct[i])
			read_and_wait(f, 101 + i, 10, 10 + 20 * pct[i]);
	}
	whole(f, T0 + MS(2010));
}

#define WORKERS(f, ...) workers(f, (const unsigned int[]){__VA_ARGS__}, \
				sizeof((const unsigned int[]){__VA_ARGS__}) / sizeof(unsigned int))

static void test_one_worker_is_stuck(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	WORKERS(f, 3, 2, 81, 1);
	g = finding_of(f, "worker-stuck");
	assert_non_null(g);
	assert_string_equal(f->s.findings[0].code, "worker-stuck");
	assert_int_equal(evidence_of(g, "pid"), 103);
	assert_int_equal(evidence_of(g, "worker"), 2);
	assert_int_equal(evidence_of(g, "siblings"), 3);
	assert_true(evidence_of(g, "blocked_pct") > 80);
	assert_non_null(strstr(g->text, "worker 2, pid 103"));
	assert_non_null(strstr(g->text, "on sda"));
	assert_not_found(f, "not-the-disk");
	assert_not_found(f, "all-workers-io-bound");
	finish(f);
}

/* In a distributed job several processes have a worker 2. */
static void test_a_stuck_worker_of_a_rank(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_process_facts e = some_process_facts(50, 50, IOLAT_FACT_PYTHON);

	e.rank = 1;
	e.world_size = 2;
	feed(f, e);
	WORKERS(f, 3, 2, 81, 1);
	assert_non_null(strstr(finding_of(f, "worker-stuck")->subject, "worker 2 of rank 1, pid 103"));
	finish(f);
}

/* Processes that no loader made go by their pids. */
static void test_a_stuck_sibling_that_is_no_worker(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	for (uint32_t i = 0; i < 3; i++) {
		struct iolat_task e = a_task(IOLAT_TASK_EXEC, 101 + i, 101 + i, "postgres");

		make_task(f, 101 + i, "python3");
		e.ts_ns = T0 + 1;
		feed(f, e);
	}
	read_and_wait(f, 102, 10, 1600);
	whole(f, T0 + MS(2010));
	g = finding_of(f, "worker-stuck");
	assert_non_null(g);
	assert_null(strstr(g->text, "worker"));
	assert_non_null(strstr(g->text, "pid 102 (postgres) waits for I/O"));
	finish(f);
}

/* A second one would be a second finding; there is none. */
static void test_only_the_stuck_one_is_named(void **state)
{
	struct fixture *f = start_waits();
	size_t n = 0;

	WORKERS(f, 15, 10, 81, 12);
	for (size_t i = 0; i < f->s.n_findings; i++)
		n += !strcmp(f->s.findings[i].code, "worker-stuck");
	assert_int_equal(n, 1);
	finish(f);
}

static void test_alike_workers_are_not_stuck(void **state)
{
	struct fixture *f = start_waits();

	WORKERS(f, 30, 35, 45, 28);
	assert_not_found(f, "worker-stuck");
	finish(f);
}

static void test_all_workers_are_bound(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	WORKERS(f, 70, 85, 90, 60);
	g = finding_of(f, "all-workers-io-bound");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "workers"), 4);
	assert_not_found(f, "worker-stuck");
	assert_not_found(f, "not-the-disk");
	finish(f);
}

static void test_half_the_workers_are_not_all(void **state)
{
	struct fixture *f = start_waits();

	WORKERS(f, 70, 85, 10, 5);
	assert_not_found(f, "all-workers-io-bound");
	finish(f);
}

static void test_it_is_not_the_disk(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	WORKERS(f, 1, 2, 0, 3);
	g = finding_of(f, "not-the-disk");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "processes"), 4);
	assert_int_equal(f->s.n_findings, 1);
	finish(f);
}

/* The file system that hangs without any request does not make the disk innocent. */
static void test_other_waits_are_waits(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(101, 0, 1000);

	make_task(f, 101, "python3");
	w.fs_magic = 0x6969;
	feed(f, w);
	whole(f, T0 + MS(2000));
	assert_not_found(f, "not-the-disk");
	assert_not_found(f, "all-workers-io-bound");
	finish(f);
}

static void test_nobody_was_there_long_enough(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 101, "python3");
	whole(f, T0 + MS(100));
	assert_not_found(f, "not-the-disk");
	finish(f);
}

/* Process 100 waits for that file of its disk, from and to in ms. */
static void wait_on_file(struct fixture *f, uint64_t inode, uint64_t from, uint64_t to, unsigned int flags)
{
	struct iolat_wait w = wait_of(100, from, to);

	w.fs_major = 8;
	w.fs_minor = 1;
	w.inode = inode;
	w.flags |= flags;
	feed(f, w);
}

/* --- what hangs -------------------------------------------------------------------- */

static void test_a_hung_request(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, a_look(T0 + MS(3000)));
	feed(f, an_inflight(T0 + MS(500)));
	feed(f, a_file(8, 1, 7, "/data/hangs"));
	wait_on_file(f, 7, 500, 3000, IOLAT_WAIT_OPEN);
	interval(f, T0 + MS(3000));
	assert_true(f->s.stuck_known);
	assert_int_equal(f->s.n_stuck, 1);
	assert_ms(f->s.stuck[0].age_ns, 2500);
	assert_int_equal(f->s.stuck[0].stage, STAGE_DEVICE);
	assert_int_equal(f->s.stuck[0].subject.process->pid, 100);
	assert_string_equal(f->s.stuck[0].subject.disk->name, "sda");
	g = &f->s.findings[0];
	assert_string_equal(g->code, "hung-request");
	assert_ms((uint64_t)evidence_of(g, "oldest_ns"), 2500);
	assert_int_equal(g->n_files, 1);
	assert_string_equal(g->files[0].file->path, "/data/hangs");
	assert_not_found(f, "not-the-disk");
	feed(f, a_look(T0 + MS(4000)));
	interval(f, T0 + MS(4000));
	assert_int_equal(f->s.n_stuck, 0);
	assert_not_found(f, "hung-request");
	finish(f);
}

/* Of one that was in flight before the run, only the disk can say anything: what its submitter's numbers would be means
 * nothing, also where there is a task 0. */
static void test_hung_before_the_run(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_inflight e = an_inflight(T0 - MS(500));

	e.tgid = e.tid = 0;
	e.owner = IOLAT_OWNER_BIO;
	e.earlier = 1;
	make_task(f, 0, "swapper");
	feed(f, a_look(T0 + MS(3000)));
	feed(f, e);
	interval(f, T0 + MS(3000));
	assert_int_equal(f->s.n_stuck, 1);
	assert_ms(f->s.stuck[0].age_ns, 3500);
	assert_null(f->s.stuck[0].subject.process);
	assert_null(f->s.stuck[0].via);
	assert_string_equal(f->s.findings[0].subject, "an unknown process on sda");
	assert_string_equal(f->s.findings[0].text,
			    "a read of an unknown process on sda has been in flight for 3.50s: the device has not answered");
	finish(f);
}

static void test_a_request_in_flight_is_not_hung(void **state)
{
	struct fixture *f = start_waits();

	feed(f, a_look(T0 + MS(3000)));
	feed(f, an_inflight(T0 + MS(2100)));
	interval(f, T0 + MS(3000));
	assert_int_equal(f->s.n_stuck, 0);
	assert_not_found(f, "hung-request");
	finish(f);
}

/* A task that a limit holds back has no request: it is listed as inferred. */
static void test_stuck_before_the_request(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 500, 3000);
	struct iolat_disk limited = a_disk(1, "sda");

	limited.major = 8;
	limited.minor = 1;
	feed(f, limited);
	make_task(f, 100, "python3");
	feed(f, a_cgroup(IOLAT_CGROUP(IOLAT_TREE_V2, 7), "/pod"));
	feed(f, a_container(IOLAT_CGROUP(IOLAT_TREE_V2, 7), (const char *const[IOLAT_TEXT_MAX]){
				    [IOLAT_TEXT_RUNTIME] = "containerd", [IOLAT_TEXT_ID] = "aa", [IOLAT_TEXT_NAME] = "main",
				    [IOLAT_TEXT_POD_NAME] = "trainer", [IOLAT_TEXT_POD_UID] = "1",
				    [IOLAT_TEXT_JOB] = "42"}));
	feed(f, a_limit());
	w.flags |= IOLAT_WAIT_OPEN;
	feed(f, a_look(T0 + MS(3000)));
	feed(f, w);
	interval(f, T0 + MS(3000));
	assert_int_equal(f->s.n_stuck, 1);
	assert_int_equal(f->s.stuck[0].stage, STAGE_BEFORE_REQUEST);
	assert_true(f->s.stuck[0].inferred);
	assert_ms(f->s.stuck[0].age_ns, 2500);
	assert_string_equal(f->s.stuck[0].subject.disk->name, "sda");
	assert_string_equal(f->s.stuck[0].subject.container->name, "main");
	assert_string_equal(f->s.stuck[0].subject.pod->name, "trainer");
	assert_string_equal(f->s.stuck[0].subject.job->id, "42");
	assert_found(f, "cgroup-throttled");
	finish(f);
}

/* --- causes ------------------------------------------------------------------------ */

static void test_throttled(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, a_cgroup(IOLAT_CGROUP(IOLAT_TREE_V2, 7), "/job"));
	feed(f, a_limit());
	feed(f, wait_of(100, 100, 1100));
	whole(f, T0 + MS(2000));
	g = finding_of(f, "cgroup-throttled");
	assert_non_null(g);
	assert_string_equal(g->subject, "cgroup /job");
	assert_ms((uint64_t)evidence_of(g, "throttle_ns"), 1000);
	finish(f);
}

static void test_a_limit_that_is_not_reached(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	feed(f, a_limit());
	read_and_wait(f, 100, 100, 1100);
	whole(f, T0 + MS(2000));
	assert_not_found(f, "cgroup-throttled");
	finish(f);
}

static void test_sync_stall(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w;

	make_task(f, 100, "trainer");
	for (uint64_t at = 0; at < 2000; at += 100) {
		w = wait_of(100, at, at + 40);
		w.call = IOLAT_CALL_SYNC;
		w.flags = IOLAT_WAIT_DEEP;
		feed(f, w);
	}
	whole(f, T0 + MS(2000));
	assert_found(f, "sync-stall");
	assert_int_equal(evidence_of(finding_of(f, "sync-stall"), "waits"), 20);
	assert_not_found(f, "writeback-stall");
	finish(f);
}

/* A recording's frames may be shorter than a sleep, of which they hear when it is over. */
static void test_no_share_above_the_whole(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	interval(f, T0 + MS(1000));
	read_and_wait(f, 100, 100, 1900);
	interval(f, T0 + MS(2000));
	g = finding_of(f, "all-workers-io-bound");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "blocked_pct"), 100);
	assert_non_null(strstr(g->text, " 100 % of its time"));
	finish(f);
}

static void test_reading_is_no_sync_stall(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "trainer");
	read_and_wait(f, 100, 0, 1000);
	whole(f, T0 + MS(2000));
	assert_not_found(f, "sync-stall");
	assert_not_found(f, "writeback-stall");
	finish(f);
}

/* Writes that sleep without a request of their own wait for dirty pages to go. */
static void test_writeback_stall(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 100, 900);

	make_task(f, 100, "trainer");
	w.call = IOLAT_CALL_WRITE;
	feed(f, w);
	whole(f, T0 + MS(2000));
	assert_found(f, "writeback-stall");
	assert_not_found(f, "sync-stall");
	finish(f);
}

static void test_direct_writes_are_no_writeback_stall(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 900, 0, 800);
	struct iolat_wait w = wait_of(100, 100, 900);

	make_task(f, 100, "trainer");
	rq.op = IOLAT_OP_WRITE;
	w.call = IOLAT_CALL_WRITE;
	feed(f, rq);
	feed(f, w);
	whole(f, T0 + MS(2000));
	assert_not_found(f, "writeback-stall");
	finish(f);
}

static void test_swap(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 900, 0, 800);

	make_task(f, 100, "trainer");
	rq.flags = IOLAT_RQ_SWAP;
	feed(f, rq);
	whole(f, T0 + MS(2000));
	assert_found(f, "swap");
	assert_int_equal(evidence_of(finding_of(f, "swap"), "swap_ios"), 1);
	rq = io_of(100, 1900, 0, 900); /* now it reads files as long */
	feed(f, rq);
	whole(f, T0 + MS(2000));
	assert_not_found(f, "swap");
	finish(f);
}

/* --- devices ----------------------------------------------------------------------- */

static void test_io_errors(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 100, 0, 10);
	const struct finding *g;

	feed(f, rq);
	whole(f, T0 + MS(1000));
	assert_not_found(f, "io-errors");
	rq.error = 95; /* EOPNOTSUPP */
	feed(f, rq);
	whole(f, T0 + MS(1000));
	assert_not_found(f, "io-errors");
	rq.error = 5;
	feed(f, rq);
	whole(f, T0 + MS(1000));
	g = finding_of(f, "io-errors");
	assert_non_null(g);
	assert_string_equal(g->subject, "device sda");
	assert_int_equal(evidence_of(g, "errors"), 1);
	assert_int_equal(evidence_of(g, "ios"), 3);
	assert_int_equal(evidence_of(g, "errno"), 5);
	finish(f);
}

/* 200 reads of 5 ms; `jump` sectors lie between one and the next. */
static void reads(struct fixture *f, uint32_t bytes, uint64_t jump, uint64_t queue)
{
	struct iolat_request rq;

	make_task(f, 100, "python3");
	for (uint64_t i = 0; i < 200; i++) {
		rq = io_of(100, 10 + 5 * i, queue, 4);
		rq.bytes = bytes;
		rq.sector = 1000 + i * (jump + bytes / 512);
		feed(f, rq);
	}
	whole(f, T0 + MS(2000));
}

static void test_small_random_reads(void **state)
{
	struct fixture *f = start_waits();

	reads(f, 16384, 100000, 0);
	assert_found(f, "small-random-reads");
	assert_int_equal(evidence_of(finding_of(f, "small-random-reads"), "reads"), 200);
	assert_not_found(f, "device-saturated");
	finish(f);
}

static void test_large_or_sequential_reads(void **state)
{
	struct fixture *f = start_waits();

	reads(f, 131072, 100000, 0);
	assert_not_found(f, "small-random-reads");
	finish(f);
	f = start_waits();
	reads(f, 16384, 0, 0);
	assert_not_found(f, "small-random-reads");
	finish(f);
}

static void test_a_saturated_device(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	reads(f, 131072, 100000, 6);
	g = finding_of(f, "device-saturated");
	assert_non_null(g);
	assert_true(evidence_of(g, "queue_pct") > 59 && evidence_of(g, "queue_pct") < 61);
	assert_int_equal(g->n_files, 0);
	finish(f);
}

/* With the files that were waited for on it, and no others. */
static void test_files_of_a_saturated_device(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request elsewhere = io_of(100, 400, 0, 390);
	const struct finding *g;

	feed(f, a_disk(2, "sdb"));
	make_task(f, 100, "python3");
	elsewhere.disk = 2;
	feed(f, elsewhere);
	wait_on_file(f, 9, 10, 400, 0);
	for (uint64_t i = 0; i < 40; i++) {
		feed(f, io_of(100, 410 + 10 * i, 8, 2));
		wait_on_file(f, 7 + i % 4 / 3, 400 + 10 * i, 410 + 10 * i, 0);
	}
	for (uint64_t i = 0; i < 100; i++)
		feed(f, io_of(100, 900 + i, 8, 2));
	whole(f, T0 + MS(1000));
	g = finding_of(f, "device-saturated");
	assert_non_null(g);
	assert_int_equal(g->n_files, 2);
	assert_int_equal(g->files[0].file->inode, 7);
	assert_ms(g->files[0].wait_ns, 300);
	assert_int_equal(g->files[1].file->inode, 8);
	finish(f);
}

/* `n` reads in each quarter of a second from `from` on, each that long. */
static void pace(struct fixture *f, uint64_t from, uint64_t to, uint64_t n, uint64_t ms)
{
	for (uint64_t at = from; at < to; at += 250)
		for (uint64_t i = 0; i < n; i++)
			feed(f, io_of(100, at + 1 + i * 248 / n, 0, ms));
}

static void test_a_ceiling(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	pace(f, 1000, 4000, 200, 1);
	pace(f, 4000, 9000, 50, 20);
	wait_on_file(f, 7, 8900, 8999, 0);
	whole(f, T0 + MS(9000));
	g = finding_of(f, "iops-ceiling");
	assert_non_null(g);
	assert_int_equal(g->n_files, 1);
	assert_int_equal(evidence_of(g, "iops"), 200);
	assert_int_equal(evidence_of(g, "iops_before"), 800);
	finish(f);
}

static void test_no_ceiling(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3"); /* less is asked for, at the same latency */
	pace(f, 1000, 4000, 200, 5);
	pace(f, 4000, 9000, 50, 5);
	whole(f, T0 + MS(9000));
	assert_not_found(f, "iops-ceiling");
	finish(f);
	f = start_waits(); /* always the same */
	pace(f, 1000, 9000, 50, 20);
	whole(f, T0 + MS(9000));
	assert_not_found(f, "iops-ceiling");
	finish(f);
}

static struct iolat_other other_of(uint32_t pid, uint64_t end, uint64_t device)
{
	struct iolat_other e = an_other();

	e.tgid = e.tid = pid;
	e.end_ns = T0 + MS(end);
	e.queue_ns = 0;
	e.device_ns = MS(device);
	return e;
}

/* The disk serves 300 three times as long as the traced one; the shares sum up to what was waited. */
static void test_a_noisy_neighbour(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;
	double sum;

	make_task(f, 100, "python3");
	feed(f, a_task(IOLAT_TASK_SEEN, 300, 300, "etl"));
	feed(f, io_of(100, 50, 0, 1)); /* from now on others count */
	for (uint64_t at = 100; at < 1700; at += 40) {
		feed(f, other_of(300, at + 30, 30));
		feed(f, io_of(100, at + 40, 30, 10));
	}
	whole(f, T0 + MS(2000));
	g = finding_of(f, "noisy-neighbour");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "pid"), 300);
	assert_true(evidence_of(g, "share_pct") > 74 && evidence_of(g, "share_pct") < 76);
	sum = evidence_of(g, "share_pct") + evidence_of(g, "own_pct") + evidence_of(g, "nobody_pct");
	assert_true(sum > 99.9 && sum < 100.1);
	assert_ms((uint64_t)evidence_of(g, "waited_ns"), 1601);
	assert_int_equal(f->s.coverage.tally.requests, 41);
	finish(f);
}

/* It did its I/O when nobody waited, or little beside. */
static void test_no_noisy_neighbour(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	feed(f, a_task(IOLAT_TASK_SEEN, 300, 300, "etl"));
	for (uint64_t at = 100; at < 1700; at += 40)
		feed(f, io_of(100, at + 20, 0, 20));
	for (uint64_t at = 100; at < 1700; at += 40) {
		feed(f, other_of(300, at + 38, 16));
		feed(f, other_of(300, at + 4, 2));
	}
	whole(f, T0 + MS(2000));
	assert_not_found(f, "noisy-neighbour");
	finish(f);
}

static void test_unattributed(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 100, 0, 10);

	rq.bytes = 8 << 20;
	feed(f, rq);
	rq.owner = IOLAT_OWNER_NONE;
	rq.tgid = 0;
	rq.cgroup = 0;
	rq.bytes = 900000;
	feed(f, rq);
	whole(f, T0 + MS(1000));
	assert_not_found(f, "unattributed");
	rq.bytes = 4 << 20;
	feed(f, rq);
	whole(f, T0 + MS(1000));
	assert_found(f, "unattributed");
	finish(f);
}

/* No more than a screen, the most important first. */
static void test_order_and_number(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 100, 0, 10);

	for (uint32_t d = 1; d < 40; d++) {
		feed(f, a_disk(d, "disk"));
		rq.disk = d;
		rq.error = 5;
		feed(f, rq);
	}
	feed(f, a_look(T0 + MS(3000)));
	feed(f, an_inflight(T0 + MS(500)));
	whole(f, T0 + MS(3000));
	assert_int_equal(f->s.n_findings, 12);
	assert_string_equal(f->s.findings[0].code, "hung-request");
	assert_string_equal(f->s.findings[1].code, "io-errors");
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_worker_is_stuck),
		cmocka_unit_test(test_a_stuck_worker_of_a_rank),
		cmocka_unit_test(test_a_stuck_sibling_that_is_no_worker),
		cmocka_unit_test(test_only_the_stuck_one_is_named),
		cmocka_unit_test(test_alike_workers_are_not_stuck),
		cmocka_unit_test(test_all_workers_are_bound),
		cmocka_unit_test(test_half_the_workers_are_not_all),
		cmocka_unit_test(test_it_is_not_the_disk),
		cmocka_unit_test(test_other_waits_are_waits),
		cmocka_unit_test(test_nobody_was_there_long_enough),
		cmocka_unit_test(test_a_hung_request),
		cmocka_unit_test(test_hung_before_the_run),
		cmocka_unit_test(test_a_request_in_flight_is_not_hung),
		cmocka_unit_test(test_stuck_before_the_request),
		cmocka_unit_test(test_throttled),
		cmocka_unit_test(test_a_limit_that_is_not_reached),
		cmocka_unit_test(test_sync_stall),
		cmocka_unit_test(test_no_share_above_the_whole),
		cmocka_unit_test(test_reading_is_no_sync_stall),
		cmocka_unit_test(test_writeback_stall),
		cmocka_unit_test(test_direct_writes_are_no_writeback_stall),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_io_errors),
		cmocka_unit_test(test_small_random_reads),
		cmocka_unit_test(test_large_or_sequential_reads),
		cmocka_unit_test(test_a_saturated_device),
		cmocka_unit_test(test_files_of_a_saturated_device),
		cmocka_unit_test(test_a_ceiling),
		cmocka_unit_test(test_no_ceiling),
		cmocka_unit_test(test_a_noisy_neighbour),
		cmocka_unit_test(test_no_noisy_neighbour),
		cmocka_unit_test(test_unattributed),
		cmocka_unit_test(test_order_and_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
