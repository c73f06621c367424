// SPDX-License-Identifier: GPL-2.0
/* Mount tables: which mount a file system and a file go by, and mounts that come while iolat runs. */
#include "collect/file_facts.h"
#include "fake_host.h"
#include "feed.h"

/* A host of one process, 100, whose mount table a test writes. */
struct host {
	char root[FAKE_HOST_ROOT];
	struct file_facts facts;
	char told[8][96]; /* "TYPE SOURCE POINT" of a file system, the path of a file */
	size_t n;
};

static int note(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	const struct iolat_file *file = data;
	const struct iolat_fs *fs = data;
	struct host *h = ctx;
	const char *at = fs->text;

	assert_true(h->n < 8);
	if (head->kind == IOLAT_EV_FILE) {
		snprintf(h->told[h->n++], sizeof(h->told[0]), "%.90s", file->path);
	} else {
		assert_int_equal(head->kind, IOLAT_EV_FS);
		for (size_t i = 0, len = 0; i < 3; i++, at += strlen(at) + 1)
			len += snprintf(h->told[h->n] + len, sizeof(h->told[0]) - len, "%s%.30s", i ? " " : "", at);
		h->n++;
	}
	return 0;
}

static void write_mounts(const struct host *h, const char *text)
{
	fake_host_write(h->root, "/proc/100/mountinfo", text, strlen(text));
}

static struct host *host_new(const char *mounts)
{
	struct host *h = test_calloc(1, sizeof(*h));
	struct sink sink = {.event = note, .ctx = h};

	fake_host_make(h->root);
	fake_host_write(h->root, "/proc/100/ns/mnt", "", 0);
	write_mounts(h, mounts);
	file_facts_init(&h->facts, h->root, &sink, true);
	return h;
}

static void host_free(struct host *h)
{
	file_facts_free(&h->facts);
	fake_host_remove(h->root);
	test_free(h);
}

static uint32_t space_of(const struct host *h)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/100/ns/mnt", h->root);
	assert_int_equal(stat(path, &st), 0);
	return (uint32_t)st.st_ino;
}

/* A process has used a file while the mounts of 100's namespace were the `mounts`-th. */
static void use_by(struct host *h, uint32_t pid, uint32_t major, uint32_t minor, const char *name, uint64_t mounts)
{
	struct iolat_dentry_event e = a_dentry(major, minor, 7, name);

	e.dentry.tgid = pid;
	e.dentry.in_major = IOLAT_FS_MAJOR(major);
	e.dentry.fs_magic = 0x6969;
	e.dentry.space = space_of(h);
	e.dentry.mounts = mounts;
	assert_int_equal(file_facts_dentry(&h->facts, &e.dentry), 0);
}

static void use(struct host *h, uint32_t major, uint32_t minor, const char *name, uint64_t mounts)
{
	use_by(h, 100, major, minor, name, mounts);
}

#define WHOLE  "30 1 0:40 / /data rw - nfs4 server:/export rw\n"
#define A_PART "31 1 0:40 /train/set /srv/set rw - nfs4 server:/export rw\n"
#define AGAIN  "32 1 0:40 / /mnt/again rw - nfs4 server:/export rw\n"
#define LATER  "33 1 0:999941 / /late rw - nfs4 server:/late rw\n"

/* Most of it is to be seen at /data, wherever a bind mount comes in the table. It is told once. */
static void test_a_file_system_goes_by_its_whole(void **state)
{
	static const char *const tables[] = {WHOLE A_PART AGAIN, A_PART WHOLE AGAIN};

	for (size_t i = 0; i < 2; i++) {
		struct host *h = host_new(tables[i]);

		use(h, 0, 40, "x", 1);
		use(h, 0, 40, "y", 1);
		assert_int_equal(h->n, 3);
		assert_string_equal(h->told[0], "nfs4 server:/export /data");
		host_free(h);
	}
}

static void test_a_part_is_better_than_nothing(void **state)
{
	struct host *h = host_new(A_PART);

	use(h, 0, 40, "x", 1);
	assert_string_equal(h->told[0], "nfs4 server:/export /srv/set");
	host_free(h);
}

/* A file goes by the mount that shows the least beside it. */
static void test_a_file_goes_by_the_nearest(void **state)
{
	struct host *h = host_new(WHOLE A_PART);
	struct {
		struct iolat_dentry e;
		char names[3][IOLAT_DENTRY_LEN];
	} d = {.e = a_dentry(0, 40, 7, "").dentry, .names = {"x", "set", "train"}};

	d.e.head.size = sizeof(d);
	d.e.n_names = 3;
	d.e.space = space_of(h);
	assert_int_equal(file_facts_dentry(&h->facts, &d.e), 0);
	assert_int_equal(h->n, 2);
	assert_string_equal(h->told[0], "nfs4 server:/export /data");
	assert_string_equal(h->told[1], "/srv/set/x");
	host_free(h);
}

/* The table is read when the kernel says that it is another one, and only then. */
static void test_mounts_change(void **state)
{
	struct host *h = host_new(WHOLE);

	use(h, 0, 40, "x", 1);
	write_mounts(h, WHOLE LATER);
	use(h, 0, 999941, "y", 1);
	assert_string_equal(h->told[2], "y");
	use(h, 0, 999941, "y", 2);
	assert_string_equal(h->told[3], "nfs4 server:/late /late");
	assert_string_equal(h->told[4], "/late/y");
	assert_int_equal(h->n, 5);
	host_free(h);
}

/* A number that a mount gave up and another one got is another file system's. */
static void test_a_number_is_used_again(void **state)
{
	struct host *h = host_new(WHOLE);

	use(h, 1 << IOLAT_FS_MAJOR_BITS, 40, "x", 1);
	write_mounts(h, "35 1 0:40 / /other rw - fuse.sshfs other rw\n");
	use(h, 2 << IOLAT_FS_MAJOR_BITS, 40, "x", 2);
	assert_int_equal(h->n, 4);
	assert_string_equal(h->told[0], "nfs4 server:/export /data");
	assert_string_equal(h->told[1], "/data/x");
	assert_string_equal(h->told[2], "fuse.sshfs other /other");
	assert_string_equal(h->told[3], "/other/x");
	host_free(h);
}

/* Of a process that has ended, or is about to (its table cannot be opened any more), what there is is told all the same;
 * and the next of that namespace is asked. */
static void test_nobody_is_left_to_ask(void **state)
{
	struct host *h = host_new(WHOLE);
	char path[128], other[160];

	snprintf(path, sizeof(path), "%s/proc/100/mountinfo", h->root);
	snprintf(other, sizeof(other), "%s.gone", path);
	assert_int_equal(rename(path, other), 0);
	use(h, 0, 999942, "x", 1);
	assert_string_equal(h->told[0], "x");
	assert_int_equal(rename(other, path), 0);
	use(h, 0, 40, "x", 1);
	assert_string_equal(h->told[h->n - 1], "/data/x");
	host_free(h);
}

/* A process that has ended, as one of a container's shell does, goes by what another of its namespace sees. */
static void test_another_is_asked(void **state)
{
	struct host *h = host_new(WHOLE);

	use_by(h, 99, 0, 40, "x", 1);
	assert_string_equal(h->told[0], "nfs4 server:/export /data");
	assert_string_equal(h->told[1], "/data/x");
	host_free(h);
}

/* Whoever has a mount namespace of his own may fill it; that does not fill this process's memory. */
static void test_a_table_without_end(void **state)
{
	struct host *h = host_new(WHOLE);
	FILE *f = fake_host_open(h->root, "/proc/100/mountinfo", "a");

	for (int i = 0; i < 60000; i++)
		fprintf(f, "%d 1 0:50 / /many/%060d rw - tmpfs tmpfs rw\n", 100 + i, i);
	fputs(LATER, f);
	assert_int_equal(fclose(f), 0);
	use(h, 0, 40, "x", 1);
	assert_string_equal(h->told[1], "/data/x");
	use(h, 0, 999941, "y", 1);
	assert_string_equal(h->told[2], "y");
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_system_goes_by_its_whole),
		cmocka_unit_test(test_a_part_is_better_than_nothing),
		cmocka_unit_test(test_a_file_goes_by_the_nearest),
		cmocka_unit_test(test_mounts_change),
		cmocka_unit_test(test_a_number_is_used_again),
		cmocka_unit_test(test_nobody_is_left_to_ask),
		cmocka_unit_test(test_another_is_asked),
		cmocka_unit_test(test_a_table_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
