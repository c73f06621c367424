/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small hand-made frame for the tests of the renderers: one process that reads and one
 * row that nobody owns, of a run in UTC. Tests change what they are about and compare the
 * whole output.
 */
#ifndef RENDER_FIXTURE_H
#define RENDER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "render/render.h"

#define FIXTURE_ROWS 3

struct fixture {
	struct process process;
	struct thread thread;
	struct worker worker;
	struct cgroup cgroup;
	struct container container;
	struct pod pod;
	struct job job;
	struct disk disk;
	struct by by;
	struct hook hooks[2];
	struct coverage_disk coverage_disk;
	struct row rows[FIXTURE_ROWS];
	const struct row *row_list[FIXTURE_ROWS];
	struct snapshot frame;
	struct render_options options;
};

static inline void fixture_by(struct fixture *f, size_t n, const enum row_key *keys)
{
	f->by = (struct by){.n = n};
	for (size_t i = 0; i < n; i++) {
		f->by.keys[i] = keys[i];
		f->by.mask |= 1u << keys[i];
	}
}
#define FIXTURE_BY(f, ...)                                                                         \
	fixture_by(f, sizeof((enum row_key[]){__VA_ARGS__}) / sizeof(enum row_key),                \
		   (enum row_key[]){__VA_ARGS__})

/* One I/O of 4 KiB and no more: `queue` and then `device` nanoseconds. */
static inline void fixture_io(struct row *row, uint64_t queue, uint64_t device)
{
	assert_int_equal(hist_add(&row->total, queue + device), 0);
	assert_int_equal(hist_add(&row->queue, queue), 0);
	assert_int_equal(hist_add(&row->device, device), 0);
	assert_int_equal(hist_add(&row->size, 4096), 0);
	row->ios++;
	row->bytes += 4096;
}

static inline void fixture_rows(struct fixture *f)
{
	for (size_t i = 0; i < FIXTURE_ROWS; i++) {
		hist_init(&f->rows[i].total);
		hist_init(&f->rows[i].queue);
		hist_init(&f->rows[i].device);
		hist_init(&f->rows[i].size);
		f->rows[i].subject.disk = &f->disk;
		f->row_list[i] = &f->rows[i];
	}
	f->rows[0].via = "writeback";
	f->rows[0].subject.op = IOLAT_OP_WRITE;
	fixture_io(&f->rows[0], 10, 20);
	f->rows[1].subject.process = &f->process;
	f->rows[1].subject.thread = &f->thread;
	f->rows[1].subject.worker = &f->worker;
	f->rows[1].subject.cgroup = &f->cgroup;
	f->rows[1].subject.container = &f->container;
	f->rows[1].subject.pod = &f->pod;
	f->rows[1].subject.job = &f->job;
	f->rows[1].owner_from = "task";
	fixture_io(&f->rows[1], 0, 60);
	fixture_io(&f->rows[1], 15, 45000);
}

static inline void fixture_entities(struct fixture *f)
{
	f->process = (struct process){.pid = 812, .comm_known = true, .comm = "fio"};
	f->thread = (struct thread){.tid = 813, .comm_known = true, .comm = "fio-worker"};
	f->worker = (struct worker){.index = 2,
				    .rank_known = true,
				    .rank = 1,
				    .pid = 814,
				    .role = ROLE_DATALOADER_WORKER,
				    .name = "rank 1 w2"};
	f->cgroup = (struct cgroup){.key = IOLAT_CGROUP(IOLAT_TREE_MEMORY, 77), .path = "/a/b"};
	f->container = (struct container){
		.runtime = "docker", .id = "0123abcd", .name = "we\"b", .label = "docker:0123"};
	f->pod = (struct pod){.space = "ml", .name = "train-0", .uid = "u-1"};
	f->job = (struct job){.id = "77", .step = "batch"};
	f->disk = (struct disk){
		.number = 5, .diskseq = 5, .major = 253, .minor = 16, .name = "vda", .rotational = -1};
	f->coverage_disk = (struct coverage_disk){.disk = &f->disk, .seen = 3};
	f->hooks[0] = (struct hook){"block_rq_issue", true, true};
	f->hooks[1] = (struct hook){"block_bio_queue", false, false};
}

/* Two rows, by process, device and op; the third is there to be used. */
static inline struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	fixture_entities(f);
	fixture_rows(f);
	FIXTURE_BY(f, BY_PROCESS, BY_DEVICE, BY_OP);
	f->frame = (struct snapshot){
		.type = SNAPSHOT_INTERVAL,
		.host = "box",
		.kernel = "6.1.0",
		.start_wall_ns = UINT64_C(1767225600000000000),
		.end_wall_ns = UINT64_C(1767225602000000000),
		.duration_ns = 2000000000,
		.by = &f->by,
		.hooks = f->hooks,
		.n_hooks = 2,
		.bio_submission = true,
		.coverage = {.tally.requests = 3, .disks = &f->coverage_disk, .n_disks = 1},
		.rows = f->row_list,
		.n_rows = 2,
	};
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	for (size_t i = 0; i < FIXTURE_ROWS; i++) {
		hist_free(&f->rows[i].total);
		hist_free(&f->rows[i].queue);
		hist_free(&f->rows[i].device);
		hist_free(&f->rows[i].size);
	}
	free(f);
}

/* What the format writes for the frame, to be freed. */
static inline char *fixture_render(const struct fixture *f, const char *format)
{
	const struct renderer *r = renderer_find(format);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(r);
	assert_non_null(out);
	if (r->start)
		assert_int_equal(r->start(out, &f->by, &f->options), 0);
	assert_int_equal(r->snapshot(out, &f->frame, &f->options), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static inline void fixture_expect(const struct fixture *f, const char *format, const char *want)
{
	char *text = fixture_render(f, format);

	assert_string_equal(text, want);
	free(text);
}

static inline void fixture_expect_part(const struct fixture *f, const char *format,
				       const char *part)
{
	char *text = fixture_render(f, format);

	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
	free(text);
}

static inline void fixture_expect_no_part(const struct fixture *f, const char *format,
					  const char *part)
{
	char *text = fixture_render(f, format);

	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
	free(text);
}

static inline int fixture_setup(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	*state = fixture_new();
	return 0;
}

static inline int fixture_teardown(void **state)
{
	fixture_free(*state);
	return 0;
}

#define FIXTURE_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif
