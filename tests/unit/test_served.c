// SPDX-License-Identifier: GPL-2.0
/* Who a disk served while selected requests waited: sums over many rounds of the slices, and what they hold. */
#include "feed.h"

#include "stats/served.h"

#define MS	1000000ull
#define AT(ms)	((ms) * MS)

struct fixture {
	struct model model;
	struct served served;
};

static int setup(void **state)
{
	static struct fixture f;
	static const struct selection all;

	model_init(&f.model, &all, false);
	served_init(&f.served, &f.model);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	served_free(&f->served);
	model_free(&f->model);
	return 0;
}

/* A selected request that waits from `start_ms` on for 2 ms, then is served for 1 ms. */
static void request(struct fixture *f, uint64_t start_ms)
{
	const struct iolat_request e = {
		.disk = 7, .end_ns = AT(start_ms + 3), .queue_ns = AT(2), .device_ns = AT(1)};

	assert_int_equal(served_self(&f->served, &e), 0);
}

/* One of another cgroup that is served for 2 ms. */
static void other(struct fixture *f, uint64_t start_ms)
{
	const struct iolat_other e = {
		.disk = 7, .end_ns = AT(start_ms + 2), .device_ns = AT(2), .cgroup = 1};

	assert_int_equal(served_other(&f->served, &e), 0);
}

static size_t pieces(const struct served_disk *d)
{
	size_t n = 0;

	for (size_t i = 0; i < SERVED_PIECES; i++)
		n += d->pieces[i] != NULL;
	return n;
}

/* Longer than all slices, closed in time as a run does it. */
static void test_long(void **state)
{
	struct fixture *f = *state;
	const struct served_disk *d;
	const uint64_t first = 100, rounds = 3 * SERVED_SLICES / 10;

	for (uint64_t i = 0; i < rounds; i++) {
		request(f, first + 10 * i);
		other(f, first + 10 * i);
		served_close(&f->served, AT(first + 10 * i));
	}
	served_close(&f->served, AT(first + 10 * rounds));
	d = served_next(&f->served, NULL);
	assert_non_null(d);
	assert_int_equal(served_by(&d->owners[0], true), rounds * 2 * MS);
	assert_int_equal(d->self_now, rounds * MS);
	assert_int_equal(served_waited(d, true), rounds * 3 * MS);
}

/* Nobody closes: the oldest slices make room, and nothing is counted twice or lost. */
static void test_unclosed(void **state)
{
	struct fixture *f = *state;
	const struct served_disk *d;

	for (uint64_t i = 0; i < SERVED_SLICES; i++) {
		request(f, 100 + 10 * i);
		other(f, 100 + 10 * i);
	}
	served_close(&f->served, AT(100 + 10 * (uint64_t)SERVED_SLICES));
	d = served_next(&f->served, NULL);
	assert_int_equal(served_by(&d->owners[0], true), SERVED_SLICES * 2 * MS);
	assert_int_equal(served_waited(d, true), SERVED_SLICES * 3 * MS);
}

/* A disk that has become idle holds next to nothing; so does one that was never more. */
static void test_idle(void **state)
{
	struct fixture *f = *state;
	const struct served_disk *d;

	request(f, 100);
	d = served_next(&f->served, NULL);
	assert_int_equal(pieces(d), 1);
	for (uint64_t i = 0; i < 1000; i++)
		request(f, 200 + i);
	assert_true(pieces(d) > 10);
	served_close(&f->served, AT(200000));
	assert_int_equal(pieces(d), 0);
	assert_int_equal(served_waited(d, true), 1001 * 3 * MS);
}

/* The clock leaps further than all slices: what is open is shared out at once. */
static void test_leap(void **state)
{
	struct fixture *f = *state;
	const struct served_disk *d;

	request(f, 100);
	request(f, 10000000);
	d = served_next(&f->served, NULL);
	assert_int_equal(served_waited(d, true), 3 * MS);
	served_close(&f->served, AT(20000000));
	assert_int_equal(served_waited(d, true), 6 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_long, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unclosed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_leap, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
