// SPDX-License-Identifier: GPL-2.0
/* The timeline: which bucket, which level, what is in flight, and that nothing grows. */
#include "feed_run.h"

#include <stdlib.h>

#include "attrib/model.h"

#define WIDTH TIMELINE_WIDTH_NS

static struct known_disk *new_disk(uint32_t number)
{
	struct known_disk *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	d->pub.number = number;
	d->refs = 1;
	return d;
}

static struct timeline *new_timeline(uint64_t start_ns)
{
	struct timeline *s = test_calloc(1, sizeof(*s));

	timeline_init(s);
	timeline_start(s, start_ns);
	return s;
}

static void drop(struct timeline *s)
{
	timeline_free(s);
	test_free(s);
}

/* A read that was in flight for the last `latency` until `end`. */
static struct iolat_request a_read(uint64_t end, uint64_t latency)
{
	struct iolat_request e = a_request();

	e.end_ns = end;
	e.queue_ns = latency / 4;
	e.device_ns = latency - e.queue_ns;
	return e;
}

static void add(struct timeline *s, struct known_disk *d, struct iolat_request e)
{
	assert_int_equal(timeline_add(s, d, &e), 0);
}

static const struct timeline_bucket *reads(const struct timeline *s, size_t disk)
{
	return s->tracks[disk][TIMELINE_OWN][IOLAT_OP_READ]->buckets;
}

static void test_levels(void **state)
{
	assert_int_equal(timeline_level(0), 0);
	assert_int_equal(timeline_level(1023), 0);
	assert_int_equal(timeline_level(1024), 1);
	assert_int_equal(timeline_level(1279), 1);
	assert_int_equal(timeline_level(1280), 2);
	assert_int_equal(timeline_level(2048), 5);
	assert_int_equal(timeline_level(UINT64_MAX), TIMELINE_LEVELS - 1);
	assert_int_equal(timeline_level_floor(0), 0);
	for (unsigned int i = 1; i < TIMELINE_LEVELS; i++) {
		assert_int_equal(timeline_level(timeline_level_floor(i)), i);
		assert_int_equal(timeline_level(timeline_level_floor(i) - 1), i - 1);
	}
}

static void test_a_request_counts_where_it_completed(void **state)
{
	struct timeline *s = new_timeline(1000);

	add(s, NULL, a_read(1000 + WIDTH - 1, 5000));
	add(s, NULL, a_read(1000 + WIDTH, 5000));
	add(s, NULL, a_read(500, 5000)); /* from before the start */
	assert_int_equal(s->used, 2);
	assert_int_equal(reads(s, TIMELINE_DISKS)[0].ios, 2);
	assert_int_equal(reads(s, TIMELINE_DISKS)[1].ios, 1);
	assert_int_equal(reads(s, TIMELINE_DISKS)[1].bytes, 4096);
	assert_int_equal(reads(s, TIMELINE_DISKS)[1].levels[timeline_level(5000)], 1);
	drop(s);
}

static void test_time_in_flight_is_spread(void **state)
{
	struct timeline *s = new_timeline(0);
	const struct timeline_bucket *b;

	add(s, NULL, a_read(3 * WIDTH + WIDTH / 2, 3 * WIDTH));
	b = reads(s, TIMELINE_DISKS);
	assert_int_equal(b[0].in_flight_ns, WIDTH / 2);
	assert_int_equal(b[1].in_flight_ns, WIDTH);
	assert_int_equal(b[2].in_flight_ns, WIDTH);
	assert_int_equal(b[3].in_flight_ns, WIDTH / 2);
	assert_int_equal(b[4].in_flight_ns, 0);
	assert_int_equal(b[3].ios, 1);
	assert_int_equal(b[0].ios + b[1].ios + b[2].ios, 0);
	drop(s);
}

static void test_what_began_before_the_start_is_cut(void **state)
{
	struct timeline *s = new_timeline(10 * WIDTH);

	add(s, NULL, a_read(10 * WIDTH + 100, 5 * WIDTH));
	assert_int_equal(reads(s, TIMELINE_DISKS)[0].in_flight_ns, 100);
	drop(s);
}

static uint64_t sum(const struct timeline_bucket *b, size_t field)
{
	uint64_t n = 0;

	for (size_t i = 0; i < TIMELINE_BUCKETS; i++)
		n += *(const uint64_t *)((const char *)&b[i] + field);
	return n;
}

static void test_buckets_double(void **state)
{
	struct timeline *s = new_timeline(0);
	const uint64_t n = 10 * TIMELINE_BUCKETS;

	for (uint64_t i = 0; i < n; i++)
		add(s, NULL, a_read(i * WIDTH + WIDTH / 2, WIDTH / 4));
	assert_int_equal(s->width_ns, 16 * WIDTH);
	assert_int_equal(s->used, TIMELINE_BUCKETS * 10 / 16);
	assert_int_equal(reads(s, TIMELINE_DISKS)[0].ios, 16);
	assert_int_equal(reads(s, TIMELINE_DISKS)[s->used - 1].ios, 16);
	assert_int_equal(sum(reads(s, TIMELINE_DISKS), offsetof(struct timeline_bucket, ios)), n);
	assert_int_equal(
		sum(reads(s, TIMELINE_DISKS), offsetof(struct timeline_bucket, in_flight_ns)),
		n * (WIDTH / 4));
	drop(s);
}

static void test_times_at_the_end_of_the_numbers(void **state)
{
	struct timeline *s = new_timeline(UINT64_MAX - 5);
	struct iolat_request e = a_read(UINT64_MAX, 3);

	add(s, NULL, e);
	e.queue_ns = e.device_ns = UINT64_MAX;
	add(s, NULL, e);
	assert_int_equal(reads(s, TIMELINE_DISKS)[0].ios, 2);
	drop(s);
	s = new_timeline(0);
	add(s, NULL, e);
	add(s, NULL, a_read(1, 1));
	assert_true(s->used <= TIMELINE_BUCKETS);
	assert_int_equal(sum(reads(s, TIMELINE_DISKS), offsetof(struct timeline_bucket, ios)), 2);
	drop(s);
}

static void test_disks_ops_and_copies_apart(void **state)
{
	struct known_disk *a = new_disk(1), *b = new_disk(2);
	struct iolat_request e = a_read(WIDTH, 1000);
	struct timeline *s = new_timeline(0);

	add(s, a, e);
	add(s, b, e);
	e.op = IOLAT_OP_FLUSH;
	add(s, a, e);
	e.flags = IOLAT_RQ_COPY;
	add(s, a, e);
	assert_int_equal(s->n_disks, 2);
	assert_int_equal(timeline_disk(s, 1)->number, 2);
	assert_null(timeline_disk(s, 2));
	assert_int_equal(reads(s, 0)[1].ios, 1);
	assert_int_equal(s->tracks[0][TIMELINE_OWN][IOLAT_OP_FLUSH]->buckets[1].ios, 1);
	assert_int_equal(s->tracks[0][TIMELINE_COPY][IOLAT_OP_FLUSH]->buckets[1].ios, 1);
	assert_null(s->tracks[1][TIMELINE_OWN][IOLAT_OP_FLUSH]);
	drop(s);
	known_disk_unref(a);
	known_disk_unref(b);
}

static void test_many_disks_fold(void **state)
{
	struct timeline *s = new_timeline(0);

	for (uint32_t i = 1; i <= 3 * TIMELINE_DISKS; i++) {
		struct known_disk *d = new_disk(i);

		add(s, d, a_read(WIDTH, 1000));
		known_disk_unref(d); /* as when the model forgets it */
	}
	assert_int_equal(s->n_disks, TIMELINE_DISKS);
	assert_int_equal(reads(s, TIMELINE_DISKS)[1].ios, 2 * TIMELINE_DISKS);
	drop(s);
}

static void test_it_reaches_to_the_end_of_the_run(void **state)
{
	struct timeline *s = new_timeline(1000);

	add(s, NULL, a_read(1000 + 5, 5));
	timeline_reach(s, 1000 + 3 * WIDTH);
	assert_int_equal(s->used, 3);
	timeline_reach(s, 1000 + 2 * WIDTH * TIMELINE_BUCKETS);
	assert_int_equal(s->width_ns, 2 * WIDTH);
	assert_int_equal(s->used, TIMELINE_BUCKETS);
	timeline_reach(s, 0);
	assert_int_equal(s->used, TIMELINE_BUCKETS);
	drop(s);
}

static void test_sum(void **state)
{
	struct timeline *s = new_timeline(0);
	struct timeline_bucket b;

	for (uint64_t i = 0; i < 5; i++)
		add(s, NULL, a_read(i * WIDTH + 10, 5));
	timeline_sum(s->tracks[TIMELINE_DISKS][TIMELINE_OWN][IOLAT_OP_READ], 1, 3, &b);
	assert_int_equal(b.ios, 3);
	assert_int_equal(b.levels[0], 3);
	timeline_sum(s->tracks[TIMELINE_DISKS][TIMELINE_OWN][IOLAT_OP_READ], TIMELINE_BUCKETS - 1,
		     9, &b);
	assert_int_equal(b.ios, 0);
	drop(s);
}

/* --- fed by a run ------------------------------------------------------------------ */

static void test_a_run_has_none_unless_asked(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct run_options o = {.by = {.keys = {BY_PROCESS}, .n = 1, .mask = 1u << BY_PROCESS},
				.selection = &f->selection};

	run_free(f->run);
	assert_int_equal(run_new(&f->run, &o), 0);
	feed(f, a_run());
	feed(f, a_request());
	whole(f, 2000000);
	assert_null(f->s.timeline);
	finish(f);
}

static void test_a_run_counts_what_its_rows_count(void **state)
{
	struct fixture *f = start(1u << BY_PROCESS);
	struct iolat_request copy = a_request();

	feed(f, a_run());
	feed(f, a_request());
	copy.flags = IOLAT_RQ_COPY; /* in no row that does not name its device */
	feed(f, copy);
	interval(f, 1500000);
	assert_null(f->s.timeline);
	feed(f, a_request());
	whole(f, 3 * WIDTH);
	assert_non_null(f->s.timeline);
	assert_int_equal(f->s.timeline->start_ns, a_run().mono_ns);
	assert_int_equal(f->s.timeline->used, 3);
	assert_int_equal(the_row(f)->ios, 2);
	assert_int_equal(reads(f->s.timeline, 0)[0].ios, 2);
	assert_null(f->s.timeline->tracks[0][TIMELINE_COPY][IOLAT_OP_READ]);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_a_request_counts_where_it_completed),
		cmocka_unit_test(test_time_in_flight_is_spread),
		cmocka_unit_test(test_what_began_before_the_start_is_cut),
		cmocka_unit_test(test_buckets_double),
		cmocka_unit_test(test_times_at_the_end_of_the_numbers),
		cmocka_unit_test(test_disks_ops_and_copies_apart),
		cmocka_unit_test(test_many_disks_fold),
		cmocka_unit_test(test_it_reaches_to_the_end_of_the_run),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_a_run_has_none_unless_asked),
		cmocka_unit_test(test_a_run_counts_what_its_rows_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
