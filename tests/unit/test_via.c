// SPDX-License-Identifier: GPL-2.0
/* How kernel submitters are called, and that equal texts are one pointer. */
#include "feed.h"

#include "attrib/via.h"

static void test_queues(void **state)
{
	assert_string_equal(via_of_queue("writeback").s, "writeback");
	assert_string_equal(via_of_queue("loop12").s, "loop12");
	assert_string_equal(via_of_queue("loop").s, "kernel thread loop");
	assert_string_equal(via_of_queue("loop1x").s, "kernel thread loop1x");
	assert_string_equal(via_of_queue("kcryptd/253:0").s, "kernel thread kcryptd/253:0");
	assert_string_equal(via_of_queue("").s, "kernel thread");
}

static void test_comms(void **state)
{
	assert_string_equal(via_of_comm("loop0").s, "loop0");
	assert_string_equal(via_of_comm("kworker/u8:3").s, "kernel thread kworker");
	assert_string_equal(via_of_comm("jbd2/sda1-8").s, "kernel thread jbd2/sda1-8");
	assert_string_equal(via_of_comm("md0_raid1").s, "kernel thread md0_raid1");
	assert_string_equal(via_of_comm(NULL).s, "kernel thread");
	assert_string_equal(via_of_comm("").s, "kernel thread");
}

static void test_devices(void **state)
{
	assert_string_equal(via_of_device("dm-3").s, "dm-3");
}

static void test_interned_and_bounded(void **state)
{
	struct vias v;
	struct via_text text = via_of_comm("jbd2/sda1-8");
	const char *first, *general;
	char name[IOLAT_COMM_LEN];

	vias_init(&v);
	first = vias_intern(&v, &text);
	text = via_of_comm("jbd2/sda1-8");
	assert_ptr_equal(vias_intern(&v, &text), first);
	for (int i = 0; i < VIA_LIMIT + 100; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		text = via_of_comm(name);
		general = vias_intern(&v, &text);
		assert_non_null(general);
	}
	assert_string_equal(general, "kernel thread");
	assert_true(v.texts.count <= VIA_LIMIT + 1);
	vias_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_comms),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_interned_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
