// SPDX-License-Identifier: GPL-2.0
/* What a sleep was for: the rules, one by one. */
#include "feed.h"
#include "stats/reason.h"

#define READS	 .call = IOLAT_CALL_READ
#define IOWAIT	 .flags = IOLAT_WAIT_DEEP | IOLAT_WAIT_IOWAIT
#define DEEP	 .flags = IOLAT_WAIT_DEEP
#define SHALLOW	 .flags = 0
#define because(reason, ...)                                                                       \
	assert_int_equal(reason_of(&(struct wait_facts){__VA_ARGS__}), reason)

static void test_own_request_is_the_disk(void **state)
{
	because(REASON_DISK, READS, IOWAIT, .own = true);
	because(REASON_DISK, READS, DEEP, .own = true);
	because(REASON_DISK, .call = IOLAT_CALL_OTHER, IOWAIT, .own = true);
	because(REASON_DISK, READS, IOWAIT, .own = true, .limited = true);
}

static void test_fault_with_and_without_request(void **state)
{
	because(REASON_PAGE_FAULT, .call = IOLAT_CALL_NONE, IOWAIT, .own = true);
	because(REASON_PAGE_FAULT, .call = IOLAT_CALL_NONE, IOWAIT);
	because(REASON_OTHER, .call = IOLAT_CALL_NONE, DEEP); /* a lock on the mappings */
}

static void test_journal_is_the_disk(void **state)
{
	because(REASON_DISK, .call = IOLAT_CALL_SYNC, DEEP);
	because(REASON_DISK, .call = IOLAT_CALL_SYNC, IOWAIT);
}

static void test_pages_that_others_read(void **state)
{
	because(REASON_DISK, READS, IOWAIT, .fs_on_disk = true);
	because(REASON_OTHER, READS, IOWAIT);
	because(REASON_OTHER, READS, DEEP, .fs_on_disk = true);
}

static void test_asynchronous_waits_need_a_request(void **state)
{
	because(REASON_DISK, .call = IOLAT_CALL_AIO, SHALLOW, .process = true);
	because(REASON_UNDECIDED, .call = IOLAT_CALL_AIO, SHALLOW);
	because(REASON_UNDECIDED, .call = IOLAT_CALL_AIO, .flags = IOLAT_WAIT_IOWAIT);
	because(REASON_THROTTLE, .call = IOLAT_CALL_AIO, SHALLOW, .limited = true);
}

static void test_limit_without_a_request(void **state)
{
	because(REASON_THROTTLE, READS, IOWAIT, .limited = true);
	because(REASON_THROTTLE, READS, IOWAIT, .limited = true, .fs_on_disk = true);
	because(REASON_THROTTLE, .call = IOLAT_CALL_NONE, IOWAIT, .limited = true);
	because(REASON_OTHER, READS, DEEP, .limited = true);
}

static void test_file_systems_without_a_disk(void **state)
{
	because(REASON_NETWORK_FS, READS, IOWAIT, .fs_magic = 0x6969);
	because(REASON_NETWORK_FS, .call = IOLAT_CALL_SYNC, DEEP, .fs_magic = 0xff534d42);
	because(REASON_FUSE, READS, IOWAIT, .fs_magic = 0x65735546);
	because(REASON_DISK, READS, IOWAIT, .fs_magic = 0xef53, .fs_on_disk = true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_request_is_the_disk),
		cmocka_unit_test(test_fault_with_and_without_request),
		cmocka_unit_test(test_journal_is_the_disk),
		cmocka_unit_test(test_pages_that_others_read),
		cmocka_unit_test(test_asynchronous_waits_need_a_request),
		cmocka_unit_test(test_limit_without_a_request),
		cmocka_unit_test(test_file_systems_without_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
