/* SPDX-License-Identifier: GPL-2.0 */
/* Runs whose frames are by more keys than their summary: both say what they would by their own. */
#include "feed_run.h"

static struct fixture *start_with_room(unsigned int by, unsigned int detail, size_t max_rows)
{
	struct fixture *f = test_calloc(1, sizeof(*f));
	struct run_options o = {
		.by.mask = by, .detail.mask = detail, .max_rows = max_rows, .selection = &f->selection};

	for (enum row_key key = 0; key < BY_MAX; key++) {
		if (by & 1u << key)
			o.by.keys[o.by.n++] = key;
		if (detail & 1u << key)
			o.detail.keys[o.detail.n++] = key;
	}
	assert_int_equal(run_new(&f->run, &o), 0);
	return f;
}

static struct fixture *start_detailed(unsigned int by, unsigned int detail)
{
	return start_with_room(by, detail, 0);
}

#define BY_ONE_OP (1u << BY_OP)

static void feed_three(struct fixture *f)
{
	struct iolat_request e = a_request();

	feed(f, e);
	e.tgid = e.tid = 101;
	feed(f, e);
	e.op = IOLAT_OP_WRITE;
	feed(f, e);
}

static void test_frames_in_detail_and_a_summary_as_asked(void **state)
{
	struct fixture *f = start_detailed(BY_ONE_OP, BY_DEFAULT);

	feed_three(f);
	interval(f, 2000000);
	assert_int_equal(f->s.n_rows, 3);
	assert_true(by_has(f->s.by, BY_PROCESS));
	whole(f, 3000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_false(by_has(f->s.by, BY_PROCESS));
	assert_null(f->s.rows[0]->subject.process);
	assert_int_equal(sum_ios(f), 3);
	assert_int_equal(f->s.coverage.tally.requests, 3);
	finish(f);
}

static void test_the_open_interval_is_in_the_summary(void **state)
{
	struct fixture *f = start_detailed(BY_ONE_OP, BY_DEFAULT);

	feed_three(f);
	interval(f, 2000000);
	feed_three(f);
	for (int i = 0; i < 2; i++) {
		whole(f, 3000000);
		assert_int_equal(f->s.n_rows, 2);
		assert_int_equal(sum_ios(f), 6);
	}
	interval(f, 4000000);
	assert_int_equal(sum_ios(f), 3);
	whole(f, 5000000);
	assert_int_equal(sum_ios(f), 6);
	finish(f);
}

static void feed_copy(struct fixture *f)
{
	struct iolat_request e = a_request();

	feed(f, e);
	e.disk = 2;
	e.flags = IOLAT_RQ_COPY;
	feed(f, e);
}

static void test_copies_count_in_frames_beside_their_disk_alone(void **state)
{
	struct fixture *f = start_detailed(BY_ONE_OP, BY_DEFAULT);

	feed_copy(f);
	interval(f, 2000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_true(f->s.rows[0]->copy != f->s.rows[1]->copy);
	assert_int_equal(f->s.coverage.tally.requests, 1);
	feed_copy(f);
	whole(f, 3000000);
	assert_int_equal(the_row(f)->ios, 2);
	assert_int_equal(f->s.coverage.tally.requests, 2);
	finish(f);
}

static void test_copies_count_by_device(void **state)
{
	struct fixture *f = start_detailed(1u << BY_DEVICE, BY_DEFAULT);

	feed_copy(f);
	interval(f, 2000000);
	assert_int_equal(f->s.coverage.tally.requests, 2);
	whole(f, 3000000);
	assert_int_equal(f->s.n_rows, 2);
	assert_int_equal(sum_ios(f), 2);
	finish(f);
}

/* The row of what finds no room says of no copy that it was an I/O of its own. */
static void check_copies_without_room(unsigned int by, uint64_t ios)
{
	struct fixture *f = start_with_room(by, BY_DEFAULT, 1);
	uint64_t copies = 0;

	feed_copy(f);
	feed_three(f);
	feed_copy(f);
	interval(f, 2000000);
	assert_int_equal(f->s.n_rows, 3);
	for (size_t i = 0; i < f->s.n_rows; i++)
		copies += f->s.rows[i]->copy ? f->s.rows[i]->ios : 0;
	assert_int_equal(copies, 2);
	whole(f, 3000000);
	assert_int_equal(sum_ios(f), ios);
	assert_int_equal(f->s.coverage.tally.requests, ios);
	finish(f);
}

static void test_copies_without_room(void **state)
{
	check_copies_without_room(BY_ONE_OP, 5);
	check_copies_without_room(1u << BY_DEVICE, 7);
}

static void test_who_has_no_process_keeps_its_via(void **state)
{
	struct fixture *f = start_detailed(1u << BY_PROCESS, BY_DEFAULT);
	struct iolat_request e = a_request();

	feed(f, a_name(5, "writeback"));
	e.owner = IOLAT_OWNER_NONE;
	e.tgid = 0;
	e.via = 5;
	feed(f, e);
	e.op = IOLAT_OP_WRITE;
	feed(f, e);
	interval(f, 2000000);
	assert_int_equal(f->s.n_rows, 2);
	whole(f, 3000000);
	assert_string_equal(the_row(f)->via, "writeback");
	assert_int_equal(f->s.coverage.tally.unowned, 2);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_in_detail_and_a_summary_as_asked),
		cmocka_unit_test(test_the_open_interval_is_in_the_summary),
		cmocka_unit_test(test_copies_count_in_frames_beside_their_disk_alone),
		cmocka_unit_test(test_copies_count_by_device),
		cmocka_unit_test(test_copies_without_room),
		cmocka_unit_test(test_who_has_no_process_keeps_its_via),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
