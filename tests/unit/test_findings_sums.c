// SPDX-License-Identifier: GPL-2.0
/* What findings add up: requests that were counted in the kernel, data that is read again; and that all of them are
 * silent where there is nothing to say. */
#include "feed_waits.h"
#include "stats/findings.h"

/* `n` reads of process 100 that the kernel counted between `from` and `to` ms, each so long in the queue and in the device. */
static union an_aggregate counted(uint64_t n, uint64_t from, uint64_t to, uint64_t queue, uint64_t device)
{
	union an_aggregate u = an_aggregate();

	u.e.start_ns = T0 + MS(from);
	u.e.end_ns = u.e.last_ns = T0 + MS(to);
	u.e.ios = n;
	u.e.bytes = n * 4096;
	u.e.sum_ns[IOLAT_PART_TOTAL] = n * MS(queue + device);
	u.e.sum_ns[IOLAT_PART_QUEUE] = n * MS(queue);
	u.e.sum_ns[IOLAT_PART_DEVICE] = n * MS(device);
	u.buckets[0].count = n - u.buckets[1].count;
	u.buckets[2].count = u.buckets[3].count = n;
	return u;
}

static void test_counted_reads(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	for (uint64_t i = 0; i < 150; i++) {
		struct iolat_request rq = io_of(100, 10 + 5 * i, 0, 4);

		rq.sector = 1000 + i * 100000;
		feed(f, rq);
	}
	feed(f, counted(1000, 800, 1000, 0, 1));
	whole(f, T0 + MS(1000));
	g = finding_of(f, "small-random-reads");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "reads"), 1150);
	assert_int_equal(evidence_of(g, "small_pct"), 100); /* of those whose sizes are known */
	assert_ms((uint64_t)evidence_of(g, "read_ns"), 150 * 4 + 1000);
	finish(f);
}

static void test_a_counted_queue(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, counted(1000, 0, 1000, 6, 4));
	whole(f, T0 + MS(1000));
	g = finding_of(f, "device-saturated");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "ios"), 1000);
	assert_int_equal(evidence_of(g, "queue_pct"), 60);
	interval(f, T0 + MS(1000));
	assert_found(f, "device-saturated");
	interval(f, T0 + MS(2000)); /* its own, not the run's */
	assert_not_found(f, "device-saturated");
	finish(f);
}

/* How they failed is not known. */
static void test_counted_errors(void **state)
{
	struct fixture *f = start_waits();
	union an_aggregate u = counted(10, 0, 1000, 0, 1);
	const struct finding *g;

	u.e.errors = 3;
	feed(f, u);
	whole(f, T0 + MS(1000));
	g = finding_of(f, "io-errors");
	assert_non_null(g);
	assert_string_equal(g->text, "sda failed 3 of 10 requests");
	assert_int_equal(evidence_of(g, "errors"), 3);
	finish(f);
}

static void test_counted_swap(void **state)
{
	struct fixture *f = start_waits();
	union an_aggregate u = counted(500, 0, 1000, 0, 1);

	make_task(f, 100, "trainer");
	u.e.flags = IOLAT_RQ_SWAP;
	feed(f, u);
	whole(f, T0 + MS(1000));
	assert_int_equal(evidence_of(finding_of(f, "swap"), "swap_ios"), 500);
	finish(f);
}

static void test_counted_without_owner(void **state)
{
	struct fixture *f = start_waits();
	union an_aggregate u = counted(1000, 0, 1000, 0, 1);

	u.e.op = IOLAT_OP_WRITE;
	u.e.owner = IOLAT_OWNER_NONE;
	u.e.tgid = 0;
	u.e.cgroup = 0;
	u.e.other = 1; /* that of several, for want of room: they may well have owners */
	u.e.disk = 0;
	feed(f, u);
	whole(f, T0 + MS(1000));
	assert_not_found(f, "unattributed");
	u.e.other = 0;
	u.e.disk = 1;
	feed(f, u);
	whole(f, T0 + MS(1000));
	assert_int_equal(evidence_of(finding_of(f, "unattributed"), "unowned_pct"), 50);
	finish(f);
}

/* The course of a disk that is as fast as the ring is full. */
static void test_a_ceiling_after_counted_reads(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	for (uint64_t at = 1000; at < 4000; at += 250)
		feed(f, counted(200, at, at + 240, 0, 1));
	for (uint64_t at = 4000; at < 9000; at += 250)
		for (uint64_t i = 0; i < 50; i++)
			feed(f, io_of(100, at + 1 + i * 248 / 50, 0, 20));
	whole(f, T0 + MS(9000));
	assert_int_equal(evidence_of(finding_of(f, "iops-ceiling"), "iops_before"), 800);
	finish(f);
}

/* A wait for asynchronous I/O is decided by what was counted, too. */
static void test_a_wait_for_counted_reads(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 100, 400);

	make_task(f, 100, "python3");
	w.call = IOLAT_CALL_AIO;
	w.flags = 0;
	feed(f, w);
	w.start_ns += MS(1400);
	w.end_ns += MS(1400);
	feed(f, w); /* nothing ran then */
	feed(f, counted(10, 0, 500, 0, 100));
	whole(f, T0 + MS(2000));
	assert_ms(task_of(f, 100)->reasons[REASON_DISK], 300);
	assert_ms(task_of(f, 100)->blocked_ns, 300);
	finish(f);
}

/* --- read again --------------------------------------------------------------------------- */

/* Process 100 reads that many MiB, from the given one on, and waits for them. */
static void read_mib(struct fixture *f, uint64_t at, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct iolat_request rq = io_of(100, at + 20 * (i + 1), 0, 20);

		rq.bytes = 1 << 20;
		rq.sector = (first + i) << 11;
		feed(f, rq);
	}
	feed(f, wait_of(100, at, at + 20 * n));
}

static bool has_evidence(const struct finding *g, const char *key)
{
	for (size_t i = 0; i < g->n_evidence; i++)
		if (!strcmp(g->evidence[i].key, key))
			return true;
	return false;
}

static void test_read_again(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "trainer");
	read_mib(f, 0, 0, 20);
	interval(f, T0 + MS(400));
	g = finding_of(f, "all-workers-io-bound");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "reread_pct"), 0);
	assert_null(strstr(g->text, "memory"));
	for (uint64_t round = 1; round < 4; round++)
		read_mib(f, 400 * round, 0, 20);
	whole(f, T0 + MS(1600));
	g = finding_of(f, "all-workers-io-bound");
	assert_int_equal(evidence_of(g, "reread_pct"), 75);
	assert_int_equal(evidence_of(g, "device_ios"), 80);
	assert_non_null(strstr(g->text, "more memory to cache it would help"));
	interval(f, T0 + MS(1600)); /* all of it had been read in the interval before */
	assert_int_equal(evidence_of(finding_of(f, "all-workers-io-bound"), "reread_pct"), 100);
	finish(f);
}

/* Little data is in memory soon, whatever is done. */
static void test_little_is_read_again(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "trainer");
	for (uint64_t round = 0; round < 5; round++)
		read_mib(f, 100 * round, 0, 1);
	feed(f, wait_of(100, 500, 1000));
	whole(f, T0 + MS(1000));
	assert_int_equal(evidence_of(finding_of(f, "all-workers-io-bound"), "reread_pct"), 80);
	assert_null(strstr(finding_of(f, "all-workers-io-bound")->text, "memory"));
	finish(f);
}

/* Where waits are not traced and no log is followed, nobody asks. */
static void test_nothing_is_followed(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_run run = a_run();
	struct iolat_request rq;

	run.mono_ns = T0;
	feed(f, run);
	for (uint64_t i = 0; i < 200; i++) {
		rq = io_of(100, 10 + 5 * i, 0, 4);
		rq.sector = 1000 + i % 2 * 100000;
		feed(f, rq);
	}
	whole(f, T0 + MS(1000));
	assert_false(has_evidence(finding_of(f, "small-random-reads"), "reread_pct"));
	finish(f);
}

/* --- nothing to say ------------------------------------------------------------------------ */

/* Workers that read large pieces one after the other and wait a fifth of their time for them, alone on a quick disk. */
static void test_a_sound_load(void **state)
{
	struct fixture *f = start_waits();

	for (uint32_t pid = 101; pid < 105; pid++)
		make_task(f, pid, "pt_data_worker");
	for (uint64_t at = 0; at < 2000; at += 50) {
		for (uint32_t pid = 101; pid < 105; pid++) {
			struct iolat_request rq = io_of(pid, at + 10, 1, 9);

			rq.bytes = 1 << 20;
			rq.sector = (uint64_t)pid << 24 | at << 10;
			feed(f, rq);
			feed(f, wait_of(pid, at, at + 10));
		}
		if (at % 250 == 200)
			interval(f, T0 + MS(at + 50));
	}
	whole(f, T0 + MS(2000));
	for (size_t i = 0; finding_code_at(i); i++)
		assert_not_found(f, finding_code_at(i));
	assert_int_equal(f->s.n_findings, 0);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted_reads),
		cmocka_unit_test(test_a_counted_queue),
		cmocka_unit_test(test_counted_errors),
		cmocka_unit_test(test_counted_swap),
		cmocka_unit_test(test_counted_without_owner),
		cmocka_unit_test(test_a_ceiling_after_counted_reads),
		cmocka_unit_test(test_a_wait_for_counted_reads),
		cmocka_unit_test(test_read_again),
		cmocka_unit_test(test_little_is_read_again),
		cmocka_unit_test(test_nothing_is_followed),
		cmocka_unit_test(test_a_sound_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
