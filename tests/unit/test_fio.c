// SPDX-License-Identifier: GPL-2.0
/* What fio's output is taken for, and what it reads: files that are there, else a scratch file that leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/fio.h"

static int parse(const char *text, struct fio_result *out, char why[FIO_REASON])
{
	why[0] = '\0';
	return fio_parse(text, strlen(text), out, why);
}

static void test_output(void **state)
{
	struct fio_result r = {.direct = true};
	char why[FIO_REASON];

	assert_int_equal(parse("note: something\n{\n \"jobs\": [{\"error\": 0, \"read\": {\"total_ios\": 7, \"iops\": 120.5, "
			       "\"bw_bytes\": 493568, \"clat_ns\": {\"percentile\": {\"50.000000\": 4000, \"99.000000\": 9000}}}}]}",
			       &r, why), 0);
	assert_true(r.iops == 120.5);
	assert_true(r.bytes_per_s == 493568);
	assert_int_equal(r.p50_ns, 4000);
	assert_int_equal(r.p99_ns, 9000);
}

static void test_odd_output(void **state)
{
	static const char *const texts[] = {
		"", "fio: no such thing", "{", "{\n}", "{\n\"jobs\": 5}", "{\n\"jobs\": []}", "{\n\"jobs\": [{\"read\": {\"total_ios\": 0}}]}",
		"{\n\"jobs\": [{\"error\": 22, \"read\": {\"total_ios\": 5}}]}", "{\n\"jobs\": [[[[",
		"\nfio: a blank line before\n{\n\"jobs\": []}",
	};
	struct fio_result r;
	char why[FIO_REASON];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(texts[i], &r, why), -EBADMSG);
		assert_true(why[0]);
	}
}

static size_t count(const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void put(const char *folder, const char *name, off_t size)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	for (off_t i = 0; i < size; i += 4096) {
		char block[4096];

		memset(block, 'x', sizeof(block));
		assert_int_equal(fwrite(block, 1, sizeof(block), f), sizeof(block));
	}
	fclose(f);
}

static void test_a_scratch_file(void **state)
{
	char folder[] = "/tmp/iolat-fio-XXXXXX", why[FIO_REASON], block[16] = "";
	struct fio_target t;
	FILE *f;

	assert_non_null(mkdtemp(folder));
	put(folder, "small", 4096);
	assert_int_equal(fio_target_make(&t, folder, why), 0);
	assert_true(t.scratch >= 0);
	assert_int_equal(count(folder), 1); /* it has no name */
	f = fopen(t.names[0], "r");
	assert_non_null(f);
	assert_int_equal(fread(block, 1, sizeof(block), f), sizeof(block));
	fclose(f);
	fio_target_free(&t);
	assert_int_equal(count(folder), 1);
	unlink(strcat(strcpy(why, folder), "/small"));
	rmdir(folder);
}

static void test_files_that_are_there(void **state)
{
	char folder[] = "/tmp/iolat-fio-XXXXXX", inside[64], path[300], why[FIO_REASON];
	struct fio_target t;

	assert_non_null(mkdtemp(folder));
	snprintf(inside, sizeof(inside), "%s/in side:1", folder);
	assert_int_equal(mkdir(inside, 0755), 0);
	put(inside, "a", 40 << 20);
	put(folder, "b", 40 << 20);
	put(folder, "small", 4096);
	assert_int_equal(fio_target_make(&t, folder, why), 0);
	assert_int_equal(t.scratch, -1);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.bytes, 80 << 20);
	fio_target_free(&t);
	snprintf(path, sizeof(path), "%s/b", folder);
	assert_int_equal(fio_target_make(&t, path, why), 0); /* a file by itself */
	assert_int_equal(t.n, 1);
	fio_target_free(&t);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	assert_int_equal(system(path), 0);
	assert_int_equal(fio_target_make(&t, folder, why), -ENOENT);
	fio_target_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_odd_output),
		cmocka_unit_test(test_a_scratch_file),
		cmocka_unit_test(test_files_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
