/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The JSON output against the promised keys, in their order: whole lines for known
 * frames, and what is null, what is [] and what is cleaned.
 */
#include "render_fixture.h"

#define HEAD(type)                                                                                 \
	"{\"schema\":\"iolat/1\",\"type\":\"" type "\",\"iolat\":\"" IOLAT_VERSION "\","           \
	"\"host\":\"box\",\"kernel\":\"6.1.0\",\"start\":\"2026-01-01T00:00:00.000000000+00:00\"," \
	"\"end\":\"2026-01-01T00:00:02.000000000+00:00\",\"duration_ns\":2000000000,"
#define BY_DEFAULT "\"by\":[\"process\",\"device\",\"op\"],"
#define HOOKS                                                                                      \
	"\"hooks\":[{\"name\":\"block_rq_issue\",\"attached\":true,\"required\":true},"            \
	"{\"name\":\"block_bio_queue\",\"attached\":false,\"required\":false}],"
#define COVERAGE                                                                                   \
	"\"coverage\":{\"requests\":3,\"lost\":0,\"aggregated\":0,\"unmatched\":0,\"unowned\":0,"  \
	"\"map_full\":0,\"backward\":0,\"missed\":null,\"names_lost\":0,\"waits_lost\":0,\"devices\":[{\"device\":\"vda\","          \
	"\"kernel\":null,"                                                                         \
	"\"seen\":3,\"model\":null,\"rotational\":null,\"scheduler\":null,\"nr_requests\":null,"        \
	"\"transport\":null,\"stands_on\":null}]}" \
	","
#define DEVICE "\"device\":{\"name\":\"vda\",\"major\":253,\"minor\":16,\"diskseq\":5},"
#define LAT(n, min, mean, p50, p, max, histogram)                                                  \
	"{\"count\":" n ",\"min_ns\":" min ",\"mean_ns\":" mean ",\"p50_ns\":" p50                 \
	",\"p90_ns\":" p ",\"p99_ns\":" p ",\"p999_ns\":" p ",\"max_ns\":" max                     \
	",\"histogram\":[" histogram "]}"
#define BUCKET(le, n) "{\"le_ns\":" le ",\"count\":" n "}"
#define SIZE	      "\"size\":{\"min_bytes\":4096,\"mean_bytes\":4096,\"max_bytes\":4096}"
#define READ_ROW                                                                                               \
	"{\"process\":{\"pid\":812,\"ns_pid\":null,\"comm\":\"fio\",\"role\":null,\"rank\":null}"              \
	"," DEVICE "\"op\":\"read\",\"owner_from\":\"task\",\"via\":null,"                                     \
	"\"ios\":2,\"bytes\":8192,\"errors\":0,\"requeues\":0,\"merged\":0,\"random_pct\":null,"               \
	"\"latency\":{\"total\":" LAT(                                                                         \
		"2", "60", "22537", "60", "45015", "45015",                                                    \
		BUCKET("60", "1") "," BUCKET(                                                                  \
			"45055",                                                                               \
			"1")) ",\"queue\":" LAT("2", "0", "7", "0", "15", "15",                                \
						BUCKET("0", "1") "," BUCKET(                                   \
							"15",                                                  \
							"1")) ",\"device\":" LAT("2", "60",                    \
										 "22530", "60",                \
										 "45000", "45000",             \
										 BUCKET("60", "1") "," BUCKET( \
											 "45055",              \
											 "1")) "}"             \
											       "," SIZE        \
											       "}"
#define WRITE_ROW                                                                                    \
	"{\"process\":null," DEVICE "\"op\":\"write\",\"owner_from\":null,\"via\":\"writeback\","    \
	"\"ios\":1,\"bytes\":4096,\"errors\":0,\"requeues\":0,\"merged\":0,\"random_pct\":null,"     \
	"\"latency\":{\"total\":" LAT(                                                               \
		"1", "30", "30", "30", "30", "30",                                                   \
		BUCKET("30",                                                                         \
		       "1")) ",\"queue\":" LAT("1", "10", "10", "10", "10", "10",                    \
					       BUCKET("10",                                          \
						      "1")) ",\"device\":" LAT("1", "20", "20",      \
									       "20", "20", "20",     \
									       BUCKET("20",          \
										      "1")) "}"      \
											    "," SIZE \
											    "}"
#define TAIL "\"tasks\":null,\"stuck\":null,\"phases\":null,\"gpus\":null,\"findings\":null}\n"

static void test_whole_line(void **state)
{
	struct fixture *f = *state;

	fixture_expect(f, "json",
		       HEAD("interval") BY_DEFAULT "\"submission\":\"bio\",\"clock_synchronized\":null," HOOKS COVERAGE
						   "\"rows\":[" READ_ROW "," WRITE_ROW "]," TAIL);
}

static void test_empty_summary(void **state)
{
	struct fixture *f = *state;

	f->frame.type = SNAPSHOT_SUMMARY;
	f->frame.n_rows = 0;
	f->frame.n_hooks = 0;
	f->frame.coverage = (struct coverage){.missed_known = true};
	f->frame.bio_submission = false;
	fixture_expect(f, "json",
		       HEAD("summary") BY_DEFAULT
		       "\"submission\":\"request\",\"clock_synchronized\":null,\"hooks\":[],"
		       "\"coverage\":{\"requests\":0,\"lost\":0,\"aggregated\":0,\"unmatched\":0,"
		       "\"unowned\":0,\"map_full\":0,\"backward\":0,\"missed\":0,\"names_lost\":0,\"waits_lost\":0,\"devices\":[]},"
		       "\"rows\":[]," TAIL);
}

static void test_type_and_host(void **state)
{
	struct fixture *f = *state;

	f->frame.type = SNAPSHOT_ASKED;
	f->frame.host = NULL;
	f->frame.kernel = NULL;
	fixture_expect_part(f, "json", "\"type\":\"snapshot\",");
	fixture_expect_part(f, "json", "\"host\":null,\"kernel\":null,");
}

static void test_never_cut(void **state)
{
	struct fixture *f = *state;

	f->options.top = 1;
	f->options.width = 10;
	test_whole_line(state);
}

static void test_sorted_as_asked(void **state)
{
	struct fixture *f = *state;

	f->options.sort = column_find("op");
	fixture_expect_part(f, "json", "\"rows\":[" READ_ROW "," WRITE_ROW "]");
	f->options.sort = column_find("queue_pct");
	fixture_expect_part(f, "json", "\"rows\":[" WRITE_ROW "," READ_ROW "]");
}

static void test_rows_by_other_keys(void **state)
{
	struct fixture *f = *state;

	/* "by" as given, the row's objects in the order of the keys. */
	FIXTURE_BY(f, BY_CGROUP, BY_THREAD);
	fixture_expect_part(f, "json", "\"by\":[\"cgroup\",\"thread\"],");
	fixture_expect_part(f, "json",
			    "\"rows\":[{\"thread\":{\"tid\":813,\"comm\":\"fio-worker\",\"role\":null},"
			    "\"cgroup\":{\"id\":77,\"path\":\"/a/b\"},\"owner_from\":\"task\",");
	fixture_expect_part(f, "json", ",{\"thread\":null,\"cgroup\":null,\"owner_from\":null,");
}

static void test_rows_by_worker(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_OP, BY_WORKER);
	fixture_expect_part(f, "json",
			    "\"rows\":[{\"worker\":{\"index\":2,\"rank\":1,\"pid\":814,"
			    "\"role\":\"dataloader-worker\"},\"op\":\"read\",");
	fixture_expect_part(f, "json", ",{\"worker\":null,\"op\":\"write\",");
	f->worker.rank_known = false;
	f->worker.role = ROLE_NONE;
	fixture_expect_part(f, "json", "{\"index\":2,\"rank\":null,\"pid\":814,\"role\":null}");
}

static void test_role_and_rank_of_a_process(void **state)
{
	struct fixture *f = *state;

	f->process.role = ROLE_MP_SPAWN;
	f->process.rank_known = true;
	fixture_expect_part(f, "json", "\"role\":\"mp-child(spawn)\",\"rank\":0}");
}

static void test_unknown_names(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_PROCESS, BY_THREAD, BY_CGROUP);
	f->process.comm_known = false;
	f->process.ns_pid = 3;
	f->thread.comm_known = false;
	f->cgroup.path = NULL;
	fixture_expect_part(f, "json",
			    "{\"process\":{\"pid\":812,\"ns_pid\":3,\"comm\":null,\"role\":null,"
			    "\"rank\":null},\"thread\":{\"tid\":813,\"comm\":null,\"role\":null},"
			    "\"cgroup\":{\"id\":77,\"path\":null},");
}

/* A flush is never issued, a bio-based device has no parts at all. */
static void test_parts_that_are_not(void **state)
{
	struct fixture *f = *state;

	hist_free(&f->rows[1].device);
	fixture_expect_part(f, "json", BUCKET("15", "1") "]},\"device\":null},\"size\"");
	hist_free(&f->rows[1].queue);
	hist_free(&f->rows[1].total);
	hist_free(&f->rows[1].size);
	fixture_expect_part(
		f, "json",
		"\"latency\":{\"total\":null,\"queue\":null,\"device\":null},"
		"\"size\":{\"min_bytes\":null,\"mean_bytes\":null,\"max_bytes\":null}}");
}

static void test_counts(void **state)
{
	struct fixture *f = *state;

	f->rows[1].bytes = UINT64_MAX;
	f->rows[1].errors = 3;
	f->rows[1].requeues = 4;
	f->rows[1].merged = 5;
	f->rows[1].random_known = true;
	f->rows[1].random_pct = 12.5;
	fixture_expect_part(f, "json",
			    "\"ios\":2,\"bytes\":18446744073709551615,\"errors\":3,\"requeues\":4,"
			    "\"merged\":5,\"random_pct\":12.5");
}

static void test_coverage(void **state)
{
	struct fixture *f = *state;

	f->frame.coverage = (struct coverage){
		.tally = {.all = {1, 2, 3, 4, 5, 6, 0, 7, 8, 9}},
		.missed_known = true,
	};
	fixture_expect_part(
		f, "json",
		"\"coverage\":{\"requests\":1,\"lost\":2,\"aggregated\":3,"
		"\"unmatched\":4,\"unowned\":5,\"map_full\":6,\"backward\":0,\"missed\":7,\"names_lost\":8,\"waits_lost\":9,"
		"\"devices\":[]},");
}

static void test_device_facts(void **state)
{
	struct fixture *f = *state;

	f->disk.facts_known = true;
	f->disk.rotational = 0;
	f->disk.nr_requests = 256;
	memcpy(f->disk.model, "QEMU", 5);
	memcpy(f->disk.scheduler, "none", 5);
	memcpy(f->disk.transport, "nvme", 5);
	f->coverage_disk.kernel_known = true;
	fixture_expect_part(f, "json",
			    "{\"device\":\"vda\",\"kernel\":0,\"seen\":3,\"model\":\"QEMU\","
			    "\"rotational\":false,\"scheduler\":\"none\",\"nr_requests\":256,"
			    "\"transport\":\"nvme\",\"stands_on\":null}");
	f->disk.rotational = 1;
	fixture_expect_part(f, "json", "\"rotational\":true");
	f->disk.facts_known = false;
	fixture_expect_part(f, "json", "\"model\":null,\"rotational\":null,\"scheduler\":null");
}

static void test_what_a_device_stands_on(void **state)
{
	struct fixture *f = *state;
	char below[2][IOLAT_DISK_LEN] = {"sda2", "sdb\""};

	f->disk.below_known = true;
	fixture_expect_part(f, "json", "\"stands_on\":[]");
	f->disk.below = below;
	f->disk.n_below = 2;
	fixture_expect_part(f, "json", "\"stands_on\":[\"sda2\",\"sdb\\\"\"]");
}

static void test_no_device(void **state)
{
	struct fixture *f = *state;

	f->rows[1].subject.disk = NULL;
	f->rows[1].subject.op = IOLAT_OP_DISCARD;
	fixture_expect_part(f, "json", "},\"device\":null,\"op\":\"discard\"");
}

static void test_hostile_names(void **state)
{
	struct fixture *f = *state;

	memcpy(f->process.comm, "a\"\n\\\x01\xff\xc0\xaf", sizeof("a\"\n\\\x01\xff\xc0\xaf"));
	fixture_expect_part(f, "json",
			    "\"comm\":\"a\\\"\\n\\\\\\u0001\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_containers_pods_and_jobs(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_JOB, BY_POD, BY_CONTAINER);
	fixture_expect_part(f, "json",
			    "{\"container\":{\"runtime\":\"docker\",\"id\":\"0123abcd\",\"name\":\"we\\\"b\"},"
			    "\"pod\":{\"namespace\":\"ml\",\"name\":\"train-0\",\"uid\":\"u-1\"},"
			    "\"job\":{\"id\":\"77\",\"step\":\"batch\"},\"owner_from\":\"task\",");
	fixture_expect_part(f, "json", "{\"container\":null,\"pod\":null,\"job\":null,\"owner_from\":null,");
	f->container.name = f->pod.name = f->pod.space = f->job.step = NULL;
	fixture_expect_part(f, "json",
			    "\"name\":null},\"pod\":{\"namespace\":null,\"name\":null,\"uid\":\"u-1\"},"
			    "\"job\":{\"id\":\"77\",\"step\":null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_containers_pods_and_jobs),
		FIXTURE_TEST(test_whole_line),	    FIXTURE_TEST(test_empty_summary),
		FIXTURE_TEST(test_type_and_host),   FIXTURE_TEST(test_never_cut),
		FIXTURE_TEST(test_sorted_as_asked), FIXTURE_TEST(test_rows_by_other_keys),
		FIXTURE_TEST(test_rows_by_worker),
		FIXTURE_TEST(test_role_and_rank_of_a_process),
		FIXTURE_TEST(test_unknown_names),   FIXTURE_TEST(test_parts_that_are_not),
		FIXTURE_TEST(test_counts),	    FIXTURE_TEST(test_coverage),
		FIXTURE_TEST(test_device_facts),    FIXTURE_TEST(test_no_device),
		FIXTURE_TEST(test_what_a_device_stands_on),
		FIXTURE_TEST(test_hostile_names),
	};

	return cmocka_run_group_tests_name("render_json", tests, NULL, NULL);
}
