/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CSV output: the header's names, a line a row, empty fields for null and the
 * quoting of RFC 4180.
 */
#include "render_fixture.h"

#define LAT(part)                                                                                  \
	"latency_" part "_count,latency_" part "_min_ns,latency_" part "_mean_ns,latency_" part    \
	"_p50_ns,latency_" part "_p90_ns,latency_" part "_p99_ns,latency_" part                    \
	"_p999_ns,latency_" part "_max_ns,"
#define MEASURES                                                                                   \
	"owner_from,via,ios,bytes,errors,requeues,merged,random_pct," LAT("total") LAT("queue")    \
		LAT("device") "size_min_bytes,size_mean_bytes,size_max_bytes\n"
#define HEADER                                                                                     \
	"start,type,process_pid,process_ns_pid,process_comm,process_role,process_rank,"            \
	"device_name,device_major,device_minor,device_diskseq,op," MEASURES
#define START "2026-01-01T00:00:00.000000000+00:00"
#define READ_MEASURES                                                                              \
	"2,60,22537,60,45015,45015,45015,45015,2,0,7,0,15,15,15,15,"                               \
	"2,60,22530,60,45000,45000,45000,45000,4096,4096,4096\n"
#define READ_LINE(type)                                                                            \
	START "," type ",812,,fio,,,vda,253,16,5,read,task,,2,8192,0,0,0,," READ_MEASURES
#define WRITE_LINE(type)                                                                           \
	START "," type ",,,,,,vda,253,16,5,write,,writeback,1,4096,0,0,0,,1,30,30,30,30,30,30,30,"   \
	      "1,10,10,10,10,10,10,10,1,20,20,20,20,20,20,20,4096,4096,4096\n"

static void test_whole_frame(void **state)
{
	fixture_expect(*state, "csv", HEADER READ_LINE("interval") WRITE_LINE("interval"));
}

static void test_type_tells_frames_apart(void **state)
{
	struct fixture *f = *state;

	f->frame.type = SNAPSHOT_SUMMARY;
	fixture_expect(f, "csv", HEADER READ_LINE("summary") WRITE_LINE("summary"));
	f->frame.type = SNAPSHOT_ASKED;
	fixture_expect(f, "csv", HEADER READ_LINE("snapshot") WRITE_LINE("snapshot"));
}

static void test_header_once(void **state)
{
	struct fixture *f = *state;
	const struct renderer *r = renderer_find("csv");
	char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	f->frame.n_rows = 1;
	assert_int_equal(r->start(out, &f->by, &f->options), 0);
	assert_int_equal(r->snapshot(out, &f->frame, &f->options), 0);
	f->frame.type = SNAPSHOT_SUMMARY;
	assert_int_equal(r->snapshot(out, &f->frame, &f->options), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, HEADER WRITE_LINE("interval") WRITE_LINE("summary"));
}

static void test_no_rows(void **state)
{
	struct fixture *f = *state;

	f->frame.n_rows = 0;
	fixture_expect(f, "csv", HEADER);
}

static void test_never_cut(void **state)
{
	struct fixture *f = *state;

	f->options.top = 1;
	f->options.width = 10;
	fixture_expect(f, "csv", HEADER READ_LINE("interval") WRITE_LINE("interval"));
}

static void test_sorted_as_asked(void **state)
{
	struct fixture *f = *state;

	f->options.sort = column_find("queue_pct");
	fixture_expect(f, "csv", HEADER WRITE_LINE("interval") READ_LINE("interval"));
}

static void test_other_keys(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_CGROUP, BY_THREAD);
	fixture_expect_part(f, "csv",
			    "start,type,thread_tid,thread_comm,thread_role,cgroup_id,cgroup_path,"
			    MEASURES);
	fixture_expect_part(f, "csv", START ",interval,813,fio-worker,,77,/a/b,task,,2,8192,");
	fixture_expect_part(f, "csv", START ",interval,,,,,,,writeback,1,4096,");
}

static void test_rows_by_worker(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_WORKER);
	fixture_expect_part(f, "csv",
			    "start,type,worker_index,worker_rank,worker_pid,worker_role," MEASURES);
	fixture_expect_part(f, "csv", START ",interval,2,1,814,dataloader-worker,task,,2,8192,");
	fixture_expect_part(f, "csv", START ",interval,,,,,,writeback,1,4096,");
}

static void test_null_is_empty(void **state)
{
	struct fixture *f = *state;

	hist_free(&f->rows[1].queue);
	hist_free(&f->rows[1].device);
	hist_free(&f->rows[1].size);
	f->rows[1].subject.disk = NULL;
	fixture_expect_part(f, "csv",
			    START ",interval,812,,fio,,,,,,,read,task,,2,8192,0,0,0,,"
				  "2,60,22537,60,45015,45015,45015,45015,,,,,,,,,,,,,,,,,,,\n");
}

static void test_random(void **state)
{
	struct fixture *f = *state;

	f->rows[1].random_known = true;
	f->rows[1].random_pct = 33.25;
	fixture_expect_part(f, "csv", ",task,,2,8192,0,0,0,33.25,2,60,");
}

static void expect_comm(struct fixture *f, const char *comm, const char *field)
{
	char part[128];

	memcpy(f->process.comm, comm, strlen(comm) + 1);
	snprintf(part, sizeof(part), "interval,812,,%s,,,vda,253,16,5,read,", field);
	fixture_expect_part(f, "csv", part);
}

static void test_quoting(void **state)
{
	struct fixture *f = *state;

	expect_comm(f, "a,\"b\"\n", "\"a,\"\"b\"\"\n\"");
	expect_comm(f, "a\rb", "\"a\rb\"");
	expect_comm(f, "\"", "\"\"\"\"");
	expect_comm(f, "a b'c;d", "a b'c;d");
	expect_comm(f, "", "");
}

static void test_bytes_that_are_no_text(void **state)
{
	struct fixture *f = *state;

	expect_comm(f, "\xff,\xe6\x97", "\"\xef\xbf\xbd,\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_comm(f, "\xe6\x97\xa5\xed\xa0\x80",
		    "\xe6\x97\xa5\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_containers_pods_and_jobs(void **state)
{
	struct fixture *f = *state;

	FIXTURE_BY(f, BY_CONTAINER, BY_POD, BY_JOB);
	fixture_expect_part(f, "csv",
			    "start,type,container_runtime,container_id,container_name,pod_namespace,"
			    "pod_name,pod_uid,job_id,job_step," MEASURES);
	fixture_expect_part(f, "csv", ",docker,0123abcd,\"we\"\"b\",ml,train-0,u-1,77,batch,task,");
	fixture_expect_part(f, "csv", ",,,,,,,,,,writeback,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_containers_pods_and_jobs),
		FIXTURE_TEST(test_whole_frame),
		FIXTURE_TEST(test_type_tells_frames_apart),
		FIXTURE_TEST(test_header_once),
		FIXTURE_TEST(test_no_rows),
		FIXTURE_TEST(test_never_cut),
		FIXTURE_TEST(test_sorted_as_asked),
		FIXTURE_TEST(test_other_keys),
		FIXTURE_TEST(test_rows_by_worker),
		FIXTURE_TEST(test_null_is_empty),
		FIXTURE_TEST(test_random),
		FIXTURE_TEST(test_quoting),
		FIXTURE_TEST(test_bytes_that_are_no_text),
	};

	return cmocka_run_group_tests_name("render_csv", tests, NULL, NULL);
}
