/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The full-screen view without a screen: what is remembered of frames, how it is grouped, filtered and sorted, and
 * what bars and minutes look like as text.
 */
#include "render_fixture.h"
#include "screen/board.h"
#include "screen/strokes.h"

#define SECOND 1000000000u

struct desk {
	struct fixture *f;
	struct memory memory;
	struct board board;
	struct board_view view;
	struct task tasks[2];
};

static void by(struct desk *s, size_t n, const enum row_key *keys)
{
	s->view.by = (struct by){.n = n};
	for (size_t i = 0; i < n; i++) {
		s->view.by.keys[i] = keys[i];
		s->view.by.mask |= 1u << keys[i];
	}
}
#define BY(s, ...) by(s, sizeof((enum row_key[]){__VA_ARGS__}) / sizeof(enum row_key), (enum row_key[]){__VA_ARGS__})

static int setup(void **state)
{
	struct desk *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	fixture_setup((void **)&s->f);
	FIXTURE_BY(s->f, BY_PROCESS, BY_WORKER, BY_CONTAINER, BY_DEVICE, BY_OP);
	s->f->frame.duration_ns = SECOND;
	memory_init(&s->memory);
	s->view.filter = "";
	BY(s, BY_PROCESS);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct desk *s = *state;

	board_free(&s->board);
	memory_free(&s->memory);
	fixture_free(s->f);
	free(s);
	return 0;
}

/* The next frame, that many nanoseconds after the one before. */
static void frame(struct desk *s, uint64_t later_ns)
{
	s->f->frame.end_wall_ns += later_ns;
	assert_int_equal(memory_frame(&s->memory, &s->f->frame), 0);
}

static void make(struct desk *s)
{
	assert_int_equal(board_make(&s->board, &s->memory, &s->view), 0);
}

static const struct group *only(struct desk *s)
{
	make(s);
	assert_int_equal(s->board.n, 1);
	return s->board.groups[0];
}

static void test_rows_by_process(void **state)
{
	struct desk *s = *state;

	frame(s, 0);
	make(s);
	assert_int_equal(s->board.n, 2);
	assert_string_equal(s->board.groups[0]->label, "   812 fio");
	assert_string_equal(s->board.groups[1]->label, "     - [writeback]");
	assert_int_equal(s->board.groups[0]->now.ios, 2);
	assert_int_equal(s->board.groups[0]->now.bytes, 8192);
}

static void test_rows_add_up_by_other_keys(void **state)
{
	struct desk *s = *state;
	const struct group *g;

	frame(s, 0);
	frame(s, SECOND);
	BY(s, BY_DEVICE);
	g = only(s);
	assert_string_equal(g->label, "vda");
	assert_int_equal(g->now.ios, 3);
	assert_int_equal(g->now.total.max, 45015);
	assert_int_equal(g->all.ios, 6);
	BY(s, BY_CONTAINER, BY_OP);
	make(s);
	assert_int_equal(s->board.n, 2);
	assert_string_equal(s->board.groups[1]->label, "no container  write");
}

static void test_only_what_is_within(void **state)
{
	struct desk *s = *state;

	frame(s, 0);
	make(s);
	s->view.within = s->board.groups[1]->id;
	s->view.within_keys = s->view.by.mask;
	BY(s, BY_OP);
	assert_string_equal(only(s)->label, "write");
}

static void test_copies_show_beside_their_disk_alone(void **state)
{
	struct desk *s = *state;

	s->f->rows[0].copy = true;
	frame(s, 0);
	assert_string_equal(only(s)->label, "   812 fio");
	assert_int_equal(s->memory.total.ios, 2);
	BY(s, BY_DEVICE);
	assert_int_equal(only(s)->now.ios, 3);
}

static void test_filter(void **state)
{
	struct desk *s = *state;

	frame(s, 0);
	s->view.filter = "WRITE";
	assert_string_equal(only(s)->label, "     - [writeback]");
	assert_int_equal(s->board.filtered, 1);
}

static void test_order(void **state)
{
	struct desk *s = *state;

	frame(s, 0);
	s->view.sort = column_find("queue_pct");
	make(s);
	assert_string_equal(s->board.groups[0]->label, "     - [writeback]");
	s->view.reverse = true;
	make(s);
	assert_string_equal(s->board.groups[0]->label, "   812 fio");
	s->view.by_name = true;
	s->view.reverse = false;
	make(s);
	assert_string_equal(s->board.groups[0]->label, "     - [writeback]");
}

/* --- tasks -------------------------------------------------------------------------- */

static const struct thread second = {.tid = 9};

static void tasks(struct desk *s, uint64_t first_blocked, uint64_t second_blocked)
{
	for (size_t i = 0; i < 2; i++)
		s->tasks[i] = (struct task){
			.subject = {.process = &s->f->process, .thread = &s->f->thread},
			.wall_ns = SECOND,
			.blocked_ns = i ? second_blocked : first_blocked,
		};
	s->tasks[1].subject.thread = &second;
	s->tasks[0].reasons[REASON_DISK] = first_blocked;
	s->tasks[1].reasons[REASON_THROTTLE] = second_blocked;
	s->f->frame.waits = true;
	s->f->frame.tasks = s->tasks;
	s->f->frame.n_tasks = 2;
}

static void test_blocked_share_is_that_of_the_most_blocked_task(void **state)
{
	struct desk *s = *state;

	tasks(s, SECOND / 4, SECOND / 2);
	frame(s, 0);
	make(s);
	assert_true(s->board.waits);
	assert_string_equal(s->board.groups[0]->label, "   812 fio");
	assert_int_equal((int)s->board.groups[0]->blocked_pct, 50);
	assert_int_equal(s->board.groups[0]->sleeper->times.reasons[REASON_THROTTLE], SECOND / 2);
	assert_null(s->board.groups[1]->sleeper);
}

static void test_who_waits_without_a_request_has_a_row(void **state)
{
	struct desk *s = *state;

	tasks(s, SECOND, 0);
	s->f->frame.n_rows = 0;
	frame(s, 0);
	assert_int_equal((int)only(s)->blocked_pct, 100);
}

static void test_share_of_wait_where_waits_are_not_traced(void **state)
{
	struct desk *s = *state;

	frame(s, 0);
	make(s);
	assert_false(s->board.waits);
	assert_int_equal((int)(s->board.groups[0]->blocked_pct * 1000), 99933);
}

static void test_tasks_that_never_wait_take_no_room(void **state)
{
	struct desk *s = *state;

	tasks(s, 0, 0);
	s->f->thread.tid = s->f->process.pid;
	frame(s, 0);
	assert_int_equal(s->memory.tasks, 1);
	make(s);
	assert_int_equal(s->board.groups[0]->sleeper->times.blocked_ns, 0);
}

/* --- the last minute ------------------------------------------------------------------ */

static void test_a_minute_of_frames(void **state)
{
	struct desk *s = *state;
	const struct group *g;

	s->f->frame.n_rows = 1;
	for (int i = 0; i < 70; i++)
		frame(s, SECOND);
	g = only(s);
	for (size_t i = 0; i < MEMORY_SECONDS; i++)
		assert_int_equal((int)g->minute[i].ios, 1);
	assert_int_equal(g->all.ios, 70);
}

static void test_frames_of_other_lengths(void **state)
{
	struct desk *s = *state;
	const struct group *g;

	s->f->frame.n_rows = 1;
	s->f->frame.duration_ns = SECOND / 4;
	for (int i = 0; i < 9; i++)
		frame(s, SECOND / 4);
	g = only(s);
	assert_int_equal((int)g->minute[MEMORY_SECONDS - 2].ios, 4);
	s->f->frame.duration_ns = 4ull * SECOND;
	s->f->rows[0].ios = 8;
	frame(s, 4ull * SECOND);
	g = only(s);
	assert_int_equal((int)g->minute[MEMORY_SECONDS - 1].ios, 2);
	assert_int_equal((int)g->minute[MEMORY_SECONDS - 4].ios, 2);
}

static void test_what_is_quiet_for_a_minute_goes(void **state)
{
	struct desk *s = *state;

	frame(s, SECOND);
	s->f->frame.n_rows = 0;
	frame(s, 58ull * SECOND);
	make(s);
	assert_int_equal(s->board.n, 2);
	assert_int_equal(s->board.groups[0]->now.ios, 0);
	frame(s, 2ull * SECOND);
	make(s);
	assert_int_equal(s->board.n, 0);
}

static void test_memory_is_bounded(void **state)
{
	struct desk *s = *state;

	s->f->frame.n_rows = 1;
	s->f->row_list[0] = &s->f->rows[1];
	for (uint32_t pid = 1; pid <= MEMORY_ITEMS + 5; pid++) {
		s->f->process.pid = pid;
		frame(s, 0);
	}
	assert_int_equal(s->memory.items.count, MEMORY_ITEMS);
	assert_int_equal(s->memory.left_out, 1);
}

/* --- strokes ----------------------------------------------------------------------------- */

static void bar_is(double pct, const uint64_t *reasons, bool utf8, const char *want)
{
	char bar[STROKES_SIZE];

	stroke_bar(bar, 8, pct, reasons, utf8);
	assert_string_equal(bar, want);
}

static void test_bars(void **state)
{
	const uint64_t half[REASON_MAX] = {[REASON_DISK] = 5, [REASON_THROTTLE] = 5};

	bar_is(0, NULL, false, "........");
	bar_is(1.5, NULL, false, "#.......");
	bar_is(98, NULL, false, "#######.");
	bar_is(100, NULL, false, "########");
	bar_is(100, half, false, "####====");
	bar_is(50, half, true, "██▓▓····");
}

static void test_minute_as_text(void **state)
{
	struct group g = {.label = ""};
	char line[STROKES_SIZE];

	g.minute[59].ios = 8;
	g.minute[50].ios = 4;
	stroke_line(line, 6, &g, LINE_IOPS, false);
	assert_string_equal(line, "     #");
	stroke_line(line, 60, &g, LINE_IOPS, true);
	assert_string_equal(line + 50, "▄        █");
	g.minute[59].blocked_ns = 5e8;
	stroke_line(line, 1, &g, LINE_BLOCKED, true);
	assert_string_equal(line, "▄");
}

#define DESK_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(test_rows_by_process),
		DESK_TEST(test_rows_add_up_by_other_keys),
		DESK_TEST(test_only_what_is_within),
		DESK_TEST(test_copies_show_beside_their_disk_alone),
		DESK_TEST(test_filter),
		DESK_TEST(test_order),
		DESK_TEST(test_blocked_share_is_that_of_the_most_blocked_task),
		DESK_TEST(test_who_waits_without_a_request_has_a_row),
		DESK_TEST(test_share_of_wait_where_waits_are_not_traced),
		DESK_TEST(test_tasks_that_never_wait_take_no_room),
		DESK_TEST(test_a_minute_of_frames),
		DESK_TEST(test_frames_of_other_lengths),
		DESK_TEST(test_what_is_quiet_for_a_minute_goes),
		DESK_TEST(test_memory_is_bounded),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_minute_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
