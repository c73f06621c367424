// SPDX-License-Identifier: GPL-2.0
/* Weeks of a run that forgets, as the metrics server has it: containers come, read and go, and memory stays as it is. */
#include <malloc.h>

#include "feed_waits.h"
#include "stats/usage.h"

#define CONTAINERS 40000
#define SETTLED	   10000 /* beyond each table's limit */
#define AT_ONCE	   20	 /* in an interval */

static struct fixture *start_forgetting(void)
{
	struct fixture *f = test_calloc(1, sizeof(*f));
	const struct run_options o = {
		.by = {.keys = {BY_CONTAINER, BY_DEVICE}, .n = 2, .mask = 1u << BY_CONTAINER | 1u << BY_DEVICE},
		.selection = &f->selection,
		.forgets = true,
	};
	struct iolat_run run = a_run();

	assert_int_equal(run_new(&f->run, &o), 0);
	run.mono_ns = T0;
	run.waits = run.unseen = 1;
	feed(f, run);
	feed(f, a_disk(1, "sda"));
	return f;
}

/* One that lives for a millisecond and waits for half of it; its wait may be told when it has ended. */
static void process(struct fixture *f, uint32_t pid, uint64_t cgroup, uint64_t at_ms, bool late)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, pid, T0 + MS(at_ms), "short");
	struct iolat_wait w = wait_of(pid, at_ms, at_ms + 1);

	e.flags = IOLAT_TASK_TRACED;
	w.end_ns -= MS(1) / 2;
	w.cgroup = e.cgroup = cgroup;
	feed(f, e);
	if (!late)
		feed(f, w);
	e.what = IOLAT_TASK_EXIT;
	e.ts_ns += MS(1);
	feed(f, e);
	if (late)
		feed(f, w);
}

static void container(struct fixture *f, uint32_t i, uint64_t at_ms)
{
	uint64_t cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 1000 + i);
	union an_aggregate reads = an_aggregate();
	char path[64], id[32];

	snprintf(id, sizeof(id), "%016x", i);
	snprintf(path, sizeof(path), "/docker/%s", id);
	feed(f, a_cgroup(cgroup, path));
	feed(f, a_docker(cgroup, id, NULL));
	process(f, 100 + 2 * i % 30000, cgroup, at_ms, false);
	process(f, 101 + 2 * i % 30000, cgroup, at_ms, true);
	reads.e.cgroup = cgroup;
	reads.e.tgid = 0;
	reads.e.last_ns = reads.e.end_ns = T0 + MS(at_ms + 1);
	reads.e.start_ns = T0 + MS(at_ms);
	feed(f, reads);
	feed(f, a_gone_cgroup(cgroup));
}

/* All that is allocated and not freed; 0 where a sanitizer has the heap. */
static size_t held(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static uint64_t waited(const struct fixture *f)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < f->s.n_tasks; i++)
		ns += f->s.tasks[i].blocked_ns;
	return ns;
}

static void test_containers(void **state)
{
	struct fixture *f = start_forgetting();
	size_t settled = 0;

	for (uint32_t i = 0; i < CONTAINERS; i++) {
		container(f, i, 100 * i);
		if (i % AT_ONCE < AT_ONCE - 1)
			continue;
		interval(f, T0 + MS(100 * i + 50));
		assert_int_equal(f->s.n_rows, AT_ONCE);
		assert_int_equal(f->s.n_tasks, 2 * AT_ONCE);
		assert_int_equal(waited(f), AT_ONCE * MS(1));
		if (i < SETTLED)
			settled = held();
	}
	assert_true(held() < settled + (1 << 20));
	finish(f);
}

/* A wait that ends long after its task did shows it once more, and no longer. */
static void test_a_late_wait(void **state)
{
	struct fixture *f = start_forgetting();

	process(f, 100, 0, 1, false);
	for (uint64_t s = 1; s < 10; s++)
		interval(f, T0 + MS(1000 * s));
	assert_int_equal(f->s.n_tasks, 0);
	feed(f, wait_of(100, 9000, 9500));
	interval(f, T0 + MS(10000));
	assert_int_equal(f->s.n_tasks, 1);
	assert_int_equal(waited(f), MS(500));
	interval(f, T0 + MS(11000));
	assert_int_equal(f->s.n_tasks, 0);
	finish(f);
}

static size_t count_usages(const struct usages *u)
{
	size_t n = 0;

	for (const struct usage *g = NULL; (g = usages_next(u, g));)
		n++;
	return n;
}

/* Who did nothing in an interval is not looked through in the next. */
static void test_usages(void **state)
{
	static const struct selection all;
	union an_aggregate reads = an_aggregate();
	struct model model;
	struct usages u;

	model_init(&model, &all, false);
	usages_init(&u, &model);
	u.forgets = true;
	reads.e.tgid = 0;
	for (reads.e.cgroup = 1; reads.e.cgroup <= 10; reads.e.cgroup++)
		assert_int_equal(usages_aggregate(&u, &reads.e), 0);
	usages_turn(&u);
	assert_int_equal(count_usages(&u), 10);
	assert_int_equal(usages_aggregate(&u, &reads.e), 0);
	usages_turn(&u);
	assert_int_equal(count_usages(&u), 1);
	usages_turn(&u);
	assert_int_equal(count_usages(&u), 0);
	usages_free(&u);
	model_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_a_late_wait),
		cmocka_unit_test(test_usages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
