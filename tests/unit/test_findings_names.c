// SPDX-License-Identifier: GPL-2.0
/* Whom and what findings name: containers and cgroups, neighbours, files. */
#include "feed_waits.h"

#define MINE  IOLAT_CGROUP(IOLAT_TREE_V2, 7)
#define ETL   IOLAT_CGROUP(IOLAT_TREE_V2, 9)
#define INNER IOLAT_CGROUP(IOLAT_TREE_V2, 10)

static const char *words_of(const struct finding *g, const char *key)
{
	for (size_t i = 0; i < g->n_evidence; i++)
		if (!strcmp(g->evidence[i].key, key))
			return g->evidence[i].text;
	return NULL;
}

/* --- containers ------------------------------------------------------------------------- */

/* Pids `first`.. keep the disk busy from `cgroup` while 100 waits: as the kernel's own work where `first` is 0. */
static void serve_others(struct fixture *f, uint32_t first, size_t n, uint64_t cgroup)
{
	make_task(f, 100, "python3");
	for (uint32_t i = 0; i < n; i++)
		feed(f, a_task(IOLAT_TASK_SEEN, first + i, first + i, "sort"));
	feed(f, io_of(100, 50, 0, 1));
	feed(f, wait_of(100, 49, 50)); /* which tells its cgroup */
	for (uint64_t at = 100; at < 1700; at += 40) {
		struct iolat_other e = an_other();

		e.end_ns = T0 + MS(at + 30);
		e.queue_ns = 0;
		e.device_ns = MS(30);
		e.cgroup = cgroup;
		e.tgid = first ? first + at / 40 % n : 0;
		e.tid = first ? e.tgid : 20;
		e.owner = first ? IOLAT_OWNER_TASK : IOLAT_OWNER_BIO;
		feed(f, e);
		feed(f, io_of(100, at + 40, 30, 10));
	}
	whole(f, T0 + MS(2000));
}

static struct fixture *start_containers(const struct selection *selection)
{
	struct fixture *f = start_selected_waits(selection);

	feed(f, a_docker(MINE, "aaaa", "trainer"));
	feed(f, a_docker(ETL, "bbbb", "etl-7"));
	feed(f, a_docker(INNER, "bbbb", "etl-7")); /* a cgroup that its payload made */
	return f;
}

static void test_a_container_is_named(void **state)
{
	struct fixture *f = start_containers(NULL);
	const struct finding *g;

	serve_others(f, 300, 4, ETL);
	g = finding_of(f, "noisy-neighbour");
	assert_non_null(g);
	assert_string_equal(g->subject, "container etl-7 on sda");
	assert_string_equal(words_of(g, "container"), "etl-7");
	assert_non_null(strstr(g->text, "container etl-7 holds sda: it was served for 75 % of the time"));
	finish(f);
}

/* A shell's commands, one after the other: more than are told apart. */
static void serve_a_shell(struct fixture *f, uint32_t from, uint32_t to)
{
	struct iolat_other e = an_other();

	e.queue_ns = 0;
	e.device_ns = MS(3);
	e.cgroup = ETL;
	e.owner = IOLAT_OWNER_TASK;
	for (uint32_t i = from; i < to; i++) {
		feed(f, a_task(IOLAT_TASK_SEEN, 300 + i, 300 + i, "sort"));
		e.tgid = e.tid = 300 + i;
		e.end_ns = T0 + MS(4 * i + 3);
		feed(f, e);
		feed(f, io_of(100, 4 * i + 4, 3, 1));
	}
}

static void test_a_container_of_many_processes(void **state)
{
	struct fixture *f = start_containers(NULL);

	make_task(f, 100, "python3");
	feed(f, io_of(100, 1, 0, 1));
	serve_a_shell(f, 1, 400);
	interval(f, T0 + MS(1600));
	serve_a_shell(f, 400, 1600);
	interval(f, T0 + MS(6400));
	assert_string_equal(finding_of(f, "noisy-neighbour")->subject, "container etl-7 on sda");
	finish(f);
}

static void test_one_process_of_a_container(void **state)
{
	struct fixture *f = start_containers(NULL);

	serve_others(f, 300, 1, ETL);
	assert_string_equal(finding_of(f, "noisy-neighbour")->subject, "pid 300 (sort) in container etl-7 on sda");
	finish(f);
}

/* Where the analysis selects by container, the others' requests come like its own. */
static void test_a_neighbour_of_a_selected_container(void **state)
{
	struct selection selection = {0};
	const struct finding *g;
	struct iolat_request rq;
	struct fixture *f;

	assert_int_equal(select_add_word(&selection.containers, "trainer"), 0);
	f = start_containers(&selection);
	make_task(f, 100, "python3");
	feed(f, a_task(IOLAT_TASK_SEEN, 300, 300, "sort"));
	feed(f, io_of(100, 50, 0, 1));
	for (uint64_t at = 100; at < 1700; at += 40) {
		rq = io_of(300, at + 30, 0, 30);
		rq.cgroup = ETL;
		feed(f, rq);
		feed(f, io_of(100, at + 40, 30, 10));
	}
	whole(f, T0 + MS(2000));
	g = finding_of(f, "noisy-neighbour");
	assert_non_null(g);
	assert_string_equal(g->subject, "pid 300 (sort) in container etl-7 on sda");
	assert_true(evidence_of(g, "share_pct") > 74);
	assert_int_equal(f->s.coverage.tally.requests, 41);
	finish(f);
}

/* Its cgroups are one container. */
static void test_a_container_of_two_cgroups(void **state)
{
	struct fixture *f = start_containers(NULL);
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, io_of(100, 50, 0, 1));
	for (uint64_t at = 100; at < 1700; at += 40) {
		struct iolat_other e = an_other();

		e.end_ns = T0 + MS(at + 30);
		e.queue_ns = 0;
		e.device_ns = MS(30);
		e.cgroup = at / 40 % 2 ? ETL : INNER;
		e.tgid = e.tid = 300 + at / 40 % 2;
		feed(f, e);
		feed(f, io_of(100, at + 40, 30, 10));
	}
	whole(f, T0 + MS(2000));
	g = finding_of(f, "noisy-neighbour");
	assert_string_equal(g->subject, "container etl-7 on sda");
	assert_true(evidence_of(g, "share_pct") > 74);
	finish(f);
}

/* What the kernel writes back for the traced one's own container is no neighbour's. */
static void test_own_writeback_is_no_neighbour(void **state)
{
	struct fixture *f = start_containers(NULL);

	serve_others(f, 0, 0, MINE);
	assert_not_found(f, "noisy-neighbour");
	finish(f);
}

/* Nor is what a kernel thread does for nobody while the traced one waits for fsync: the file system's log. */
static void test_the_log_is_no_neighbour(void **state)
{
	for (unsigned int syncs = 0; syncs < 2; syncs++) {
		struct fixture *f = start_containers(NULL);
		struct iolat_wait w = wait_of(100, 100, 1700);

		make_task(f, 100, "python3");
		w.call = IOLAT_CALL_SYNC;
		if (syncs)
			feed(f, w);
		serve_others(f, 0, 0, 0);
		assert_int_equal(!finding_of(f, "noisy-neighbour"), syncs);
		finish(f);
	}
}

/* Another process in the same container is. */
static void test_a_neighbour_at_home(void **state)
{
	struct fixture *f = start_containers(NULL);

	serve_others(f, 300, 1, MINE);
	assert_string_equal(finding_of(f, "noisy-neighbour")->subject, "pid 300 (sort) in container trainer on sda");
	finish(f);
}

static void test_a_limited_container(void **state)
{
	struct fixture *f = start_containers(NULL);
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, a_cgroup(MINE, "/docker/aaaa"));
	feed(f, a_limit());
	feed(f, wait_of(100, 100, 1100));
	whole(f, T0 + MS(2000));
	g = finding_of(f, "cgroup-throttled");
	assert_string_equal(g->subject, "container trainer");
	assert_non_null(strstr(g->text, "the I/O limit of its own container trainer"));
	finish(f);
}

static void test_a_hung_container(void **state)
{
	struct fixture *f = start_containers(NULL);

	make_task(f, 100, "python3");
	feed(f, a_look(T0 + MS(3000)));
	feed(f, an_inflight(T0 + MS(500)));
	interval(f, T0 + MS(3000));
	assert_non_null(strstr(f->s.findings[0].text, "of pid 100 (python3) in container trainer on sda has been in flight"));
	finish(f);
}

/* --- files ------------------------------------------------------------------------------ */

static struct iolat_wait file_wait(enum iolat_call call, uint64_t inode, uint64_t from, uint64_t to)
{
	struct iolat_wait w = wait_of(100, from, to);

	w.call = call;
	w.inode = inode;
	return w;
}

/* A run with files 7 and 8, and a read that is another finding's. */
static struct fixture *start_files(void)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "trainer");
	feed(f, a_file(8, 1, 7, "/data/a"));
	feed(f, a_file(8, 1, 8, "/data/b"));
	feed(f, a_file(8, 1, 9, "/data/other"));
	feed(f, io_of(100, 100, 0, 100));
	feed(f, file_wait(IOLAT_CALL_READ, 9, 0, 100));
	return f;
}

static void assert_files(const struct finding *g, size_t n, uint64_t first_ms)
{
	assert_non_null(g);
	assert_int_equal(g->n_files, n);
	assert_string_equal(g->files[0].file->path, "/data/a");
	assert_ms(g->files[0].wait_ns, first_ms);
	if (n > 1)
		assert_string_equal(g->files[1].file->path, "/data/b");
}

static void test_files_of_syncs(void **state)
{
	struct fixture *f = start_files();

	feed(f, file_wait(IOLAT_CALL_SYNC, 8, 200, 300));
	feed(f, file_wait(IOLAT_CALL_SYNC, 7, 300, 800));
	whole(f, T0 + MS(1000));
	assert_files(finding_of(f, "sync-stall"), 2, 500);
	finish(f);
}

static void test_files_of_dirty_pages(void **state)
{
	struct fixture *f = start_files();

	feed(f, file_wait(IOLAT_CALL_WRITE, 7, 200, 800));
	whole(f, T0 + MS(1000));
	assert_files(finding_of(f, "writeback-stall"), 1, 600);
	assert_not_found(f, "sync-stall");
	finish(f);
}

static void test_files_of_a_limit(void **state)
{
	struct fixture *f = start_files();

	feed(f, a_limit());
	feed(f, file_wait(IOLAT_CALL_READ, 8, 200, 300));
	feed(f, file_wait(IOLAT_CALL_READ, 7, 300, 800));
	whole(f, T0 + MS(1000));
	assert_files(finding_of(f, "cgroup-throttled"), 2, 500);
	finish(f);
}

/* A mapped data set's workers wait in faults. */
static void test_files_that_are_mapped(void **state)
{
	struct fixture *f = start_files();

	feed(f, file_wait(IOLAT_CALL_NONE, 7, 100, 800));
	whole(f, T0 + MS(1000));
	assert_int_equal(finding_of(f, "all-workers-io-bound")->n_files, 2);
	assert_string_equal(finding_of(f, "all-workers-io-bound")->files[0].file->path, "/data/a");
	assert_files(finding_of(f, "page-fault-io"), 1, 700);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_container_is_named),
		cmocka_unit_test(test_a_container_of_many_processes),
		cmocka_unit_test(test_one_process_of_a_container),
		cmocka_unit_test(test_a_neighbour_of_a_selected_container),
		cmocka_unit_test(test_a_container_of_two_cgroups),
		cmocka_unit_test(test_own_writeback_is_no_neighbour),
		cmocka_unit_test(test_the_log_is_no_neighbour),
		cmocka_unit_test(test_a_neighbour_at_home),
		cmocka_unit_test(test_a_limited_container),
		cmocka_unit_test(test_a_hung_container),
		cmocka_unit_test(test_files_of_syncs),
		cmocka_unit_test(test_files_of_dirty_pages),
		cmocka_unit_test(test_files_of_a_limit),
		cmocka_unit_test(test_files_that_are_mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
