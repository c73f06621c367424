// SPDX-License-Identifier: GPL-2.0
/* Files and file systems that were waited for: their names, their time, and the findings that they are in. */
#include <linux/magic.h>

#include "feed_waits.h"

#define FUSE 0x65735546
#define NFS  0x6969

/* A wait for a file of the file system 0:40, which has no disk. */
static struct iolat_wait remote_wait(uint32_t magic, uint64_t inode, uint64_t from, uint64_t to)
{
	struct iolat_wait w = wait_of(100, from, to);

	w.fs_magic = magic;
	w.fs_major = 0;
	w.fs_minor = 40;
	w.inode = inode;
	return w;
}

static struct iolat_wait fault_wait(uint64_t inode, uint64_t from, uint64_t to)
{
	struct iolat_wait w = wait_of(100, from, to);

	w.call = IOLAT_CALL_NONE;
	w.inode = inode;
	return w;
}

static const char *words_of(const struct finding *g, const char *key)
{
	for (size_t i = 0; i < g->n_evidence; i++)
		if (!strcmp(g->evidence[i].key, key))
			return g->evidence[i].text;
	return NULL;
}

static bool says(const struct finding *g, const char *words)
{
	return g && strstr(g->text, words);
}

static void test_a_network_mount(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, a_fs(0, 40, NFS, "nfs4", "server:/export", "/data"));
	feed(f, a_file(0, 40, 7, "/data/train.bin"));
	feed(f, remote_wait(NFS, 7, 100, 1100));
	feed(f, remote_wait(NFS, 8, 1100, 1200));
	whole(f, T0 + MS(2000));
	assert_ms(task_of(f, 100)->reasons[REASON_NETWORK_FS], 1100);
	g = finding_of(f, "network-filesystem");
	assert_non_null(g);
	assert_string_equal(f->s.findings[0].code, "network-filesystem");
	assert_string_equal(g->subject, "nfs4 server:/export at /data");
	assert_true(says(g, "no local disk is involved"));
	assert_string_equal(words_of(g, "mount"), "/data");
	assert_string_equal(words_of(g, "type"), "nfs4");
	assert_string_equal(words_of(g, "source"), "server:/export");
	assert_ms((uint64_t)evidence_of(g, "mount_wait_ns"), 1100);
	assert_int_equal(evidence_of(g, "mount_waits"), 2);
	assert_int_equal(evidence_of(g, "wait_pct"), 55);
	assert_int_equal(g->n_files, 2);
	assert_string_equal(g->files[0].file->path, "/data/train.bin");
	assert_ms(g->files[0].wait_ns, 1000);
	assert_null(g->files[1].file->path);
	assert_not_found(f, "fuse-filesystem");
	assert_not_found(f, "writeback-stall");
	finish(f);
}

/* Files of another mount are none of this one's; and what a process serves from a disk is on one. */
static void test_two_mounts(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = remote_wait(FUSE, 7, 100, 1100);
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, a_fs(8, 1, FUSE, "fuseblk", "/dev/sda1", "/win"));
	w.fs_major = 8;
	w.fs_minor = 1;
	feed(f, w);
	feed(f, remote_wait(FUSE, 8, 1100, 1200));
	whole(f, T0 + MS(2000));
	g = finding_of(f, "fuse-filesystem");
	assert_non_null(g);
	assert_string_equal(g->subject, "fuseblk /dev/sda1 at /win");
	assert_false(says(g, "no local disk"));
	assert_int_equal(g->n_files, 1);
	assert_int_equal(g->files[0].file->inode, 7);
	finish(f);
}

/* The same without any fact about it; sleeps of FUSE need not be deep. */
static void test_a_mount_that_nobody_names(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = remote_wait(FUSE, 0, 100, 1100);
	const struct finding *g;

	w.flags = 0;
	make_task(f, 100, "python3");
	feed(f, w);
	whole(f, T0 + MS(2000));
	assert_ms(task_of(f, 100)->reasons[REASON_FUSE], 1000);
	g = finding_of(f, "fuse-filesystem");
	assert_non_null(g);
	assert_string_equal(g->subject, "FUSE file system");
	assert_null(words_of(g, "mount"));
	assert_int_equal(g->n_files, 0);
	finish(f);
}

static void test_a_disk_is_involved(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, remote_wait(NFS, 7, 0, 400));
	read_and_wait(f, 100, 400, 800);
	whole(f, T0 + MS(2000));
	g = finding_of(f, "network-filesystem");
	assert_non_null(g);
	assert_false(says(g, "no local disk"));
	finish(f);
}

/* By the numbers of the kernel's own header. */
static void test_kinds_of_file_systems(void **state)
{
	static const __u32 network[] = {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
					CEPH_SUPER_MAGIC, V9FS_MAGIC, AFS_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC};
	/* Those of a cluster, too, lie on disks of this machine. */
	static const __u32 local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
				      TMPFS_MAGIC, OCFS2_SUPER_MAGIC, 0};

	for (size_t i = 0; i < sizeof(network) / sizeof(network[0]); i++)
		assert_int_equal(iolat_fs_kind(network[i]), IOLAT_FS_NETWORK);
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		assert_int_equal(iolat_fs_kind(local[i]), IOLAT_FS_LOCAL);
	assert_int_equal(iolat_fs_kind(FUSE_SUPER_MAGIC), IOLAT_FS_FUSE);
}

static void test_a_little_is_no_finding(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	feed(f, remote_wait(NFS, 7, 0, 100));
	feed(f, fault_wait(7, 100, 200));
	whole(f, T0 + MS(2000));
	assert_not_found(f, "network-filesystem");
	assert_not_found(f, "page-fault-io");
	finish(f);
}

static void test_faults_on_a_mapped_file(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	feed(f, a_file(8, 1, 7, "/data/a.arrow"));
	feed(f, a_file(8, 1, 8, "/data/b.arrow"));
	feed(f, fault_wait(8, 0, 200));
	feed(f, fault_wait(7, 200, 900));
	whole(f, T0 + MS(2000));
	g = finding_of(f, "page-fault-io");
	assert_non_null(g);
	assert_ms((uint64_t)evidence_of(g, "wait_ns"), 900);
	assert_int_equal(evidence_of(g, "share_pct"), 100);
	assert_true(says(g, "most on /data/a.arrow"));
	assert_string_equal(g->files[0].file->path, "/data/a.arrow");
	assert_string_equal(g->files[1].file->path, "/data/b.arrow");
	finish(f);
}

/* A fault inside a system call is known as such by the sleep after it; so is its file's time. */
static void test_a_fault_that_shows_later(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_wait w = wait_of(100, 0, 500);

	make_task(f, 100, "python3");
	w.inode = 7;
	w.major_faults = 3;
	feed(f, io_of(100, 500, 0, 500));
	feed(f, w);
	w = wait_of(100, 600, 601);
	w.major_faults = 4;
	feed(f, io_of(100, 601, 0, 1));
	feed(f, w);
	whole(f, T0 + MS(1000));
	assert_ms(task_of(f, 100)->reasons[REASON_PAGE_FAULT], 500);
	assert_ms(finding_of(f, "page-fault-io")->files[0].wait_ns, 500);
	finish(f);
}

static void test_swap_is_no_file(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 900, 0, 900);

	make_task(f, 100, "python3");
	rq.flags |= IOLAT_RQ_SWAP;
	feed(f, rq);
	feed(f, fault_wait(0, 0, 900));
	whole(f, T0 + MS(2000));
	assert_found(f, "swap");
	assert_not_found(f, "page-fault-io");
	finish(f);
}

/* An interval tells its own. */
static void test_by_interval(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	feed(f, fault_wait(7, 0, 500));
	interval(f, T0 + MS(1000));
	assert_ms(finding_of(f, "page-fault-io")->files[0].wait_ns, 500);
	feed(f, fault_wait(8, 1000, 1300));
	interval(f, T0 + MS(2000));
	assert_int_equal(finding_of(f, "page-fault-io")->n_files, 1);
	assert_int_equal(finding_of(f, "page-fault-io")->files[0].file->inode, 8);
	whole(f, T0 + MS(2000));
	assert_int_equal(finding_of(f, "page-fault-io")->n_files, 2);
	finish(f);
}

/* Without a mount a file goes by its name; a path that comes later is better. */
static void test_names_of_files(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	feed(f, fault_wait(7, 0, 500));
	feed(f, a_file(8, 1, 7, "a.bin"));
	whole(f, T0 + MS(1000));
	assert_string_equal(finding_of(f, "page-fault-io")->files[0].file->path, "a.bin");
	feed(f, a_file(8, 1, 7, "/data/a.bin"));
	whole(f, T0 + MS(1000));
	assert_string_equal(finding_of(f, "page-fault-io")->files[0].file->path, "/data/a.bin");
	finish(f);
}

/* More files than are kept. */
static void test_many_files(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	for (uint64_t i = 0; i < 30000; i++) {
		struct iolat_wait w = fault_wait(1 + i, 0, 0);

		w.start_ns += i * 10000;
		w.end_ns = w.start_ns + 10000;
		feed(f, w);
	}
	whole(f, T0 + MS(400));
	assert_int_equal(finding_of(f, "page-fault-io")->n_files, FINDING_FILES);
	assert_ms(task_of(f, 100)->reasons[REASON_PAGE_FAULT], 300);
	finish(f);
}

/* --- the page cache -------------------------------------------------------------------- */

static void read_calls(struct fixture *f, uint64_t ms, uint64_t mib, bool before)
{
	struct iolat_called e = a_called(100, mib << 20, mib);

	e.ts_ns = T0 + MS(ms);
	e.before = before;
	feed(f, e);
}

/* What was read before does not count; what came from memory is none of the disk's. */
static void test_all_from_memory(void **state)
{
	struct fixture *f = start_waits();
	const struct finding *g;

	make_task(f, 100, "python3");
	read_calls(f, 1, 5000, true);
	read_calls(f, 500, 5300, false);
	read_calls(f, 900, 5400, false);
	whole(f, T0 + MS(1000));
	g = finding_of(f, "not-the-disk");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "ios"), 0);
	assert_int_equal(evidence_of(g, "read_bytes"), 400 << 20);
	assert_int_equal(evidence_of(g, "device_read_bytes"), 0);
	assert_int_equal(evidence_of(g, "cache_hit_pct"), 100);
	assert_true(says(g, "system calls read 400M, disks 0B in 0 requests"));
	finish(f);
}

/* What the kernel counts of a process is also what its children had read that it has waited for, and theirs. */
static void test_children_count_once(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_called parents = a_called(50, 1000 << 20, 1), child = a_called(100, 300 << 20, 1);

	make_task(f, 100, "cat");
	parents.ts_ns = T0 + MS(1);
	parents.before = 1;
	feed(f, parents);
	read_calls(f, 400, 200, false);
	child.ts_ns = T0 + MS(500);
	child.ended = IOLAT_CALLED_LAST;
	feed(f, child);
	parents.ts_ns = T0 + MS(900);
	parents.before = 0;
	parents.read_bytes += (300 + 7) << 20;
	feed(f, parents);
	whole(f, T0 + MS(1000));
	assert_int_equal(evidence_of(finding_of(f, "not-the-disk"), "read_bytes"), (300 + 7) << 20);
	finish(f);
}

static void test_nothing_is_read(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	read_calls(f, 1, 0, true);
	whole(f, T0 + MS(1000));
	assert_true(says(finding_of(f, "not-the-disk"), "disk: pid 100 (python3) waited for I/O 0.0 % of its time; it hardly "
							"read at all"));
	finish(f);
}

static void test_a_part_from_memory(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 900, 0, 900);
	const struct finding *g;

	make_task(f, 100, "python3");
	rq.bytes = 25 << 20;
	feed(f, rq);
	feed(f, wait_of(100, 0, 900));
	read_calls(f, 950, 100, false); /* a new process's, from its start on */
	interval(f, T0 + MS(1000));
	g = finding_of(f, "all-workers-io-bound");
	assert_non_null(g);
	assert_int_equal(evidence_of(g, "cache_hit_pct"), 75);
	interval(f, T0 + MS(2000)); /* nothing more came */
	assert_int_equal(evidence_of(finding_of(f, "not-the-disk"), "read_bytes"), 0);
	finish(f);
}

/* Mappings are read without calls: then there is no ratio. */
static void test_more_from_disks_than_was_asked_for(void **state)
{
	struct fixture *f = start_waits();
	struct iolat_request rq = io_of(100, 20, 0, 10);
	const struct finding *g;

	make_task(f, 100, "python3");
	rq.bytes = 25 << 20;
	feed(f, rq);
	read_calls(f, 900, 1, false);
	whole(f, T0 + MS(1000));
	g = finding_of(f, "not-the-disk");
	assert_non_null(g);
	for (size_t i = 0; i < g->n_evidence; i++)
		assert_string_not_equal(g->evidence[i].key, "cache_hit_pct");
	finish(f);
}

/* --- rows by file and file system ------------------------------------------------------ */

static struct iolat_request_file file_io(enum iolat_request_of of, uint64_t inode, uint32_t bytes)
{
	struct iolat_request_file e = {
		.request = a_request(), .inode = inode, .fs_major = 8, .fs_minor = 1, .of = of};

	e.request.head.size = sizeof(e);
	e.request.bytes = bytes;
	return e;
}

static const struct row *row_of_path(const struct fixture *f, const char *path)
{
	for (size_t i = 0; i < f->s.n_rows; i++) {
		const struct file *file = f->s.rows[i]->subject.file;

		if (file && file->path && !strcmp(file->path, path))
			return f->s.rows[i];
	}
	return NULL;
}

static void test_rows_by_file(void **state)
{
	struct fixture *f = start(1u << BY_FILE);
	struct iolat_request_file elsewhere = file_io(IOLAT_OF_METADATA, 0, 5);

	feed(f, a_file(8, 1, 7, "/data/a"));
	feed(f, a_file(8, 1, 8, "/data/b"));
	feed(f, file_io(IOLAT_OF_FILE, 7, 4096));
	feed(f, file_io(IOLAT_OF_FILE, 8, 8192));
	feed(f, file_io(IOLAT_OF_FILE, 7, 512));
	feed(f, file_io(IOLAT_OF_DIRECT, 0, 1));
	feed(f, file_io(IOLAT_OF_METADATA, 0, 2));
	feed(f, file_io(IOLAT_OF_SWAP, 0, 3));
	feed(f, file_io(IOLAT_OF_UNKNOWN, 0, 4));
	feed(f, a_request()); /* nothing tells */
	elsewhere.fs_minor = 2;
	feed(f, elsewhere);
	whole(f, 1);
	assert_int_equal(f->s.n_rows, 6);
	assert_int_equal(row_of_path(f, "/data/a")->bytes, 4608);
	assert_int_equal(row_of_path(f, "/data/a")->ios, 2);
	assert_int_equal(row_of_path(f, "/data/b")->bytes, 8192);
	assert_int_equal(row_of_path(f, "(direct)")->bytes, 1);
	assert_int_equal(row_of_path(f, "(direct)")->subject.file->inode, 0);
	assert_int_equal(row_of_path(f, "(metadata)")->bytes, 7);
	assert_int_equal(row_of_path(f, "(swap)")->bytes, 3);
	finish(f);
}

static void test_the_same_number_elsewhere(void **state)
{
	struct fixture *f = start(1u << BY_FILE);
	struct iolat_request_file e = file_io(IOLAT_OF_FILE, 7, 4096);

	feed(f, e);
	e.fs_minor = 2;
	feed(f, e);
	whole(f, 1);
	assert_int_equal(f->s.n_rows, 2);
	finish(f);
}

/* Rows that are not by file do not care. */
static void test_files_do_not_matter_elsewhere(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	for (uint64_t i = 0; i < 100; i++)
		feed(f, file_io(IOLAT_OF_FILE, i, 4096));
	whole(f, 1);
	assert_int_equal(f->s.n_rows, 1);
	assert_int_equal(f->s.rows[0]->ios, 100);
	finish(f);
}

static void test_files_over_intervals(void **state)
{
	struct fixture *f = start(1u << BY_FILE | 1u << BY_FS);

	feed(f, a_file(8, 1, 7, "/data/a"));
	feed(f, a_fs(8, 1, 0xef53, "ext4", "/dev/sda1", "/data"));
	for (uint64_t i = 1; i < 4; i++) {
		feed(f, file_io(IOLAT_OF_FILE, 7, 4096));
		interval(f, i);
		assert_int_equal(f->s.n_rows, 1);
	}
	whole(f, 4);
	assert_int_equal(f->s.n_rows, 1);
	assert_int_equal(f->s.rows[0]->bytes, 3 * 4096);
	assert_string_equal(f->s.rows[0]->subject.file->path, "/data/a");
	assert_string_equal(f->s.rows[0]->subject.fs->source, "/dev/sda1");
	finish(f);
}

/* Files without end: as many rows as there may be, and one for the rest; what is kept is exact. */
static void test_more_files_than_rows(void **state)
{
	struct fixture *f = start_with(1u << BY_FILE, 100, NULL);
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < 50000; i++)
		feed(f, file_io(IOLAT_OF_FILE, 1 + i, 4096));
	whole(f, 1);
	assert_int_equal(f->s.n_rows, 101);
	for (size_t i = 0; i < f->s.n_rows; i++)
		bytes += f->s.rows[i]->bytes;
	assert_int_equal(bytes, 50000ull * 4096);
	finish(f);
}

/* A wait for a mount without a disk is its row's I/O, whose bytes nobody knows. */
static void test_rows_of_waits(void **state)
{
	struct fixture *f = start(1u << BY_FS);
	struct iolat_run run = a_run();
	struct iolat_wait w;

	run.mono_ns = T0;
	run.waits = 1;
	feed(f, run);
	make_task(f, 100, "python3");
	feed(f, a_fs(0, 40, NFS, "nfs4", "server:/export", "/data"));
	feed(f, remote_wait(NFS, 7, 0, 100));
	feed(f, remote_wait(NFS, 8, 100, 300));
	feed(f, wait_of(100, 300, 400)); /* of a disk: its requests count */
	w = remote_wait(NFS, 9, 400, 500);
	w.flags |= IOLAT_WAIT_OPEN;
	feed(f, w);
	whole(f, T0 + MS(1000));
	assert_int_equal(f->s.n_rows, 1);
	assert_string_equal(f->s.rows[0]->subject.fs->type, "nfs4");
	assert_int_equal(f->s.rows[0]->ios, 2);
	assert_int_equal(f->s.rows[0]->waits, 2);
	assert_int_equal(f->s.rows[0]->total.max, MS(200));
	assert_int_equal(f->s.coverage.tally.requests, 0);
	finish(f);
}

static void test_waits_are_no_rows_otherwise(void **state)
{
	struct fixture *f = start_waits();

	make_task(f, 100, "python3");
	feed(f, remote_wait(NFS, 7, 0, 100));
	whole(f, T0 + MS(1000));
	assert_int_equal(f->s.n_rows, 0);
	finish(f);
}

/* What was counted in the kernel has no file. */
static void test_aggregates_have_no_file(void **state)
{
	struct fixture *f = start(1u << BY_FILE);

	feed(f, an_aggregate());
	whole(f, 1);
	assert_int_equal(f->s.n_rows, 1);
	assert_null(f->s.rows[0]->subject.file);
	assert_string_equal(f->s.rows[0]->via, "aggregated");
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_file_systems),
		cmocka_unit_test(test_a_network_mount),
		cmocka_unit_test(test_two_mounts),
		cmocka_unit_test(test_a_mount_that_nobody_names),
		cmocka_unit_test(test_a_disk_is_involved),
		cmocka_unit_test(test_a_little_is_no_finding),
		cmocka_unit_test(test_faults_on_a_mapped_file),
		cmocka_unit_test(test_a_fault_that_shows_later),
		cmocka_unit_test(test_swap_is_no_file),
		cmocka_unit_test(test_by_interval),
		cmocka_unit_test(test_names_of_files),
		cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_all_from_memory),
		cmocka_unit_test(test_children_count_once),
	cmocka_unit_test(test_nothing_is_read),
		cmocka_unit_test(test_a_part_from_memory),
		cmocka_unit_test(test_more_from_disks_than_was_asked_for),
		cmocka_unit_test(test_rows_by_file),
		cmocka_unit_test(test_the_same_number_elsewhere),
		cmocka_unit_test(test_files_do_not_matter_elsewhere),
		cmocka_unit_test(test_files_over_intervals),
		cmocka_unit_test(test_more_files_than_rows),
		cmocka_unit_test(test_rows_of_waits),
		cmocka_unit_test(test_waits_are_no_rows_otherwise),
		cmocka_unit_test(test_aggregates_have_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
