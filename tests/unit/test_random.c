// SPDX-License-Identifier: GPL-2.0
/*
 * random_pct: sequential streams stay sequential however their requests overtake one
 * another, random ones are random, and streams of others do not disturb. Then all of the
 * analysis against streams of nonsense.
 */
#include "feed_run.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH 32
#define CHUNK (128 * 1024)

/* The i-th request of a stream at full depth; completions jitter within the depth. */
static struct iolat_request ith(uint64_t i, uint64_t sector, uint64_t *seed)
{
	struct iolat_request e = a_request();

	e.bytes = CHUNK;
	e.sector = sector;
	e.queue_ns = 100;
	e.device_ns = 1000 * DEPTH / 2 + next_random(seed) % (1000 * DEPTH / 2);
	e.end_ns = 1000000 + 1000 * i + e.queue_ns + e.device_ns;
	return e;
}

static int by_end(const void *a, const void *b)
{
	const struct iolat_request *x = a, *y = b;

	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

#define N 1000

static double random_pct(uint64_t (*sector)(uint64_t i, uint64_t *seed))
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request *e = test_calloc(N, sizeof(*e));
	uint64_t seed = 42;
	double pct;

	for (uint64_t i = 0; i < N; i++)
		e[i] = ith(i, sector(i, &seed), &seed);
	qsort(e, N, sizeof(*e), by_end);
	for (size_t i = 0; i < N; i++)
		feed(f, e[i]);
	whole(f, 1);
	assert_true(the_row(f)->random_known);
	pct = the_row(f)->random_pct;
	test_free(e);
	finish(f);
	return pct;
}

static uint64_t sequential(uint64_t i, uint64_t *seed)
{
	return i * (CHUNK / 512);
}

static uint64_t anywhere(uint64_t i, uint64_t *seed)
{
	return next_random(seed) % (1ULL << 40);
}

static uint64_t small_gaps(uint64_t i, uint64_t *seed)
{
	return i * (CHUNK / 512 + 256); /* 128 KiB is not yet far */
}

static uint64_t large_gaps(uint64_t i, uint64_t *seed)
{
	return i * (CHUNK / 512 + 257);
}

static uint64_t backwards(uint64_t i, uint64_t *seed)
{
	return (N - i) * (CHUNK / 512); /* starts 256 KiB before the last end */
}

static void test_patterns(void **state)
{
	assert_true(random_pct(sequential) == 0);
	assert_true(random_pct(anywhere) > 99.5);
	assert_true(random_pct(small_gaps) == 0);
	assert_true(random_pct(large_gaps) == 100);
	assert_true(random_pct(backwards) == 100);
}

static void test_streams_do_not_mix(void **state)
{
	struct fixture *f = start(1u << BY_OP);
	struct iolat_request e = a_request();

	for (uint64_t i = 0; i < 300; i++) {
		e.tgid = 100 + (uint32_t)(i % 3);
		e.sector = i % 3 * 1000000 + i / 3 * 8;
		e.end_ns += 100;
		feed(f, e);
	}
	whole(f, 1);
	assert_true(the_row(f)->random_known);
	assert_true(the_row(f)->random_pct == 0);
	finish(f);
}

static void test_the_first_is_compared_with_nothing(void **state)
{
	struct fixture *f = start(BY_DEFAULT);
	struct iolat_request e = a_request();

	feed(f, e);
	interval(f, 1);
	assert_false(the_row(f)->random_known);
	e.sector += 1000000; /* but the next frame's with the last one's */
	feed(f, e);
	interval(f, 2);
	assert_true(the_row(f)->random_known);
	assert_true(the_row(f)->random_pct == 100);
	finish(f);
}

static void test_only_data_is_compared(void **state)
{
	struct fixture *f = start(1u << BY_DEVICE);
	struct iolat_request e = a_request();

	for (int i = 0; i < 10; i++) {
		e.op = i & 1 ? IOLAT_OP_FLUSH : IOLAT_OP_DISCARD;
		feed(f, e);
	}
	e.op = IOLAT_OP_WRITE;
	e.sector = ~0ULL;
	feed(f, e);
	feed(f, e);
	whole(f, 1);
	assert_false(the_row(f)->random_known);
	finish(f);
}

static void test_many_streams_are_bounded(void **state)
{
	struct fixture *f = start(1u << BY_OP);
	struct iolat_request e = a_request();

	for (uint32_t i = 0; i < 40000; i++) {
		e.tgid = 1000 + i % 20000;
		feed(f, e);
	}
	whole(f, 1);
	assert_int_equal(the_row(f)->ios, 40000);
	finish(f);
}

/* Any event of any kind with few different values, so that they hit one another. */
static size_t nonsense(uint64_t *buf, size_t room, uint64_t *seed)
{
	static const size_t sizes[IOLAT_EV_MAX] = {
#define X(KIND, name) [IOLAT_EV_##KIND] = sizeof(struct iolat_##name),
		IOLAT_EVENTS(X)
#undef X
	};
	struct iolat_head head;
	size_t n;

	head.kind = (__u16)(1 + next_random(seed) % (IOLAT_EV_MAX - 1));
	n = sizes[head.kind] + (head.kind == IOLAT_EV_CGROUP ? 8 : 0);
	head.size = (__u16)n;
	assert_true(n <= room);
	memset(buf, 0, n);
	for (size_t i = 0; i < n; i++)
		if (next_random(seed) % 4 == 0)
			((unsigned char *)buf)[i] =
				next_random(seed) % 16 ? next_random(seed) % 4 : 0xff;
	memcpy(buf, &head, sizeof(head));
	return n;
}

static void survive(unsigned int by, uint64_t seed)
{
	struct selection s = {0};
	struct fixture *f;
	uint64_t buf[160], now = 0;

	if (seed % 2)
		assert_int_equal(select_add_uid(&s, 1), 0);
	f = start_with(by, 20, &s);
	for (int i = 0; i < 20000; i++) {
		size_t n = nonsense(buf, sizeof(buf), &seed);
		int err = run_event(f->run, buf, n);

		assert_true(err == 0 || err == -EBADMSG);
		if (next_random(&seed) % 500 == 0)
			interval(f, now += next_random(&seed) % 1000);
		if (next_random(&seed) % 700 == 0) {
			whole(f, now);
			assert_true(f->s.n_rows <= 21);
			assert_int_equal(sum_ios(f), f->s.coverage.tally.requests);
		}
		if (next_random(&seed) % 100 == 0)
			run_selected_alive(f->run);
	}
	finish(f);
}

static void test_nonsense_is_survived(void **state)
{
	for (uint64_t i = 0; i < 8; i++) {
		survive(BY_DEFAULT, 1000 + i);
		survive((1u << BY_MAX) - 1, 2000 + i);
		survive(1u << BY_CGROUP, 3000 + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_streams_do_not_mix),
		cmocka_unit_test(test_the_first_is_compared_with_nothing),
		cmocka_unit_test(test_only_data_is_compared),
		cmocka_unit_test(test_many_streams_are_bounded),
		cmocka_unit_test(test_nonsense_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
