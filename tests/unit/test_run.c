// SPDX-License-Identifier: GPL-2.0
/*
 * From events to frames: what makes a row, what counts in it, how intervals add up to
 * the run, what folds, and what coverage says. Whose an I/O is stands in test_owner.c.
 */
#include "feed_run.h"

#include <errno.h>

static void test_key_names(void **state)
{
	assert_string_equal(row_key_name(BY_PROCESS), "process");
	assert_string_equal(row_key_name(BY_THREAD), "thread");
	assert_string_equal(row_key_name(BY_CGROUP), "cgroup");
	assert_string_equal(row_key_name(BY_DEVICE), "device");
	assert_string_equal(row_key_name(BY_OP), "op");
}

static void test_one_request_makes_a_row(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();
	const struct row *r;

	e.requeues = 2;
	e.merged = 3;
	feed(f, a_disk(1, "sda"));
	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "dd"));
	feed(f, e);
	whole(f, 2000000);
	r = the_row(f);
	assert_string_equal(r->subject.process->comm, "dd");
	assert_string_equal(r->subject.disk->name, "sda");
	assert_int_equal(r->subject.op, IOLAT_OP_READ);
	assert_null(r->subject.thread);
	assert_null(r->subject.cgroup);
	assert_string_equal(r->owner_from, "task");
	assert_null(r->via);
	assert_int_equal(r->ios, 1);
	assert_int_equal(r->bytes, 4096);
	assert_int_equal(r->requeues, 2);
	assert_int_equal(r->merged, 3);
	assert_int_equal(r->errors, 0);
	assert_false(r->random_known);
	assert_int_equal(r->total.max, 100000);
	assert_int_equal(r->queue.max, 10000);
	assert_int_equal(r->device.max, 90000);
	assert_int_equal(r->size.max, 4096);
	finish(f);
}

static size_t rows_by(unsigned int mask)
{
	struct fixture *f = start(mask);
	struct iolat_request e = a_request();
	size_t n;

	for (unsigned int i = 0; i < 64; i++) {
		e.tgid = 100 + (i & 1);
		e.tid = 200 + (i & 3);
		e.disk = 1 + (i >> 2 & 1);
		e.op = i >> 3 & 1;
		e.cgroup = 1 + (i >> 4 & 3);
		feed(f, e);
	}
	whole(f, 2000000);
	assert_int_equal(sum_ios(f), 64);
	n = f->s.n_rows;
	finish(f);
	return n;
}

static void test_rows_are_what_by_says(void **state)
{
	assert_int_equal(rows_by(0), 1);
	assert_int_equal(rows_by(1u << BY_PROCESS), 2);
	assert_int_equal(rows_by(1u << BY_THREAD), 4);
	assert_int_equal(rows_by(1u << BY_CGROUP), 4);
	assert_int_equal(rows_by(1u << BY_DEVICE), 2);
	assert_int_equal(rows_by(1u << BY_OP), 2);
	assert_int_equal(rows_by(BY_DEFAULT), 8);
	assert_int_equal(rows_by((1u << BY_MAX) - 1), 64);
}

static void test_cgroups_have_paths(void **state)
{
	struct fixture *f = start(1u << BY_CGROUP);

	feed(f, a_request());
	whole(f, 2000000);
	assert_int_equal(the_row(f)->subject.cgroup->key, 7);
	assert_null(the_row(f)->subject.cgroup->path);
	feed(f, a_cgroup(7, "/a/b"));
	whole(f, 2000000);
	assert_string_equal(the_row(f)->subject.cgroup->path, "/a/b");
	finish(f);
}

static struct iolat_request request_in(uint64_t cgroup, uint32_t pid)
{
	struct iolat_request e = a_request();

	e.cgroup = cgroup;
	e.tgid = e.tid = pid;
	return e;
}

static const struct row *row_of_container(const struct fixture *f, const char *id)
{
	for (size_t i = 0; i < f->s.n_rows; i++) {
		const struct container *c = f->s.rows[i]->subject.container;

		if (id ? c && !strcmp(c->id, id) : !c)
			return f->s.rows[i];
	}
	fail_msg("no row of container %s", id ? id : "null");
	return NULL;
}

/* A container is its runtime and id, however many cgroups it has; its name may come later. */
static void test_rows_by_container(void **state)
{
	struct fixture *f = start(1u << BY_CONTAINER);

	feed(f, a_docker(1, "aa", NULL));
	feed(f, a_docker(2, "aa", NULL));
	feed(f, a_docker(3, "bb", "web"));
	feed(f, request_in(1, 100));
	feed(f, request_in(2, 101));
	feed(f, request_in(3, 102));
	feed(f, request_in(4, 103));
	interval(f, 2000000);
	feed(f, a_docker(2, "aa", "db"));
	feed(f, a_docker(1, "aa", NULL)); /* which takes nothing back */
	feed(f, request_in(1, 100));
	whole(f, 3000000);
	assert_int_equal(f->s.n_rows, 3);
	assert_int_equal(row_of_container(f, "aa")->ios, 3);
	assert_string_equal(row_of_container(f, "aa")->subject.container->name, "db");
	assert_string_equal(row_of_container(f, "aa")->subject.container->label, "docker:label");
	assert_string_equal(row_of_container(f, "bb")->subject.container->name, "web");
	assert_int_equal(row_of_container(f, NULL)->ios, 1);
	finish(f);
}

/* Other rows carry the container that all of their I/O was in. */
static void test_the_container_beside_other_rows(void **state)
{
	struct fixture *f = start(1u << BY_PROCESS);

	feed(f, a_docker(1, "aa", "db"));
	feed(f, a_docker(2, "bb", "web"));
	feed(f, request_in(1, 100));
	interval(f, 2000000);
	assert_string_equal(the_row(f)->container->name, "db");
	feed(f, request_in(1, 100));
	whole(f, 2000000);
	assert_string_equal(the_row(f)->container->name, "db");
	interval(f, 2500000);
	feed(f, request_in(2, 100));
	whole(f, 3000000);
	assert_null(the_row(f)->container);
	finish(f);
}

static union a_container a_pod(uint64_t cgroup, const char *uid, const char *job, const char *step)
{
	return a_container(cgroup, (const char *const[IOLAT_TEXT_MAX]){
					   [IOLAT_TEXT_POD_UID] = uid,
					   [IOLAT_TEXT_POD_NAMESPACE] = uid ? "ml" : NULL,
					   [IOLAT_TEXT_POD_NAME] = uid ? "train-0" : NULL,
					   [IOLAT_TEXT_JOB] = job,
					   [IOLAT_TEXT_JOB_STEP] = step,
					   [IOLAT_TEXT_JOB_ALIAS] = job ? "sABC" : NULL,
				   });
}

static void test_rows_by_pod_and_job(void **state)
{
	struct fixture *f = start(1u << BY_POD | 1u << BY_JOB);

	feed(f, a_pod(1, "u-1", NULL, NULL));
	feed(f, a_pod(2, "u-1", NULL, NULL));
	feed(f, a_pod(3, NULL, "77", "0"));
	feed(f, a_pod(4, NULL, "77", "1"));
	for (uint64_t cgroup = 1; cgroup <= 5; cgroup++)
		feed(f, request_in(cgroup, 100));
	whole(f, 2000000);
	assert_int_equal(f->s.n_rows, 4);
	for (size_t i = 0; i < f->s.n_rows; i++) {
		const struct row_subject *s = &f->s.rows[i]->subject;

		assert_int_equal(f->s.rows[i]->ios, s->pod ? 2 : 1);
		assert_true(!s->pod || !strcmp(s->pod->space, "ml"));
		assert_true(!s->job || !strcmp(s->job->id, "77"));
	}
	finish(f);
}

/* On v1 hosts the data's memory cgroup is the same one as the blkio tree's of that path. */
static void test_one_cgroup_in_two_trees(void **state)
{
	const uint64_t blkio = IOLAT_CGROUP(IOLAT_TREE_BLKIO, 20);
	const uint64_t memory = IOLAT_CGROUP(IOLAT_TREE_MEMORY, 90);
	const uint64_t other = IOLAT_CGROUP(IOLAT_TREE_MEMORY, 20);

	for (int memory_first = 0; memory_first <= 1; memory_first++) {
		struct fixture *f = start(1u << BY_CGROUP);

		feed(f, a_cgroup(memory_first ? memory : blkio, "/docker/a"));
		feed(f, a_cgroup(memory_first ? blkio : memory, "/docker/a"));
		feed(f, a_cgroup(other, "/docker/b"));
		feed(f, request_in(blkio, 100));
		feed(f, request_in(memory, 100));
		feed(f, request_in(other, 100));
		whole(f, 2000000);
		assert_int_equal(f->s.n_rows, 2);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(f->s.rows[i]->ios,
					 f->s.rows[i]->subject.cgroup->key == blkio ? 2 : 1);
		finish(f);
	}
}

static bool never(void *ctx, const char *file)
{
	++*(int *)ctx;
	return false;
}

static bool always(void *ctx, const char *file)
{
	return true;
}

/* Containers, those that come later too; the run has nothing left when their cgroups are gone and no
 * file has the name any more. */
static void test_selected_containers(void **state)
{
	struct selection selection = {.n_names = 0};
	struct fixture *f;
	int asked = 0;

	assert_int_equal(select_add_word(&selection.containers, "db"), 0);
	f = start_with(1u << BY_CONTAINER, 0, &selection);
	assert_true(run_places_ended(f->run, NULL, NULL));
	feed(f, a_docker(1, "aa", NULL));
	feed(f, a_docker(2, "bb", "web"));
	feed(f, request_in(1, 100));
	feed(f, request_in(2, 100));
	feed(f, request_in(0, 100));
	whole(f, 2000000);
	assert_int_equal(f->s.n_rows, 0);
	feed(f, a_container(1, (const char *const[IOLAT_TEXT_MAX]){[IOLAT_TEXT_RUNTIME] = "docker",
								   [IOLAT_TEXT_ID] = "aa",
								   [IOLAT_TEXT_NAME] = "db",
								   [IOLAT_TEXT_SOURCE] = "/f"}));
	feed(f, request_in(1, 100));
	feed(f, a_docker(3, "cc", "db"));
	feed(f, request_in(3, 100));
	whole(f, 2000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(f->s.coverage.tally.requests, 2);
	feed(f, a_gone_cgroup(1));
	assert_false(run_places_ended(f->run, never, &asked));
	feed(f, a_gone_cgroup(3));
	assert_false(run_places_ended(f->run, always, NULL));
	assert_true(run_places_ended(f->run, never, &asked));
	assert_true(asked > 0);
	finish(f);
}

static void test_flushes_have_no_device_time_and_no_size(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();
	const struct row *r;

	e.op = IOLAT_OP_FLUSH;
	e.flags = IOLAT_RQ_NO_DEVICE;
	e.device_ns = 0;
	e.bytes = 0;
	e.sector = ~0ULL;
	feed(f, e);
	whole(f, 2000000);
	r = the_row(f);
	assert_int_equal(r->total.max, 10000);
	assert_int_equal(r->queue.count, 1);
	assert_int_equal(r->device.count, 0);
	assert_int_equal(r->size.count, 0);
	finish(f);
}

static void test_bio_based_have_no_parts(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	e.flags = IOLAT_RQ_NO_SPLIT;
	e.device_ns = 0;
	feed(f, e);
	whole(f, 2000000);
	assert_int_equal(the_row(f)->total.max, 10000);
	assert_int_equal(the_row(f)->queue.count, 0);
	assert_int_equal(the_row(f)->device.count, 0);
	finish(f);
}

static void test_failed_ones_count(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	e.error = EIO;
	e.bytes = 0;
	feed(f, e);
	whole(f, 2000000);
	assert_int_equal(the_row(f)->ios, 1);
	assert_int_equal(the_row(f)->errors, 1);
	assert_int_equal(the_row(f)->size.count, 0);
	finish(f);
}

static void test_shares_add_bytes_alone(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_share share = a_share();
	const struct row *r;

	share.tgid = share.tid = 101;
	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "first"));
	feed(f, a_task(IOLAT_TASK_NEW, 101, 50, "second"));
	feed(f, a_request());
	feed(f, share);
	whole(f, 2000000);
	r = row_comm(f, "second");
	assert_non_null(r);
	assert_int_equal(r->bytes, 8192);
	assert_int_equal(r->ios, 0);
	assert_int_equal(r->total.count, 0);
	assert_null(r->owner_from);
	assert_int_equal(row_comm(f, "first")->bytes, 4096);
	assert_int_equal(f->s.coverage.tally.requests, 1);
	finish(f);
}

static void test_intervals_add_up(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	feed(f, a_run());
	feed(f, e);
	feed(f, e);
	interval(f, 2000000);
	assert_int_equal(the_row(f)->ios, 2);
	interval(f, 3000000);
	assert_int_equal(f->s.n_rows, 0);
	e.queue_ns = 0;
	feed(f, e);
	interval(f, 4000000);
	assert_int_equal(the_row(f)->ios, 1);
	assert_int_equal(the_row(f)->total.max, 90000);
	assert_int_equal(f->s.coverage.tally.requests, 1);
	whole(f, 5000000);
	assert_int_equal(the_row(f)->ios, 3);
	assert_int_equal(the_row(f)->total.count, 3);
	assert_int_equal(the_row(f)->total.max, 100000);
	assert_int_equal(the_row(f)->total.min, 90000);
	assert_int_equal(f->s.coverage.tally.requests, 3);
	finish(f);
}

static void test_asking_changes_nothing(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	feed(f, e);
	interval(f, 2000000);
	feed(f, e);
	e.tgid = 101;
	feed(f, e);
	for (int i = 0; i < 3; i++) {
		whole(f, 3000000);
		assert_int_equal(f->s.n_rows, 2);
		assert_int_equal(sum_ios(f), 3);
	}
	interval(f, 4000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(sum_ios(f), 2);
	whole(f, 5000000);
	assert_int_equal(sum_ios(f), 3);
	finish(f);
}

static void test_clocks(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_run());
	interval(f, 1500);
	assert_int_equal(f->s.start_wall_ns, 5000000000);
	assert_int_equal(f->s.end_wall_ns, 5000000500);
	assert_int_equal(f->s.duration_ns, 500);
	interval(f, 1700);
	assert_int_equal(f->s.start_wall_ns, 5000000500);
	assert_int_equal(f->s.duration_ns, 200);
	whole(f, 2000);
	assert_int_equal(f->s.start_wall_ns, 5000000000);
	assert_int_equal(f->s.duration_ns, 1000);
	assert_string_equal(f->s.host, "box");
	assert_string_equal(f->s.kernel, "6.1");
	assert_true(f->s.bio_submission);
	finish(f);
}

static void test_the_command(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_command e = a_command("iolat record -o f");

	feed(f, a_run());
	whole(f, 2000000);
	assert_null(f->s.command);
	feed(f, e);
	whole(f, 2000000);
	assert_string_equal(f->s.command, "iolat record -o f");
	memset(e.line, 'x', sizeof(e.line) - 1);
	e.cut = 1;
	feed(f, e);
	whole(f, 2000000);
	assert_int_equal(strlen(f->s.command), sizeof(e.line) - 1 + strlen(" ..."));
	finish(f);
}

static void test_hooks(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_hook e = a_hook("block_bio_queue");

	feed(f, a_hook("block_rq_issue"));
	feed(f, e);
	e.attached = e.required = 0;
	feed(f, e);
	whole(f, 1);
	assert_int_equal(f->s.n_hooks, 2);
	assert_string_equal(f->s.hooks[0].name, "block_rq_issue");
	assert_true(f->s.hooks[0].attached);
	assert_false(f->s.hooks[1].attached);
	finish(f);
}

static void request_of(struct fixture *f, uint32_t tgid)
{
	struct iolat_request e = a_request();

	e.tgid = tgid;
	feed(f, e);
}

static void test_rows_fold_beyond_the_limit(void **state)
{
	struct fixture *f = start_with(BY_DEFAULT, 2, NULL);
	const struct row *other;

	for (uint32_t i = 0; i < 10; i++)
		request_of(f, 100 + i);
	request_of(f, 100);
	interval(f, 2000000);
	assert_int_equal(f->s.n_rows, 3);
	other = row_via(f, "other");
	assert_non_null(other);
	assert_int_equal(other->ios, 8);
	assert_int_equal(other->subject.op, IOLAT_OP_OTHER);
	assert_null(other->subject.process);
	assert_null(other->subject.disk);
	assert_int_equal(f->s.coverage.tally.requests, 11);
	finish(f);
}

/* Other processes in each interval: the run's table is full before the interval's is. */
static void test_the_run_folds_too(void **state)
{
	struct fixture *f = start_with(BY_DEFAULT, 3, NULL);

	for (uint32_t i = 0; i < 20; i++) {
		request_of(f, 100 + 2 * i);
		request_of(f, 101 + 2 * i);
		whole(f, 1000 * i);
		assert_true(f->s.n_rows <= 4);
		assert_int_equal(sum_ios(f), 2 * i + 2);
		interval(f, 1000 * i);
		assert_int_equal(f->s.n_rows, 2);
		assert_int_equal(sum_ios(f), 2);
	}
	whole(f, 2000000);
	assert_int_equal(f->s.n_rows, 4);
	assert_int_equal(row_via(f, "other")->ios, 37);
	finish(f);
}

static void check_others_row(unsigned int by)
{
	struct fixture *f = start_with(by, 2, NULL);

	request_of(f, 100);
	interval(f, 1000);
	request_of(f, 101);
	request_of(f, 102);
	request_of(f, 103);
	interval(f, 2000);
	assert_int_equal(f->s.n_rows, 3);
	assert_int_equal(row_via(f, "other")->ios, 1);
	whole(f, 3000);
	assert_int_equal(row_via(f, "other")->ios, 2);
	assert_int_equal(sum_ios(f), 4);
	finish(f);
}

/* In whatever order rows leave the interval: more folds into the run's, not the frame's. */
static void test_the_others_row_of_a_frame_stays_its_own(void **state)
{
	for (unsigned int by = 0; by < 1u << BY_MAX; by++)
		if (by & 1u << BY_PROCESS)
			check_others_row(by);
}

static void test_losses(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_counters c = some_counters();

	c.lost = 5;
	c.unmatched = 3;
	c.map_full = 2;
	feed(f, c);
	interval(f, 1000);
	assert_int_equal(f->s.coverage.tally.lost, 5);
	assert_int_equal(f->s.coverage.tally.unmatched, 3);
	assert_int_equal(f->s.coverage.tally.map_full, 2);
	assert_int_equal(f->s.coverage.tally.aggregated, 0);
	assert_false(f->s.coverage.missed_known);
	c.lost = 6;
	c.missed = 4;
	c.missed_known = 1;
	feed(f, c);
	interval(f, 2000);
	assert_int_equal(f->s.coverage.tally.lost, 1);
	assert_int_equal(f->s.coverage.tally.unmatched, 0);
	assert_true(f->s.coverage.missed_known);
	assert_int_equal(f->s.coverage.tally.missed, 4);
	whole(f, 3000);
	assert_int_equal(f->s.coverage.tally.lost, 6);
	finish(f);
}

static const struct coverage_disk *the_disk(const struct fixture *f)
{
	assert_int_equal(f->s.coverage.n_disks, 1);
	return &f->s.coverage.disks[0];
}

static void test_disks_seen_against_the_kernel(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_disk_facts facts = some_facts(1);

	feed(f, a_disk(1, "sda"));
	interval(f, 1000);
	assert_int_equal(the_disk(f)->seen, 0);
	assert_false(the_disk(f)->kernel_known);
	feed(f, a_request());
	feed(f, a_request());
	facts.kernel_ios = 7;
	facts.unselected = 5;
	feed(f, facts);
	interval(f, 2000);
	assert_int_equal(the_disk(f)->seen, 7);
	assert_true(the_disk(f)->kernel_known);
	assert_int_equal(the_disk(f)->kernel, 7);
	assert_int_equal(the_disk(f)->disk->rotational, -1);
	assert_int_equal(the_disk(f)->disk->nr_requests, 64);
	feed(f, a_request());
	facts.kernel_ios = 9;
	facts.unselected = 6;
	feed(f, facts);
	interval(f, 3000);
	assert_int_equal(the_disk(f)->seen, 2);
	assert_int_equal(the_disk(f)->kernel, 2);
	whole(f, 4000);
	assert_int_equal(the_disk(f)->seen, 9);
	assert_int_equal(the_disk(f)->kernel, 9);
	facts.accounted = 0;
	feed(f, facts);
	whole(f, 4000);
	assert_false(the_disk(f)->kernel_known);
	finish(f);
}

static void test_what_disks_stand_on(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	const struct disk *disk;

	feed(f, a_disk(1, "md0"));
	whole(f, 1000);
	disk = the_disk(f)->disk;
	assert_false(disk->below_known);
	feed(f, some_facts(1));
	feed(f, a_disk_below(1, 0, 2, "sda1"));
	feed(f, a_disk_below(1, 1, 2, "sdb1"));
	feed(f, a_disk_below(1, 5, 6, "out of order"));
	assert_true(disk->below_known);
	assert_int_equal(disk->n_below, 2);
	assert_string_equal(disk->below[0], "sda1");
	assert_string_equal(disk->below[1], "sdb1");
	assert_string_equal(disk->transport, "sata");
	feed(f, a_disk_below(1, 0, 1, "sdc1"));
	assert_int_equal(disk->n_below, 1);
	assert_string_equal(disk->below[0], "sdc1");
	feed(f, a_disk_below(1, 0, 0, ""));
	assert_true(disk->below_known);
	assert_int_equal(disk->n_below, 0);
	finish(f);
}

static void test_passthrough_and_shares_are_not_the_disks(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	e.flags = IOLAT_RQ_PASSTHROUGH;
	e.op = IOLAT_OP_OTHER;
	feed(f, e);
	feed(f, a_share());
	whole(f, 1000);
	assert_int_equal(the_disk(f)->seen, 0);
	assert_int_equal(f->s.coverage.tally.requests, 1);
	finish(f);
}

static void test_no_disk(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	e.disk = 0;
	feed(f, e);
	whole(f, 1000);
	assert_null(the_row(f)->subject.disk);
	assert_int_equal(f->s.coverage.n_disks, 0);
	finish(f);
}

static void test_unnamed_disks_have_numbers(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, a_disk(1, ""));
	feed(f, a_request());
	whole(f, 1000);
	assert_string_equal(the_row(f)->subject.disk->name, "8:1");
	finish(f);
}

static void test_refused_events_are_counted(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	e.op = IOLAT_OP_MAX;
	assert_int_equal(run_event(f->run, &e, sizeof(e)), -EBADMSG);
	e.head.kind = IOLAT_EV_MAX;
	assert_int_equal(run_event(f->run, &e, sizeof(e)), -ENOTSUP);
	assert_int_equal(run_refused(f->run), 2);
	whole(f, 1000);
	assert_int_equal(f->s.n_rows, 0);
	finish(f);
}

/* --- I/Os that the kernel side counted ---------------------------------------------- */

static void test_aggregates_add_to_the_row_of_their_key(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	const struct row *r;

	feed(f, a_disk(1, "sda"));
	feed(f, a_task(IOLAT_TASK_NEW, 100, 50, "dd"));
	feed(f, a_request());
	feed(f, an_aggregate());
	whole(f, 2000000);
	r = the_row(f);
	assert_int_equal(r->ios, 4);
	assert_int_equal(r->bytes, 4 * 4096);
	assert_int_equal(r->total.count, 4);
	assert_int_equal(r->total.min, 1000);
	assert_int_equal(r->total.max, 100000);
	assert_int_equal(hist_mean(&r->total), 104000 / 4);
	assert_int_equal(hist_percentile(&r->total, 0.5), hist_bucket_at(hist_bucket_of(1000)).hi);
	assert_int_equal(r->queue.count, 2);
	assert_int_equal(r->device.count, 2);
	assert_int_equal(r->size.count, 1); /* of the one that has a record */
	assert_null(r->via);
	assert_string_equal(r->owner_from, "task");
	assert_int_equal(f->s.coverage.tally.requests, 4);
	assert_int_equal(f->s.coverage.tally.aggregated, 3);
	assert_int_equal(f->s.coverage.tally.lost, 0);
	assert_int_equal(f->s.coverage.disks[0].seen, 4);
	finish(f);
}

/* Threads are not told apart: those I/Os have a row of their own instead of a wrong one. */
static void test_aggregates_lack_the_thread(void **state)
{
	struct fixture *f = start(1u << BY_PROCESS | 1u << BY_THREAD);
	const struct row *r;

	feed(f, a_request());
	feed(f, an_aggregate());
	whole(f, 2000000);
	assert_int_equal(f->s.n_rows, 2);
	r = row_via(f, "aggregated");
	assert_non_null(r);
	assert_int_equal(r->ios, 3);
	assert_int_equal(r->subject.process->pid, 100);
	assert_null(r->subject.thread);
	assert_int_equal(row_via(f, NULL)->subject.thread->tid, 100);
	finish(f);
}

static void test_aggregates_beyond_the_tables_room(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	union an_aggregate u = an_aggregate();

	u.e.other = 1;
	u.e.disk = u.e.tgid = 0;
	u.e.cgroup = 0;
	feed(f, u);
	whole(f, 2000000);
	assert_int_equal(the_row(f)->ios, 3);
	assert_string_equal(the_row(f)->via, "other");
	assert_null(the_row(f)->subject.process);
	assert_null(the_row(f)->subject.disk);
	assert_int_equal(f->s.coverage.tally.requests, 3);
	assert_int_equal(f->s.coverage.tally.aggregated, 3);
	assert_int_equal(f->s.coverage.tally.unowned, 0);
	finish(f);
}

/* A frame has what it brought, the summary the sum. */
static void test_aggregates_of_frames(void **state)
{
	struct fixture *f = start(BY_DEFAULT);

	feed(f, an_aggregate());
	interval(f, 2000000);
	assert_int_equal(f->s.coverage.tally.aggregated, 3);
	assert_int_equal(the_row(f)->ios, 3);
	interval(f, 3000000);
	assert_int_equal(f->s.coverage.tally.aggregated, 0);
	assert_int_equal(f->s.n_rows, 0);
	feed(f, an_aggregate());
	whole(f, 4000000);
	assert_int_equal(f->s.coverage.tally.aggregated, 6);
	assert_int_equal(the_row(f)->ios, 6);
	finish(f);
}

/* Bytes of shares alone: no I/O. */
static void test_aggregated_shares(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	union an_aggregate u = an_aggregate();

	u.e.ios = 0;
	u.e.n_buckets = 0;
	feed(f, u);
	whole(f, 2000000);
	assert_int_equal(the_row(f)->ios, 0);
	assert_int_equal(the_row(f)->bytes, 12288);
	assert_int_equal(the_row(f)->total.count, 0);
	assert_null(the_row(f)->owner_from);
	finish(f);
}

/* Extremes that the kernel side got a little wrong stay within their buckets; its last bucket has no end. */
static void test_extremes_of_aggregates(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	union an_aggregate u = an_aggregate();

	u.e.min_ns[IOLAT_PART_TOTAL] = 1900;
	u.e.max_ns[IOLAT_PART_TOTAL] = 1000;
	feed(f, u);
	whole(f, 2000000);
	assert_int_equal(the_row(f)->total.min, hist_bucket_at(190).hi);
	assert_int_equal(the_row(f)->total.max, hist_bucket_at(222).lo);
	u = an_aggregate();
	u.buckets[1].number = IOLAT_BUCKETS - 1;
	u.e.max_ns[IOLAT_PART_TOTAL] = 1ULL << 50;
	feed(f, u);
	whole(f, 3000000);
	assert_int_equal(the_row(f)->total.max, 1ULL << 50);
	assert_int_equal(hist_percentile(&the_row(f)->total, 1), 1ULL << 50);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_names),
		cmocka_unit_test(test_one_request_makes_a_row),
		cmocka_unit_test(test_rows_are_what_by_says),
		cmocka_unit_test(test_cgroups_have_paths),
		cmocka_unit_test(test_rows_by_container),
		cmocka_unit_test(test_the_container_beside_other_rows),
		cmocka_unit_test(test_rows_by_pod_and_job),
		cmocka_unit_test(test_one_cgroup_in_two_trees),
		cmocka_unit_test(test_selected_containers),
		cmocka_unit_test(test_flushes_have_no_device_time_and_no_size),
		cmocka_unit_test(test_bio_based_have_no_parts),
		cmocka_unit_test(test_failed_ones_count),
		cmocka_unit_test(test_shares_add_bytes_alone),
		cmocka_unit_test(test_intervals_add_up),
		cmocka_unit_test(test_asking_changes_nothing),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_the_command),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_rows_fold_beyond_the_limit),
		cmocka_unit_test(test_the_run_folds_too),
		cmocka_unit_test(test_the_others_row_of_a_frame_stays_its_own),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_disks_seen_against_the_kernel),
		cmocka_unit_test(test_what_disks_stand_on),
		cmocka_unit_test(test_passthrough_and_shares_are_not_the_disks),
		cmocka_unit_test(test_no_disk),
		cmocka_unit_test(test_unnamed_disks_have_numbers),
		cmocka_unit_test(test_refused_events_are_counted),
		cmocka_unit_test(test_aggregates_add_to_the_row_of_their_key),
		cmocka_unit_test(test_aggregates_lack_the_thread),
		cmocka_unit_test(test_aggregates_beyond_the_tables_room),
		cmocka_unit_test(test_aggregates_of_frames),
		cmocka_unit_test(test_aggregated_shares),
		cmocka_unit_test(test_extremes_of_aggregates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
