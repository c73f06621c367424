// SPDX-License-Identifier: GPL-2.0
/* The kernel side's buckets, against what event.h says of them. */
#include "feed.h"

#include "../../bpf/bucket.bpf.h"

static uint32_t as_event_h_says(uint64_t ns)
{
	int power = ns ? 63 - __builtin_clzll(ns) : 0;

	if (ns < 1u << IOLAT_BUCKET_BITS)
		return (uint32_t)ns;
	if (ns >> (IOLAT_BUCKET_BITS + 37))
		return IOLAT_BUCKETS - 1;
	return (uint32_t)(power - IOLAT_BUCKET_BITS + 1) << IOLAT_BUCKET_BITS |
	       (ns >> (power - IOLAT_BUCKET_BITS) & ((1u << IOLAT_BUCKET_BITS) - 1));
}

/* Around each edge of each bucket, and far beyond the last. */
static void test_edges(void **state)
{
	for (int power = 0; power < 64; power++)
		for (uint64_t part = 0; part < 1u << IOLAT_BUCKET_BITS; part++)
			for (uint64_t near = 0; near < 3; near++) {
				uint64_t ns = (1ull << power) + (part << power >> IOLAT_BUCKET_BITS) + near - 1;

				assert_int_equal(bucket_of(ns), as_event_h_says(ns));
			}
	assert_int_equal(bucket_of(0), 0);
	assert_int_equal(bucket_of(UINT64_MAX), IOLAT_BUCKETS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
