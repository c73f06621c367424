// SPDX-License-Identifier: GPL-2.0
/* The table of cgroups, when they are removed. */
#include <inttypes.h>

#include "feed.h"

#include "attrib/cgroup.h"

#define MORE 100

static const struct selection none;

static void live(struct cgroup_table *t, uint64_t key)
{
	union a_cgroup path = a_cgroup(key, "/a/b");
	union a_container container;
	char id[16];

	snprintf(id, sizeof(id), "%" PRIu64, key);
	container = a_docker(key, id, "web");
	assert_int_equal(cgroups_path(t, &path.e), 0);
	assert_int_equal(cgroups_container(t, &container.e), 0);
}

static void go(struct cgroup_table *t, uint64_t key)
{
	struct iolat_cgroup_gone gone = a_gone_cgroup(key);

	cgroups_gone(t, &gone);
	cgroups_gone(t, &gone);
}

static void live_and_go(struct cgroup_table *t, uint64_t key)
{
	live(t, key);
	go(t, key);
}

/* I/O of one may end later than it, but not for ever. */
static void test_removed_ones_are_forgotten(void **state)
{
	struct cgroup_table *t = test_malloc(sizeof(*t));

	cgroups_init(t, &none);
	for (uint64_t key = 1; key <= CGROUPS_GONE + MORE; key++)
		live_and_go(t, key);
	assert_int_equal(t->ids.map.count, CGROUPS_GONE);
	assert_int_equal(t->places.kinds[PLACE_CONTAINER].map.count, CGROUPS_GONE);
	assert_null(cgroups_find(t, MORE));
	assert_string_equal(cgroups_container_of(t, MORE + 1)->name, "web");
	cgroups_free(t);
	test_free(t);
}

/* A row goes on to say what it counted. */
static void test_a_row_keeps_its_cgroup(void **state)
{
	struct cgroup_table *t = test_malloc(sizeof(*t));
	struct known_cgroup *held;

	cgroups_init(t, &none);
	live_and_go(t, 1);
	held = cgroups_get(t, 1);
	held->refs++;
	for (uint64_t key = 2; key <= CGROUPS_GONE + MORE; key++)
		live_and_go(t, key);
	assert_ptr_equal(cgroups_find(t, 1), held);
	assert_string_equal(held->in[PLACE_CONTAINER]->container.id, "1");
	known_cgroup_unref(held);
	cgroups_free(t);
	test_free(t);
}

/* A container of two cgroups is one as long as it has one of them. */
static void test_a_container_with_two_cgroups(void **state)
{
	struct cgroup_table *t = test_malloc(sizeof(*t));
	union a_container container = a_docker(CGROUPS_GONE + 2 * MORE, "1", "web");

	cgroups_init(t, &none);
	live_and_go(t, 1);
	assert_int_equal(cgroups_container(t, &container.e), 0);
	for (uint64_t key = 2; key <= CGROUPS_GONE + MORE; key++)
		live_and_go(t, key);
	assert_null(cgroups_find(t, 1));
	assert_string_equal(cgroups_container_of(t, CGROUPS_GONE + 2 * MORE)->id, "1");
	assert_int_equal(t->places.kinds[PLACE_CONTAINER].map.count, CGROUPS_GONE + 1);
	cgroups_free(t);
	test_free(t);
}

/* More containers than are kept have come since, but not gone. */
static void test_a_cgroup_outlives_its_forgotten_container(void **state)
{
	struct cgroup_table *t = test_malloc(sizeof(*t));
	const uint64_t first_gone = PLACES_LIMIT + 2;

	cgroups_init(t, &none);
	for (uint64_t key = 1; key < first_gone; key++)
		live(t, key);
	assert_int_equal(t->places.kinds[PLACE_CONTAINER].map.count, PLACES_LIMIT);
	go(t, 1);
	for (uint64_t key = first_gone; key < first_gone + CGROUPS_GONE; key++)
		live_and_go(t, key);
	assert_null(cgroups_find(t, 1));
	assert_int_equal(t->places.kinds[PLACE_CONTAINER].map.count, PLACES_LIMIT);
	cgroups_free(t);
	test_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_removed_ones_are_forgotten),
		cmocka_unit_test(test_a_row_keeps_its_cgroup),
		cmocka_unit_test(test_a_container_with_two_cgroups),
		cmocka_unit_test(test_a_cgroup_outlives_its_forgotten_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
