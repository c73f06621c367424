/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of base/map: the same random operations on a map and on a plain array, deleting while
 * walking, and that entries which come and go do not make it grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"

#define KEYS 700

struct odd_key {
	unsigned char bytes[13];
};

static unsigned int next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (unsigned int)(*x >> 32);
}

static struct odd_key make_key(unsigned int n)
{
	struct odd_key key = {{0}};

	memcpy(key.bytes + 9, &n, sizeof(n));
	return key;
}

static void test_empty(void **state)
{
	uint64_t key = 1;
	struct map m;
	size_t i = 0;

	map_init(&m, sizeof(key));
	assert_null(map_get(&m, &key));
	assert_null(map_del(&m, &key));
	assert_null(map_next(&m, &i, NULL));
	map_clear(&m);
	map_free(&m);
}

static void test_put_replaces(void **state)
{
	uint64_t key = 0;
	int a, b;
	struct map m;

	map_init(&m, sizeof(key));
	assert_int_equal(map_put(&m, &key, &a), 0);
	assert_int_equal(map_put(&m, &key, &b), 0);
	assert_int_equal(m.count, 1);
	assert_ptr_equal(map_get(&m, &key), &b);
	assert_ptr_equal(map_del(&m, &key), &b);
	assert_null(map_get(&m, &key));
	assert_int_equal(m.count, 0);
	map_free(&m);
}

static void check_same(const struct map *m, int *const *model)
{
	const void *key;
	size_t count = 0, i = 0;
	void *value;

	for (unsigned int n = 0; n < KEYS; n++) {
		struct odd_key k = make_key(n);

		assert_ptr_equal(map_get(m, &k), model[n]);
		count += model[n] != NULL;
	}
	assert_int_equal(m->count, count);
	while ((value = map_next(m, &i, &key))) {
		assert_ptr_equal(map_get(m, key), value);
		count--;
	}
	assert_int_equal(count, 0);
}

static void test_against_array(void **state)
{
	static int values[KEYS];
	int *model[KEYS] = {NULL};
	uint64_t seed = 20260301;
	struct map m;

	map_init(&m, sizeof(struct odd_key));
	for (int step = 0; step < 200000; step++) {
		unsigned int n = next_random(&seed) % KEYS;
		struct odd_key key = make_key(n);
		/* Phases of mostly adding and mostly deleting, so that it fills and drains. */
		bool add = next_random(&seed) % 10 < (step / 5000 % 2 ? 2 : 8);

		if (add) {
			model[n] = &values[next_random(&seed) % KEYS];
			assert_int_equal(map_put(&m, &key, model[n]), 0);
		} else {
			assert_ptr_equal(map_del(&m, &key), model[n]);
			model[n] = NULL;
		}
		if (step % 1000 == 0)
			check_same(&m, (int *const *)model);
	}
	check_same(&m, (int *const *)model);
	map_free(&m);
}

static void test_delete_while_walking(void **state)
{
	static char values[1000];
	struct map m;
	const void *key;
	char *value;
	size_t seen = 0;

	map_init(&m, sizeof(uint32_t));
	for (uint32_t k = 0; k < 1000; k++)
		assert_int_equal(map_put(&m, &k, &values[k]), 0);
	for (size_t i = 0; (value = map_next(&m, &i, &key)); seen++) {
		assert_int_equal((*value)++, 0);
		if ((value - values) % 3)
			assert_ptr_equal(map_del(&m, key), value);
	}
	assert_int_equal(seen, 1000);
	assert_int_equal(m.count, 334);
	for (uint32_t k = 0; k < 1000; k++)
		assert_ptr_equal(map_get(&m, &k), k % 3 ? NULL : &values[k]);
	map_free(&m);
}

static void test_churn_does_not_grow(void **state)
{
	struct map m;

	map_init(&m, sizeof(uint64_t));
	for (uint64_t k = 0; k < 1000000; k++) {
		uint64_t old = k - 100;

		assert_int_equal(map_put(&m, &k, &m), 0);
		if (k >= 100)
			assert_ptr_equal(map_del(&m, &old), &m);
	}
	assert_int_equal(m.count, 100);
	assert_true(m.capacity <= 512);
	map_free(&m);
}

static void test_clear_keeps_memory(void **state)
{
	struct map m;
	size_t capacity, i = 0;

	map_init(&m, sizeof(int));
	for (int k = 0; k < 100; k++)
		assert_int_equal(map_put(&m, &k, &m), 0);
	capacity = m.capacity;
	map_clear(&m);
	assert_int_equal(m.capacity, capacity);
	assert_int_equal(m.count, 0);
	assert_null(map_next(&m, &i, NULL));
	for (int k = 0; k < 100; k++)
		assert_null(map_get(&m, &k));
	map_free(&m);
}

/* Keys that differ only in high bits, or step by a power of two, must not share their slots. */
static void test_hash_spreads(void **state)
{
	for (int shift = 0; shift < 64; shift += 4) {
		unsigned int hits[256] = {0}, most = 0;

		for (uint64_t n = 0; n < 4096; n++) {
			uint64_t key = n << shift | (shift ? n >> (64 - shift) : 0);
			unsigned int *slot = &hits[map_hash(&key, sizeof(key)) & 255];

			++*slot;
			most = *slot > most ? *slot : most;
		}
		assert_true(most < 48); /* 16 on average */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_put_replaces),
		cmocka_unit_test(test_against_array),
		cmocka_unit_test(test_delete_while_walking),
		cmocka_unit_test(test_churn_does_not_grow),
		cmocka_unit_test(test_clear_keeps_memory),
		cmocka_unit_test(test_hash_spreads),
	};

	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
