/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of stats/hist: bucket edges over all 64 bits, percentiles against sorted samples of a
 * fixed generator, and that merging is the same as adding everything to one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/hist.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SAMPLES	     5000

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x * 0x2545f4914f6cdd1dULL;
}

/* Any number of bits equally likely, as latencies spread. */
static uint64_t random_value(uint64_t *x)
{
	uint64_t v = next_random(x);

	return v >> (next_random(x) & 63);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static unsigned int octaves_used(const struct hist *h)
{
	unsigned int n = 0;

	for (size_t o = 0; o < HIST_OCTAVES; o++)
		n += h->present >> o & 1;
	assert_true(n ? h->counters != NULL : h->counters == NULL);
	return n;
}

/* Buckets rise, do not overlap, are narrow, and hold `count` in all. */
static void check_buckets(const struct hist *h)
{
	struct hist_bucket b, before = {0};
	uint64_t sum = 0;

	for (size_t i = 0; hist_next(h, &i, &b); before = b) {
		assert_true(b.count > 0);
		assert_true(b.lo <= b.hi);
		assert_true(b.hi < 64 ? b.hi == b.lo : b.hi - b.lo + 1 <= b.lo / 32);
		assert_true(!sum || b.lo > before.hi);
		sum += b.count;
	}
	assert_int_equal(sum, h->count);
}

static void check_one_value(uint64_t value)
{
	struct hist_bucket b;
	struct hist h;
	size_t i = 0;

	hist_init(&h);
	assert_int_equal(hist_add(&h, value), 0);
	assert_int_equal(octaves_used(&h), 1);
	assert_true(hist_next(&h, &i, &b));
	assert_true(b.lo <= value && value <= b.hi);
	assert_int_equal(b.count, 1);
	assert_false(hist_next(&h, &i, &b));
	check_buckets(&h);
	assert_int_equal(hist_percentile(&h, 0), value);
	assert_int_equal(hist_percentile(&h, 0.5), value);
	assert_int_equal(hist_percentile(&h, 1), value);
	assert_int_equal(hist_mean(&h), value);
	assert_int_equal(h.min, value);
	assert_int_equal(h.max, value);
	hist_free(&h);
	assert_int_equal(octaves_used(&h), 0);
}

static void test_edges(void **state)
{
	for (int k = 0; k < 64; k++) {
		uint64_t v = 1ULL << k;

		check_one_value(v - 1);
		check_one_value(v);
		check_one_value(v + 1);
	}
	check_one_value(UINT64_MAX - 1);
	check_one_value(UINT64_MAX);
	check_one_value(4300000000ULL); /* behind 32 bits of nanoseconds */
	check_one_value(86400ULL * 1000000000);
}

/* A power of two begins a bucket, so that v - 1 and v never share one. */
static void test_powers_begin_buckets(void **state)
{
	for (int k = 1; k < 64; k++) {
		struct hist h;

		hist_init(&h);
		assert_int_equal(hist_add(&h, (1ULL << k) - 1), 0);
		assert_int_equal(hist_add(&h, 1ULL << k), 0);
		assert_int_equal(hist_percentile(&h, 0.5), (1ULL << k) - 1);
		assert_int_equal(hist_percentile(&h, 1), 1ULL << k);
		check_buckets(&h);
		hist_free(&h);
	}
}

/* Buckets that touch: the whole range is covered without a hole. */
static void test_no_holes(void **state)
{
	uint64_t lo = 0;
	unsigned int buckets = 0;

	for (;; buckets++) {
		struct hist_bucket b;
		struct hist h;
		size_t i = 0;

		hist_init(&h);
		assert_int_equal(hist_add(&h, lo), 0);
		assert_true(hist_next(&h, &i, &b));
		hist_free(&h);
		assert_int_equal(b.lo, lo);
		if (b.hi == UINT64_MAX)
			break;
		lo = b.hi + 1;
	}
	assert_int_equal(buckets + 1, HIST_BUCKETS);
}

static void test_empty(void **state)
{
	struct hist_bucket b;
	struct hist h;
	size_t i = 0;

	hist_init(&h);
	assert_int_equal(h.min, UINT64_MAX);
	assert_int_equal(hist_percentile(&h, 0.99), 0);
	assert_int_equal(hist_mean(&h), 0);
	assert_false(hist_next(&h, &i, &b));
	assert_int_equal(octaves_used(&h), 0);
	hist_free(&h);
}

static void check_percentile(const struct hist *h, const uint64_t *sorted, uint64_t n, int permille)
{
	uint64_t rank = (n * (uint64_t)permille + 999) / 1000;
	uint64_t exact = sorted[rank ? rank - 1 : 0];
	uint64_t got = hist_percentile(h, permille / 1000.0);

	if (got < exact || got - exact > exact / 32 || got > sorted[n - 1])
		fail_msg("p%d of %llu: %llu instead of %llu", permille, (unsigned long long)n,
			 (unsigned long long)got, (unsigned long long)exact);
}

static void test_percentiles_of_samples(void **state)
{
	static uint64_t v[SAMPLES];
	uint64_t seed = 42;

	for (int round = 0; round < 60; round++) {
		uint64_t n = 1 + next_random(&seed) % SAMPLES;
		struct hist h;

		hist_init(&h);
		for (uint64_t i = 0; i < n; i++) {
			v[i] = random_value(&seed);
			assert_int_equal(hist_add(&h, v[i]), 0);
		}
		qsort(v, n, sizeof(v[0]), by_value);
		for (int permille = 0; permille <= 1000; permille++)
			check_percentile(&h, v, n, permille);
		assert_int_equal(h.min, v[0]);
		assert_int_equal(h.max, v[n - 1]);
		check_buckets(&h);
		hist_free(&h);
	}
}

/* Small values are exact, so the rank itself shows: 0.07 * 100 must be 7, not 8. */
static void test_ranks_are_exact(void **state)
{
	for (uint64_t n = 1; n <= 50; n++) {
		struct hist h;

		hist_init(&h);
		for (uint64_t i = 1; i <= n; i++)
			assert_int_equal(hist_add(&h, i), 0);
		for (uint64_t rank = 1; rank <= n; rank++)
			assert_int_equal(hist_percentile(&h, (double)rank / (double)n), rank);
		for (uint64_t p = 1; p <= 100; p++)
			assert_int_equal(hist_percentile(&h, (double)p / 100), (p * n + 99) / 100);
		assert_int_equal(hist_percentile(&h, -1), 1);
		assert_int_equal(hist_percentile(&h, 2), n);
		hist_free(&h);
	}
}

static void check_equal(const struct hist *a, const struct hist *b)
{
	struct hist_bucket x, y;
	size_t i = 0, k = 0;

	while (hist_next(a, &i, &x)) {
		assert_true(hist_next(b, &k, &y));
		assert_int_equal(x.lo, y.lo);
		assert_int_equal(x.hi, y.hi);
		assert_int_equal(x.count, y.count);
	}
	assert_false(hist_next(b, &k, &y));
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(fabs(a->sum - b->sum) <= 1e-9 * b->sum);
}

static void test_merge(void **state)
{
	struct hist parts[4], all, merged;
	uint64_t seed = 7;

	hist_init(&all);
	hist_init(&merged);
	for (size_t p = 0; p < ARRAY_LEN(parts); p++) {
		hist_init(&parts[p]);
		for (size_t i = 0; i < p * 1000; i++) { /* the first stays empty */
			uint64_t v = random_value(&seed);

			assert_int_equal(hist_add(&parts[p], v), 0);
			assert_int_equal(hist_add(&all, v), 0);
		}
		assert_int_equal(hist_merge(&merged, &parts[p]), 0);
		hist_free(&parts[p]);
	}
	check_equal(&merged, &all);
	hist_free(&merged);
	hist_free(&all);
}

/* The numbers of buckets are those that hist_next() goes through. */
static void test_buckets_by_number(void **state)
{
	uint64_t seed = 11;

	for (unsigned int n = 0; n < HIST_BUCKETS; n++) {
		struct hist_bucket b = hist_bucket_at(n);

		assert_int_equal(hist_bucket_of(b.lo), n);
		assert_int_equal(hist_bucket_of(b.hi), n);
	}
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t v = random_value(&seed);
		struct hist_bucket b = hist_bucket_at(hist_bucket_of(v));

		assert_true(b.lo <= v && v <= b.hi);
	}
}

static void check_counts(const struct hist *h, uint64_t first, uint64_t second)
{
	struct hist_bucket b;
	size_t i = 0;

	assert_true(hist_next(h, &i, &b));
	assert_int_equal(b.count, first);
	assert_true(hist_next(h, &i, &b));
	assert_int_equal(b.count, second);
	assert_false(hist_next(h, &i, &b));
	assert_int_equal(h->count, first + second);
}

/* Counters have 8 or 32 bits as long as that is enough for all of them. */
static void test_many_values(void **state)
{
	unsigned int low = hist_bucket_of(1000), high = hist_bucket_of(1000000);
	struct hist h, other;

	hist_init(&h);
	hist_init(&other);
	assert_int_equal(hist_add_bucket(&h, high, UINT8_MAX - 1), 0);
	assert_int_equal(hist_add(&h, 1000), 0);
	assert_int_equal(h.width, 1);
	check_counts(&h, 1, UINT8_MAX - 1);
	assert_int_equal(hist_add_bucket(&h, high, 1), 0);
	assert_int_equal(h.width, 4);
	check_counts(&h, 1, UINT8_MAX);
	assert_int_equal(hist_add_bucket(&h, high, UINT32_MAX - 1 - UINT8_MAX), 0);
	assert_int_equal(h.width, 4);
	check_counts(&h, 1, UINT32_MAX - 1);
	assert_int_equal(hist_add_bucket(&h, high, 1), 0);
	assert_int_equal(h.width, 8);
	assert_int_equal(hist_add_bucket(&h, high, 1ULL << 40), 0);
	check_counts(&h, 1, UINT32_MAX + (1ULL << 40));
	assert_int_equal(hist_add_bucket(&other, low, UINT32_MAX), 0);
	assert_int_equal(hist_merge(&other, &h), 0);
	check_counts(&other, 1 + (uint64_t)UINT32_MAX, UINT32_MAX + (1ULL << 40));
	hist_free(&other);
	assert_int_equal(hist_add(&other, 1000), 0);
	assert_int_equal(other.width, 1);
	assert_int_equal(hist_merge(&h, &other), 0);
	check_counts(&h, 2, UINT32_MAX + (1ULL << 40));
	hist_free(&h);
	assert_int_equal(h.width, 1);
	assert_int_equal(hist_add_bucket(&h, low, 1ULL << 33), 0); /* at once */
	assert_int_equal(h.count, 1ULL << 33);
	hist_free(&h);
	hist_free(&other);
}

/* What a row of a process with little I/O costs. */
static void test_size(void **state)
{
	assert_true(sizeof(struct hist) <= 64);
}

static void test_mean(void **state)
{
	struct hist h;

	hist_init(&h);
	for (int i = 0; i < 10; i++)
		assert_int_equal(hist_add(&h, i % 2 ? 300 : 100), 0);
	assert_int_equal(hist_mean(&h), 200);
	hist_free(&h);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hist_add(&h, UINT64_MAX), 0);
	assert_int_equal(hist_mean(&h), UINT64_MAX);
	hist_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_powers_begin_buckets),
		cmocka_unit_test(test_no_holes),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_percentiles_of_samples),
		cmocka_unit_test(test_ranks_are_exact),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_buckets_by_number),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
