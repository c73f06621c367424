/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters for scrapers: intervals add up, labels, room for so many and no more, ends of series, and the text
 * that is made of them.
 */
#include "render_fixture.h"

#include "render/prometheus.h"

#define SECOND UINT64_C(1000000000)

struct scrape {
	struct fixture *f;
	struct metrics m;
	char *text;
	uint64_t now_ns;
};

static int setup(void **state)
{
	struct scrape *s = calloc(1, sizeof(*s));

	s->f = fixture_new();
	FIXTURE_BY(s->f, BY_CONTAINER, BY_POD, BY_JOB, BY_DEVICE, BY_OP);
	for (size_t i = 0; i < FIXTURE_ROWS; i++) {
		struct row_subject *w = &s->f->rows[i].subject;

		w->process = NULL;
		w->thread = NULL;
		w->worker = NULL;
		w->cgroup = NULL;
	}
	s->f->frame.stuck_known = true;
	assert_int_equal(metrics_init(&s->m, 10000), 0);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scrape *s = *state;

	metrics_free(&s->m);
	fixture_free(s->f);
	free(s->text);
	free(s);
	return 0;
}

static void take(struct scrape *s)
{
	s->now_ns += SECOND;
	assert_int_equal(metrics_take(&s->m, &s->f->frame, s->now_ns), 0);
}

static const char *scrape(struct scrape *s, enum prometheus_form form)
{
	size_t size;
	FILE *out;

	free(s->text);
	out = open_memstream(&s->text, &size);
	prometheus_write(out, &s->m, form, s->now_ns);
	assert_int_equal(fclose(out), 0);
	return s->text;
}

static void expect(struct scrape *s, const char *line)
{
	char whole[512];

	scrape(s, PROMETHEUS_TEXT);
	snprintf(whole, sizeof(whole), "\n%s\n", line);
	if (!strstr(s->text, whole))
		fail_msg("no \"%s\" in:\n%s", line, s->text);
}

static void expect_none(struct scrape *s, const char *part)
{
	if (strstr(scrape(s, PROMETHEUS_TEXT), part))
		fail_msg("\"%s\" in:\n%s", part, s->text);
}

#define OWNER "namespace=\"ml\",pod=\"train-0\",container=\"we\\\"b\",job_id=\"77\""
#define READS OWNER ",device=\"vda\",op=\"read\""
#define WRITES "device=\"vda\",op=\"write\""

static void test_labels_and_values(void **state)
{
	struct scrape *s = *state;

	take(s);
	expect(s, "iolat_io_bytes_total{" READS "} 8192");
	expect(s, "iolat_io_bytes_total{" WRITES "} 4096");
	expect(s, "iolat_io_latency_seconds_count{" READS "} 2");
	expect(s, "iolat_io_latency_seconds_sum{" READS "} 0.000045075");
	expect(s, "iolat_io_queue_seconds_sum{" READS "} 0.000000015");
	expect(s, "iolat_io_latency_seconds_bucket{" READS ",le=\"0.000032767\"} 1");
	expect(s, "iolat_io_latency_seconds_bucket{" READS ",le=\"0.000065535\"} 2");
	expect(s, "iolat_io_latency_seconds_bucket{" READS ",le=\"+Inf\"} 2");
	expect(s, "iolat_hook_attached{hook=\"block_rq_issue\"} 1");
	expect(s, "iolat_hook_attached{hook=\"block_bio_queue\"} 0");
	expect(s, "iolat_requests_total 3");
}

/* A value belongs to the bucket whose bound it does not exceed, to the nanosecond. */
static void test_bucket_bounds(void **state)
{
	struct scrape *s = *state;

	hist_free(&s->f->rows[1].total);
	hist_init(&s->f->rows[1].total);
	hist_add(&s->f->rows[1].total, (1 << 20) - 1);
	hist_add(&s->f->rows[1].total, 1 << 20);
	hist_add(&s->f->rows[1].total, (1 << 20) + 1);
	take(s);
	expect(s, "iolat_io_latency_seconds_bucket{" READS ",le=\"0.000524287\"} 0");
	expect(s, "iolat_io_latency_seconds_bucket{" READS ",le=\"0.001048575\"} 1");
	expect(s, "iolat_io_latency_seconds_bucket{" READS ",le=\"0.002097151\"} 3");
}

static void test_intervals_add_up(void **state)
{
	struct scrape *s = *state;

	take(s);
	s->f->frame.n_rows = 1; /* the reader is idle */
	take(s);
	expect(s, "iolat_io_bytes_total{" READS "} 8192");
	expect(s, "iolat_io_bytes_total{" WRITES "} 8192");
	s->f->frame.n_rows = 2;
	take(s);
	expect(s, "iolat_io_latency_seconds_count{" READS "} 4");
	expect(s, "iolat_requests_total 9");
}

/* Two sets of labels where there is room for one: the one with less I/O ends, and what it does is "other". */
static void test_least_active_fold(void **state)
{
	struct scrape *s = *state;

	metrics_free(&s->m);
	assert_int_equal(metrics_init(&s->m, 60), 0);
	take(s);
	assert_int_equal(s->m.io.n, 1);
	expect(s, "iolat_io_bytes_total{" READS "} 8192");
	expect_none(s, "{" WRITES);
	expect(s, "iolat_io_bytes_total{container=\"other\",device=\"other\",op=\"other\"} 4096");
	expect(s, "iolat_series_folded_total 1");
	expect(s, "iolat_series_limit 60");
	take(s);
	expect(s, "iolat_io_bytes_total{" READS "} 16384");
	expect(s, "iolat_io_bytes_total{container=\"other\",device=\"other\",op=\"other\"} 8192");
}

/* What had no room before it came here has no labels either. */
static void test_rows_rest(void **state)
{
	struct scrape *s = *state;

	s->f->rows[0].via = "other";
	take(s);
	expect(s, "iolat_io_bytes_total{container=\"other\",device=\"other\",op=\"other\"} 4096");
}

static bool all_there(const char *device)
{
	return true;
}

static bool none_there(const char *device)
{
	return false;
}

static void test_gone_container(void **state)
{
	struct scrape *s = *state;

	take(s);
	metrics_living(&s->m, &s->f->container, &s->f->pod, &s->f->job);
	metrics_expire(&s->m, s->now_ns + 100 * SECOND, 60 * SECOND, all_there);
	expect(s, "iolat_io_bytes_total{" READS "} 8192");
	metrics_expire(&s->m, s->now_ns + 50 * SECOND, 60 * SECOND, all_there);
	expect(s, "iolat_io_bytes_total{" READS "} 8192");
	metrics_expire(&s->m, s->now_ns + 100 * SECOND, 60 * SECOND, all_there);
	expect_none(s, "we\\\"b");
	expect(s, "iolat_io_bytes_total{" WRITES "} 4096"); /* the host stays */
	metrics_expire(&s->m, s->now_ns + 100 * SECOND, 60 * SECOND, none_there);
	expect_none(s, WRITES);
	take(s);
	expect(s, "iolat_io_bytes_total{" READS "} 8192");
}

static void test_tasks(void **state)
{
	struct scrape *s = *state;
	struct task tasks[2] = {
		{.blocked_ns = 3, .reasons = {[REASON_DISK] = 1500000000, [REASON_OTHER] = 2}},
		{.blocked_ns = 1, .reasons = {[REASON_DISK] = SECOND}},
	};

	take(s);
	expect_none(s, "iolat_task_blocked");
	tasks[0].subject = tasks[1].subject = (struct row_subject){
		.process = &s->f->process, .worker = &s->f->worker, .container = &s->f->container};
	s->f->frame.waits = true;
	s->f->frame.tasks = tasks;
	s->f->frame.n_tasks = 2;
	take(s);
	expect(s, "iolat_task_blocked_seconds_total{container=\"we\\\"b\",rank=\"1\",worker=\"2\",reason=\"disk\"} 2.5");
	expect(s, "iolat_task_blocked_seconds_total{container=\"we\\\"b\",rank=\"1\",worker=\"2\",reason=\"fuse\"} 0");
}

static void test_in_flight(void **state)
{
	struct scrape *s = *state;
	struct stuck flying[3] = {
		{.age_ns = 7 * SECOND, .inferred = true},
		{.age_ns = 2 * SECOND},
		{.age_ns = 1},
	};

	for (size_t i = 0; i < 3; i++) {
		flying[i].subject = s->f->rows[1].subject;
		flying[i].subject.process = &s->f->process; /* as the list of what is stuck names them */
		flying[i].subject.thread = &s->f->thread;
	}
	s->f->frame.stuck = flying;
	s->f->frame.n_stuck = 2;
	s->f->frame.n_flying = 3;
	take(s);
	expect(s, "iolat_requests_in_flight{" READS "} 2");
	expect(s, "iolat_oldest_request_seconds{" READS "} 7");
	s->f->frame.n_stuck = s->f->frame.n_flying = 0;
	take(s);
	expect(s, "iolat_requests_in_flight{" READS "} 0");
	expect(s, "iolat_oldest_request_seconds{" READS "} 0");
	s->f->frame.stuck_known = false;
	take(s);
	expect_none(s, "iolat_requests_in_flight");
}

static void test_gpus(void **state)
{
	struct scrape *s = *state;
	struct gpu gpus[2] = {
		{.number = 0, .busy_known = true, .sampled = SECOND, .busy_pct = 5, .memory_used = 10, .memory_total = 40,
		 .compared_ns = 2 * SECOND, .idle_ns = SECOND, .starved_ns = SECOND / 2},
		{.number = 3},
	};

	take(s);
	expect_none(s, "iolat_gpu");
	s->f->frame.gpus = gpus;
	s->f->frame.n_gpus = 2;
	take(s);
	expect(s, "iolat_gpu_busy_ratio{gpu=\"0\"} 0.05");
	expect(s, "iolat_gpu_memory_used_bytes{gpu=\"0\"} 10");
	expect(s, "iolat_gpu_memory_bytes{gpu=\"0\"} 40");
	expect_none(s, "iolat_gpu_busy_ratio{gpu=\"3\"}");
	expect_none(s, "iolat_gpu_starved_seconds_total"); /* without waits nobody knows */
	s->f->frame.waits = true;
	gpus[0].sampled = 0; /* none since the last take: as it was */
	gpus[0].busy_pct = 0;
	take(s);
	expect(s, "iolat_gpu_busy_ratio{gpu=\"0\"} 0.05");
	expect(s, "iolat_gpu_compared_seconds_total{gpu=\"0\"} 4");
	expect(s, "iolat_gpu_idle_seconds_total{gpu=\"0\"} 2");
	expect(s, "iolat_gpu_starved_seconds_total{gpu=\"0\"} 1");
}

static void test_findings_hold_for_a_minute(void **state)
{
	struct scrape *s = *state;
	struct finding finding = {.code = "hung-request"};

	s->f->frame.findings = &finding;
	s->f->frame.n_findings = 1;
	take(s);
	expect(s, "iolat_finding{code=\"hung-request\"} 1");
	expect(s, "iolat_finding{code=\"io-errors\"} 0");
	s->f->frame.n_findings = 0;
	s->now_ns += 58 * SECOND;
	take(s);
	expect(s, "iolat_finding{code=\"hung-request\"} 1");
	take(s);
	expect(s, "iolat_finding{code=\"hung-request\"} 0");
}

static void test_hostile_names(void **state)
{
	struct scrape *s = *state;

	s->f->container.name = "a\nb\\c\xff}";
	take(s);
	expect(s, "iolat_io_errors_total{namespace=\"ml\",pod=\"train-0\",container=\"a\\nb\\\\c\xEF\xBF\xBD}\","
		  "job_id=\"77\",device=\"vda\",op=\"read\"} 0");
}

static void test_openmetrics(void **state)
{
	struct scrape *s = *state;
	const char *text;

	take(s);
	text = scrape(s, PROMETHEUS_OPENMETRICS);
	assert_non_null(strstr(text, "# TYPE iolat_io_bytes counter\n# UNIT iolat_io_bytes bytes\n"));
	assert_non_null(strstr(text, "\niolat_io_bytes_total{" WRITES "} 4096\n"));
	assert_non_null(strstr(text, "# TYPE iolat_build info\niolat_build_info{version="));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	assert_null(strstr(scrape(s, PROMETHEUS_TEXT), "EOF"));
}

/* A recording's rows have what they are by as labels. */
static void test_as_a_format(void **state)
{
	struct scrape *s = *state;

	FIXTURE_BY(s->f, BY_PROCESS, BY_DEVICE);
	s->f->rows[1].subject = (struct row_subject){.process = &s->f->process, .disk = &s->f->disk};
	fixture_expect_part(s->f, "prometheus",
			    "\niolat_io_bytes_total{pid=\"812\",comm=\"fio\",device=\"vda\"} 8192\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_labels_and_values),
		TEST(test_bucket_bounds),
		TEST(test_intervals_add_up),
		TEST(test_least_active_fold),
		TEST(test_rows_rest),
		TEST(test_gone_container),
		TEST(test_tasks),
		TEST(test_in_flight),
		TEST(test_gpus),
		TEST(test_findings_hold_for_a_minute),
		TEST(test_hostile_names),
		TEST(test_openmetrics),
		TEST(test_as_a_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
