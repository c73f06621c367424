/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table: whole frames as they are printed, alignment with wide characters, what is
 * cut and when, and the registry and column table that stand behind the options.
 */
#include "base/text.h"
#include "render_fixture.h"

#define FRAME	 "2026-01-01 00:00:00  interval, 2.00s\n"
#define COMPLETE "requests 3  lost 0  aggregated 0  unmatched 0\n\n"

static void test_whole_frame(void **state)
{
	fixture_expect(*state, "table",
		       FRAME "IOS  IOPS  MiB/s  AVG-SIZE   P50     P99     MAX  QUEUE%  PID  "
			     "DEVICE  OP     COMM\n"
			     "  2   1.0   0.00      4.0K  60ns  45.0us  45.0us     0.0  812  vda   "
			     "  read   fio\n"
			     "  1   0.5   0.00      4.0K  30ns    30ns    30ns    33.3    -  vda   "
			     "  write  [writeback]\n" COMPLETE);
}

static void test_no_requests(void **state)
{
	struct fixture *f = *state;

	f->frame.n_rows = 0;
	f->frame.coverage.tally.requests = 0;
	f->options.histogram = true;
	fixture_expect(f, "table",
		       FRAME "no requests\n"
			     "requests 0  lost 0  aggregated 0  unmatched 0\n\n");
}

static void test_frame_types(void **state)
{
	struct fixture *f = *state;

	f->frame.type = SNAPSHOT_SUMMARY;
	fixture_expect_part(f, "table", "2026-01-01 00:00:00  summary, 2.00s\n");
	f->frame.type = SNAPSHOT_ASKED;
	fixture_expect_part(f, "table", "2026-01-01 00:00:00  summary so far, 2.00s\n");
}

static void test_top(void **state)
{
	struct fixture *f = *state;

	f->options.top = 1;
	fixture_expect_part(f, "table", "  fio\n... and 1 more row\nrequests 3");
	f->options.top = 2;
	fixture_expect_no_part(f, "table", "more row");
}

static void ask_columns(struct fixture *f, const struct column **columns, size_t n)
{
	f->options.columns = columns;
	f->options.n_columns = n;
}

static void test_columns_as_asked(void **state)
{
	struct fixture *f = *state;
	const struct column *columns[] = {column_find("comm"), column_find("max"),
					  column_find("device_p50"), column_find("cgroup")};

	ask_columns(f, columns, 4);
	fixture_expect(f, "table",
		       FRAME "COMM            MAX  D-P50  CGROUP\n"
			     "fio          45.0us   60ns  /a/b\n"
			     "[writeback]    30ns   20ns  -\n" COMPLETE);
}

static void test_wide_names(void **state)
{
	struct fixture *f = *state;
	const struct column *columns[] = {column_find("comm"), column_find("ios")};

	ask_columns(f, columns, 2);
	memcpy(f->process.comm, "日本語x", sizeof("日本語x"));
	fixture_expect_part(f, "table",
			    "COMM         IOS\n"
			    "日本語x        2\n"
			    "[writeback]    1\n");
}

static void test_hostile_names(void **state)
{
	struct fixture *f = *state;

	memcpy(f->process.comm, "a\x1b[2J\n\xff\x7f", sizeof("a\x1b[2J\n\xff\x7f"));
	fixture_expect_part(f, "table", "  a?[2J?\xef\xbf\xbd?\n");
}

static void expect_narrow(const char *text, int width)
{
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		assert_true(text_columns(line) <= width);
	free(copy);
}

static void test_cut_to_width(void **state)
{
	struct fixture *f = *state;
	char *text;

	memcpy(f->process.comm, "日本語", sizeof("日本語"));
	f->options.histogram = true;
	for (int width = 1; width < 100; width++) {
		f->options.width = width;
		text = fixture_render(f, "table");
		expect_narrow(text, width);
		free(text);
	}
	/* A wide character that does not fit as a whole is left out. */
	f->options.width = 63;
	fixture_expect_part(f, "table", "  read   日\n");
	f->options.width = 65;
	fixture_expect_part(f, "table", "  read   日本\n");
}

/* Who it is matters more than how large and how long queued, unless these were asked for. */
static void test_narrow_terminals_show_names(void **state)
{
	const struct column *size = column_find("size"), *rest[] = {size, size, size, size, size, size, size, column_find("comm")};
	struct fixture *f = *state;

	f->options.width = 80;
	fixture_expect_part(f, "table", "IOS  IOPS  MiB/s   P50     P99     MAX  QUEUE%  PID  DEVICE  OP     COMM\n");
	f->options.width = 72;
	fixture_expect_part(f, "table", "IOS  IOPS  MiB/s   P50     P99     MAX  PID  DEVICE  OP     COMM\n");
	f->options.columns = rest;
	f->options.n_columns = 8;
	fixture_expect_part(f, "table", "AVG-SIZE  AVG-SIZE  AVG-SIZE  AVG-SIZE  AVG-SIZE  AVG-SIZE  AVG-SIZE  CO\n");
}

/* Sentences are not cut but go on in the next line. */
static void test_sentences_are_broken(void **state)
{
	static struct finding finding = {.code = "worker-stuck",
					 .text = "worker 3 waits for I/O 90 % of its time on sda; its 3 siblings 1 %"};
	struct fixture *f = *state;
	char *text;

	f->frame.findings = &finding;
	f->frame.n_findings = 1;
	f->options.width = 48;
	fixture_expect_part(f, "table", "worker-stuck: worker 3 waits for I/O 90 % of its\n  time on sda; its 3 siblings 1 %\n");
	text = fixture_render(f, "table");
	expect_narrow(text, 48);
	free(text);
	f->options.width = 0;
	fixture_expect_part(f, "table", "90 % of its time on sda; its 3 siblings 1 %\n");
}

/* Which worker of which rank stands behind the name, as far as it is known. */
static void test_names_of_workers(void **state)
{
	struct fixture *f = *state;

	fixture_expect_part(f, "table", "  read   fio\n");
	f->process.index_known = true;
	f->process.index = 2;
	fixture_expect_part(f, "table", "  read   fio[2]\n");
	f->process.rank_known = true;
	f->process.rank = 1;
	fixture_expect_part(f, "table", "  read   fio[2] rank 1\n");
	f->process.world_size = 8;
	fixture_expect_part(f, "table", "  read   fio[2] rank 1/8\n");
	f->process.index_known = false;
	fixture_expect_part(f, "table", "  read   fio rank 1/8\n");
}

/* In the table of waits as well. */
static void test_tasks_of_workers(void **state)
{
	struct fixture *f = *state;
	struct task task = {
		.subject = {.process = &f->process, .thread = &f->thread},
		.wall_ns = 1000000000,
		.blocked_ns = 250000000,
		.reasons = {[REASON_DISK] = 250000000},
	};

	f->process.index_known = f->process.rank_known = true;
	f->process.index = 2;
	f->process.rank = 1;
	f->frame.waits = true;
	f->frame.tasks = &task;
	f->frame.n_tasks = 1;
	fixture_expect_part(f, "table", "    25.0     250ms       25.0      812      813  fio[2] rank 1 / fio-worker\n");
}

static void test_rows_by_worker(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_WORKER);
	fixture_expect_part(f, "table", "  QUEUE%  WORKER             ROLE               VIA\n");
	fixture_expect_part(f, "table", "  rank 1 w2 pid 814  dataloader-worker  -\n");
	fixture_expect_part(f, "table", "  -                  -                  writeback\n");
	FIXTURE_BY(f, BY_PROCESS, BY_WORKER);
	fixture_expect_part(f, "table", "  rank 1 w2  dataloader-worker\n");
}

static void test_errors_show_themselves(void **state)
{
	struct fixture *f = *state;

	fixture_expect_no_part(f, "table", "ERRORS");
	f->rows[0].errors = 2;
	fixture_expect_part(f, "table", "  QUEUE%  ERRORS  PID");
	fixture_expect_part(f, "table", "     0.0       0  812");
	fixture_expect_part(f, "table", "    33.3       2    -");
}

static void test_what_is_not_known(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_THREAD, BY_CGROUP);
	f->frame.duration_ns = 0;
	f->thread.comm_known = false;
	f->cgroup.path = NULL;
	f->rows[0].via = NULL;
	hist_free(&f->rows[0].queue);
	hist_free(&f->rows[0].device);
	fixture_expect_part(
		f, "table",
		"IOS  IOPS  MiB/s  AVG-SIZE   P50     P99     MAX  QUEUE%  TID  THREAD  CGROUP\n"
		"  2     -      -      4.0K  60ns  45.0us  45.0us     0.0  813  -       id 77\n"
		"  1     -      -      4.0K  30ns    30ns    30ns       -    -  -       -\n");
}

/* Who is behind a row stands in its name, or by itself where rows have no process. */
static void test_via(void **state)
{
	struct fixture *f = *state;

	f->rows[1].via = "dm-0";
	fixture_expect_part(f, "table", "fio [dm-0]\n");
	FIXTURE_BY(f, BY_DEVICE);
	fixture_expect_part(f, "table", "vda     writeback\n");
}

static void test_order(void **state)
{
	struct fixture *f = *state;
	const struct column *columns[] = {column_find("ios"), column_find("pid")};

	ask_columns(f, columns, 2);
	fixture_expect_part(f, "table", "IOS  PID\n  2  812\n  1    -\n");
	f->options.sort = column_find("queue_pct");
	fixture_expect_part(f, "table", "IOS  PID\n  1    -\n  2  812\n");
	f->options.sort = column_find("pid"); /* not known: at the end */
	fixture_expect_part(f, "table", "IOS  PID\n  2  812\n  1    -\n");
}

static void test_order_of_equals(void **state)
{
	struct fixture *f = *state;
	struct process other = {.pid = 7};
	const struct column *columns[] = {column_find("pid")};

	f->rows[2].subject.process = &other;
	fixture_io(&f->rows[2], 0, 60);
	fixture_io(&f->rows[2], 15, 45000);
	f->frame.n_rows = 3;
	ask_columns(f, columns, 1);
	fixture_expect_part(f, "table", "PID\n  7\n812\n  -\n");
	f->row_list[0] = &f->rows[2];
	f->row_list[2] = &f->rows[0];
	fixture_expect_part(f, "table", "PID\n  7\n812\n  -\n");
}

static void test_completeness(void **state)
{
	struct fixture *f = *state;
	struct coverage *c = &f->frame.coverage;

	c->tally.lost = 1;
	c->tally.aggregated = 2;
	c->tally.unmatched = 3;
	c->tally.unowned = 4;
	c->tally.map_full = 5;
	c->tally.missed = 6;
	fixture_expect_part(
		f, "table",
		"requests 3  lost 1  aggregated 2  unmatched 3  unowned 4  map-full 5\n");
	c->missed_known = true;
	fixture_expect_part(f, "table", "map-full 5  missed 6\n");
}

static void test_disks_own_counts(void **state)
{
	struct fixture *f = *state;

	f->coverage_disk.kernel_known = true;
	f->coverage_disk.kernel = 5;
	fixture_expect_no_part(f, "table", "kernel counted");
	f->frame.type = SNAPSHOT_SUMMARY;
	fixture_expect_part(f, "table", "unmatched 0  vda: kernel counted 5, seen 3\n");
	f->coverage_disk.kernel = 3;
	fixture_expect_no_part(f, "table", "vda:");
	f->coverage_disk.kernel_known = false;
	f->disk.facts_known = true;
	fixture_expect_part(f, "table", "unmatched 0  vda: iostats off\n");
}

/* A line stays one that can be read, and what was missed comes before what cannot be known. */
static void test_many_disks_own_counts(void **state)
{
	struct coverage_disk disks[7];
	struct fixture *f = *state;
	struct disk counted = f->disk;

	f->frame.type = SNAPSHOT_SUMMARY;
	f->disk.facts_known = counted.accounted = true;
	for (int i = 0; i < 7; i++)
		disks[i] = f->coverage_disk;
	disks[6] = (struct coverage_disk){.disk = &counted, .kernel_known = true, .kernel = 5, .seen = 3};
	f->frame.coverage.disks = disks;
	f->frame.coverage.n_disks = 4;
	fixture_expect_part(f, "table", "  vda: iostats off  vda: iostats off  vda: iostats off  vda: iostats off\n");
	f->frame.coverage.n_disks = 7;
	fixture_expect_part(f, "table", "  vda: kernel counted 5, seen 3  vda: iostats off  vda: iostats off  vda: iostats off  and 3 more disks\n");
}

static void test_histograms(void **state)
{
	struct fixture *f = *state;

	f->options.histogram = true;
	f->options.top = 1;
	fixture_io(&f->rows[1], 0, 63);
	fixture_io(&f->rows[1], 0, 256);
	fixture_expect_part(
		f, "table",
		"... and 1 more row\n\n"
		"pid 812  device vda  op read  comm fio\n"
		"      32ns -> 64ns     : 2          |****************************************|\n"
		"      64ns -> 128ns    : 0          |                                        |\n"
		"     128ns -> 256ns    : 0          |                                        |\n"
		"     256ns -> 512ns    : 1          |********************                    |\n");
	fixture_expect_part(
		f, "table",
		"    32.8us -> 65.5us   : 1          |********************                    |\n"
		"  queue p50 0ns, p99 15ns, max 15ns  device p50 63ns, p99 45.0us, max 45.0us\n\n"
		"requests");
	fixture_expect_no_part(f, "table", "comm [writeback]");
}

static void test_histogram_edges(void **state)
{
	struct fixture *f = *state;

	f->options.histogram = true;
	f->frame.n_rows = 1;
	hist_free(&f->rows[0].queue);
	hist_free(&f->rows[0].device);
	assert_int_equal(hist_add(&f->rows[0].total, 0), 0);
	assert_int_equal(hist_add(&f->rows[0].total, 1), 0);
	assert_int_equal(hist_add(&f->rows[0].total, UINT64_MAX), 0);
	fixture_expect_part(f, "table", "       0ns -> 1ns      : 1 ");
	fixture_expect_part(f, "table", "       1ns -> 2ns      : 1 ");
	fixture_expect_no_part(f, "table", "queue p50");
}

static void test_extremes(void **state)
{
	struct fixture *f = *state;
	const char *name;
	const struct column *column;
	char *text;

	f->rows[1].bytes = UINT64_MAX;
	f->rows[1].ios = UINT64_MAX;
	f->frame.duration_ns = 1;
	for (int i = 0; i < 3; i++)
		fixture_io(&f->rows[1], 0, UINT64_MAX);
	for (size_t i = 0; (name = column_name_at(i)); i++) {
		column = column_find(name);
		assert_non_null(column);
		ask_columns(f, &column, 1);
		f->options.sort = column;
		text = fixture_render(f, "table");
		assert_non_null(strstr(text, COMPLETE));
		free(text);
	}
}

static void test_registry(void **state)
{
	assert_null(column_find("nonsense"));
	assert_null(renderer_find("nonsense"));
	for (size_t i = 0; renderer_at(i); i++)
		assert_ptr_equal(renderer_find(renderer_at(i)->name), renderer_at(i));
	assert_string_equal(renderer_at(0)->name, "table");
}

/* The names that scripts and fingers know. */
static void test_column_names(void **state)
{
	static const char *const names[] = {
		"ios",	     "iops",   "bytes",	    "rate",	 "size",       "random",
		"merged",    "wait",   "mean",	    "p50",	 "p90",	       "p99",
		"p999",	     "max",    "queue_p50", "queue_p99", "device_p50", "device_p99",
		"queue_pct", "errors", "requeues",  "pid",	 "tid",	       "device",
		"op",	     "comm",   "thread",    "cgroup",	 "via",
		"worker",    "role",   "container", "pod",	 "job",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(column_find(names[i]));
}

static void test_stream_errors_stay(void **state)
{
	struct fixture *f = *state;
	FILE *full = fopen("/dev/full", "w");
	const struct renderer *r;

	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	f->frame.type = SNAPSHOT_SUMMARY; /* which every format writes */
	for (size_t i = 0; (r = renderer_at(i)); i++) {
		clearerr(full);
		assert_int_equal(r->snapshot(full, &f->frame, &f->options), 0);
		assert_true(ferror(full));
	}
	fclose(full);
}

/* Beside the process where a row is of one; a key's column is always there. */
static void test_containers_beside_processes(void **state)
{
	struct fixture *f = *state;

	fixture_expect_no_part(f, "table", "CONTAINER");
	f->rows[1].container = &f->container;
	fixture_expect_part(f, "table", "COMM         CONTAINER\n");
	fixture_expect_part(f, "table", "fio          we\"b\n");
	fixture_expect_part(f, "table", "[writeback]  -\n");
	f->container.name = NULL;
	fixture_expect_part(f, "table", "fio          docker:0123\n");
	FIXTURE_BY(f, BY_CONTAINER, BY_POD, BY_JOB);
	f->rows[1].container = NULL;
	fixture_expect_part(f, "table", "docker:0123  ml/train-0  77.batch");
	f->rows[1].subject.container = NULL;
	f->pod.name = f->job.step = NULL;
	fixture_expect_part(f, "table", "CONTAINER  POD  JOB");
	fixture_expect_part(f, "table", "-          u-1  77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_containers_beside_processes),
		FIXTURE_TEST(test_whole_frame),
		FIXTURE_TEST(test_no_requests),
		FIXTURE_TEST(test_frame_types),
		FIXTURE_TEST(test_top),
		FIXTURE_TEST(test_columns_as_asked),
		FIXTURE_TEST(test_wide_names),
		FIXTURE_TEST(test_hostile_names),
		FIXTURE_TEST(test_cut_to_width),
		FIXTURE_TEST(test_narrow_terminals_show_names),
		FIXTURE_TEST(test_sentences_are_broken),
		FIXTURE_TEST(test_names_of_workers),
		FIXTURE_TEST(test_tasks_of_workers),
		FIXTURE_TEST(test_rows_by_worker),
		FIXTURE_TEST(test_errors_show_themselves),
		FIXTURE_TEST(test_what_is_not_known),
		FIXTURE_TEST(test_via),
		FIXTURE_TEST(test_order),
		FIXTURE_TEST(test_order_of_equals),
		FIXTURE_TEST(test_completeness),
		FIXTURE_TEST(test_disks_own_counts),
		FIXTURE_TEST(test_many_disks_own_counts),
		FIXTURE_TEST(test_histograms),
		FIXTURE_TEST(test_histogram_edges),
		FIXTURE_TEST(test_extremes),
		FIXTURE_TEST(test_registry),
		FIXTURE_TEST(test_column_names),
		FIXTURE_TEST(test_stream_errors_stay),
	};

	return cmocka_run_group_tests_name("render_table", tests, NULL, NULL);
}
