// SPDX-License-Identifier: GPL-2.0
/* A run cut into phases by marks: where each begins and ends, what counts to it, and the findings that need them. */
#include "feed_waits.h"
#include "stats/phases.h"
#include "stats/reread.h"

#define WALL 5000000000ull /* a_run()'s, at T0 */

/* A mark `ms` after the run's start. */
static void mark(struct fixture *f, enum iolat_mark_what what, const char *name, uint64_t ms)
{
	feed(f, a_mark(what, name, WALL + MS(ms)));
}

static struct fixture *start_phases(void)
{
	struct fixture *f = start_waits();

	mark(f, IOLAT_MARK_LOG, "", 0);
	return f;
}

/* A read of 4 KiB that takes 5 ms. */
static void read_block(struct fixture *f, uint64_t end_ms, uint64_t block)
{
	struct iolat_request e = io_of(100, end_ms, 0, 5);

	e.sector = block * 8;
	feed(f, e);
}

static void read_large(struct fixture *f, uint64_t end_ms, uint64_t mib)
{
	struct iolat_request e = io_of(100, end_ms, 0, 5);

	e.sector = mib << 11;
	e.bytes = 1 << 20;
	feed(f, e);
}

/* "epoch 0 0-1000; ..." in ms since the run's start. */
static const char *phases_of(struct fixture *f, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < f->s.n_phases; i++) {
		const struct phase *p = &f->s.phases[i];

		len += (size_t)snprintf(out + len, size - len, "%s%s %llu-%llu%s", i ? "; " : "", p->name,
					(unsigned long long)(p->start_wall_ns - WALL) / 1000000,
					(unsigned long long)(p->end_wall_ns - WALL) / 1000000,
					p->open ? "..." : "");
	}
	return out;
}

#define assert_phases(f, text)                                                                     \
	do {                                                                                       \
		char out_[512];                                                                    \
                                                                                                   \
		assert_string_equal(phases_of(f, out_, sizeof(out_)), text);                       \
	} while (0)

static void test_no_log_no_phases(void **state)
{
	struct fixture *f = start_waits();

	read_block(f, 10, 1);
	whole(f, T0 + MS(100));
	assert_false(f->s.phases_known);
	finish(f);
}

static void test_a_log_without_marks(void **state)
{
	struct fixture *f = start_phases();

	read_block(f, 10, 1);
	whole(f, T0 + MS(100));
	assert_true(f->s.phases_known);
	assert_int_equal(f->s.n_phases, 0);
	finish(f);
}

static void test_lines_at_the_start(void **state)
{
	struct fixture *f = start_phases();

	mark(f, IOLAT_MARK_START, "epoch 0", 100);
	mark(f, IOLAT_MARK_START, "epoch 1", 300);
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 0 100-300; epoch 1 300-900...");
	finish(f);
}

static void test_lines_at_the_end(void **state)
{
	struct fixture *f = start_phases();

	mark(f, IOLAT_MARK_END, "epoch 0", 200);
	mark(f, IOLAT_MARK_END, "epoch 1", 300);
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 0 0-200; epoch 1 200-300");
	finish(f);
}

/* From the first line of an epoch on; one that says step 50 began after the one before. */
static void test_progress(void **state)
{
	struct fixture *f = start_phases();
	struct iolat_mark e;

	mark(f, IOLAT_MARK_INSIDE, "epoch 0", 100);
	mark(f, IOLAT_MARK_INSIDE, "epoch 0", 200);
	mark(f, IOLAT_MARK_END, "epoch 0", 300);
	e = a_mark(IOLAT_MARK_INSIDE, "epoch 1", WALL + MS(450));
	e.step = 50;
	feed(f, e);
	mark(f, IOLAT_MARK_INSIDE, "epoch 2", 500);
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 0 100-300; epoch 1 300-500; epoch 2 500-900...");
	finish(f);
}

static void test_a_start_and_an_end(void **state)
{
	struct fixture *f = start_phases();

	mark(f, IOLAT_MARK_START, "epoch 0", 100);
	mark(f, IOLAT_MARK_END, "epoch 0", 200);
	mark(f, IOLAT_MARK_START, "epoch 1", 300);
	mark(f, IOLAT_MARK_END, "epoch 1", 400);
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 0 100-200; epoch 1 300-400");
	finish(f);
}

/* "epoch 0 ended" and then "epoch 0: saved": it went on. */
static void test_one_that_is_named_again(void **state)
{
	struct fixture *f = start_phases();

	mark(f, IOLAT_MARK_START, "epoch 0", 100);
	mark(f, IOLAT_MARK_END, "epoch 0", 200);
	read_block(f, 230, 1);
	mark(f, IOLAT_MARK_END, "epoch 0", 250);
	mark(f, IOLAT_MARK_END, "epoch 1", 400);
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 0 100-250; epoch 1 250-400");
	assert_int_equal(f->s.phases[0].ios, 1);
	finish(f);
}

/* What a log says of the time before tells where the run began; what comes out of order is no mark. */
static void test_odd_times(void **state)
{
	struct fixture *f = start_phases();

	feed(f, a_mark(IOLAT_MARK_START, "epoch 7", 1));
	feed(f, a_mark(IOLAT_MARK_START, "epoch 8", WALL - 1));
	mark(f, IOLAT_MARK_START, "epoch 9", 500);
	mark(f, IOLAT_MARK_START, "epoch 1", 100);
	mark(f, IOLAT_MARK_START, "epoch 10", 500);
	mark(f, IOLAT_MARK_START, "epoch 11", 5000);
	feed(f, a_mark(IOLAT_MARK_START, "epoch 12", UINT64_MAX));
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 8 0-500; epoch 10 500-900...");
	finish(f);
}

/* A mark is read after what it cuts has been seen. */
static void test_what_counts(void **state)
{
	struct fixture *f = start_phases();
	struct iolat_request copy = io_of(100, 60, 0, 5), write = io_of(100, 150, 0, 7);

	copy.flags = IOLAT_RQ_COPY;
	write.op = IOLAT_OP_WRITE;
	read_block(f, 50, 1);
	read_block(f, 60, 2);
	feed(f, copy);
	mark(f, IOLAT_MARK_START, "epoch 0", 40);
	feed(f, write);
	read_block(f, 250, 2);
	read_block(f, 251, 3);
	mark(f, IOLAT_MARK_START, "epoch 1", 200);
	whole(f, T0 + MS(900));
	assert_phases(f, "epoch 0 40-200; epoch 1 200-900...");
	assert_int_equal(f->s.phases[0].ios, 3);
	assert_int_equal(f->s.phases[0].bytes, 3 * 4096);
	assert_int_equal(f->s.phases[0].reread_bytes, 0);
	assert_true(f->s.phases[0].p50_ns >= MS(5) && f->s.phases[0].p50_ns < MS(6));
	assert_int_equal(f->s.phases[0].p99_ns, MS(7));
	assert_int_equal(f->s.phases[1].ios, 2);
	assert_int_equal(f->s.phases[1].reread_bytes, 4096);
	finish(f);
}

static void test_waits_are_cut(void **state)
{
	struct fixture *f = start_phases();

	make_task(f, 101, "pt_data_worker");
	make_task(f, 102, "pt_data_worker");
	mark(f, IOLAT_MARK_START, "epoch 0", 0);
	read_and_wait(f, 101, 100, 300);
	mark(f, IOLAT_MARK_START, "epoch 1", 200);
	whole(f, T0 + MS(1200));
	assert_int_equal(f->s.n_phases, 2);
	assert_true(f->s.phases[0].blocked_known);
	assert_int_equal(f->s.phases[0].n_workers, 2);
	assert_int_equal(f->s.phases[0].workers[0].process->pid, 101);
	assert_int_equal(f->s.phases[0].workers[1].worker->index, 1);
	assert_ms(f->s.phases[0].workers[0].blocked_ns, 100);
	assert_ms(f->s.phases[0].workers[1].blocked_ns, 0);
	assert_true(f->s.phases[0].blocked_pct == 25);
	assert_ms(f->s.phases[1].workers[0].wall_ns, 1000);
	assert_true(f->s.phases[1].blocked_pct == 5);
	finish(f);
}

static void test_frames_show_what_ran_in_them(void **state)
{
	struct fixture *f = start_phases();

	mark(f, IOLAT_MARK_START, "epoch 0", 100);
	interval(f, T0 + MS(1000));
	assert_phases(f, "epoch 0 100-1000...");
	mark(f, IOLAT_MARK_START, "epoch 1", 1500);
	interval(f, T0 + MS(2000));
	assert_phases(f, "epoch 0 100-1500; epoch 1 1500-2000...");
	interval(f, T0 + MS(3000));
	assert_phases(f, "epoch 1 1500-3000...");
	finish(f);
}

/* More steps than are kept: neighbours become one, and nothing is lost. */
static void test_many(void **state)
{
	struct fixture *f = start_phases();
	uint64_t ios = 0, last = 0;

	for (uint64_t i = 0; i < 5000; i++) {
		char name[32];
		struct iolat_mark e;

		read_block(f, 10 * i + 6, i);
		snprintf(name, sizeof(name), "step %llu", (unsigned long long)i);
		e = a_mark(IOLAT_MARK_END, name, WALL + MS(10 * i + 10));
		e.kind = IOLAT_MARK_STEP;
		e.number = i;
		feed(f, e);
	}
	whole(f, T0 + MS(60000));
	assert_in_range(f->s.n_phases, PHASES_MAX / 4, PHASES_MAX);
	for (size_t i = 0; i < f->s.n_phases; i++) {
		ios += f->s.phases[i].ios;
		assert_true(f->s.phases[i].start_wall_ns >= last);
		last = f->s.phases[i].end_wall_ns;
	}
	assert_int_equal(ios, 5000);
	assert_non_null(strstr(f->s.phases[0].name, "step 0 to "));
	finish(f);
}

/* --- rereading ------------------------------------------------------------------------ */

static void test_reread(void **state)
{
	struct reread_answer a;
	struct reread r;

	reread_init(&r);
	assert_int_equal(reread_add(&r, 1, 8, 8192, &a), 0);
	assert_int_equal(a.followed, 8192);
	assert_int_equal(a.again, 0);
	assert_int_equal(reread_add(&r, 1, 0, 16384, &a), 0);
	assert_int_equal(a.followed, 16384);
	assert_int_equal(a.again, 8192);
	assert_int_equal(reread_add(&r, 2, 8, 8192, &a), 0); /* another disk */
	assert_int_equal(a.again, 0);
	assert_int_equal(reread_add(&r, 1, 9, 4096, &a), 0); /* holds no whole block */
	assert_int_equal(a.followed, 0);
	/* over the edge of a chunk, and back */
	assert_int_equal(reread_add(&r, 1, (32 << 11) - 8, 8192, &a), 0);
	assert_int_equal(a.again, 0);
	assert_int_equal(reread_add(&r, 1, 32 << 11, 4096, &a), 0);
	assert_int_equal(a.again, 4096);
	assert_int_equal(reread_add(&r, 1, ~0ull >> 9, 4096, &a), 0);
	assert_int_equal(reread_add(&r, 1, ~0ull >> 9, 0, &a), 0); /* ends, too */
	assert_int_equal(a.followed, 0);
	reread_free(&r);
}

/* Of 64 Ki places, far apart, a part is followed; of that part it is known. */
static void test_reread_is_bounded(void **state)
{
	uint64_t followed = 0, again = 0;
	struct reread_answer a;
	struct reread r;

	reread_init(&r);
	for (int round = 0; round < 2; round++) {
		followed = again = 0;
		for (uint64_t i = 0; i < 65536; i++) {
			assert_int_equal(reread_add(&r, 1, i * 1000000, 65536, &a), 0);
			followed += a.followed;
			again += a.again;
		}
		assert_true(r.chunks.count <= REREAD_CHUNKS);
	}
	assert_true(followed > 0);
	assert_int_equal(again, followed);
	reread_free(&r);
}

/* --- findings ---------------------------------------------------------------------------- */

/* Three epochs of a second; `later` says from which MiB on the later ones read. */
static struct fixture *epochs(const uint64_t mibs[3], const uint64_t firsts[3])
{
	struct fixture *f = start_phases();

	for (uint64_t i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "epoch %d", (int)i);
		mark(f, IOLAT_MARK_START, name, 1000 * i);
		for (uint64_t m = 0; m < mibs[i]; m++)
			read_large(f, 1000 * i + 10 + m, firsts[i] + m);
		mark(f, IOLAT_MARK_END, name, 1000 * i + 1000);
	}
	whole(f, T0 + MS(3500));
	return f;
}
#define EPOCHS(...) epochs((const uint64_t[3])__VA_ARGS__)

static void test_cold_cache(void **state)
{
	struct fixture *f = start_phases();
	const struct finding *g;

	make_task(f, 100, "trainer");
	mark(f, IOLAT_MARK_START, "epoch 0", 0);
	for (uint64_t m = 0; m < 20; m++)
		read_large(f, 30 * m + 30, m);
	feed(f, wait_of(100, 0, 600));
	mark(f, IOLAT_MARK_START, "epoch 1", 1000);
	mark(f, IOLAT_MARK_START, "epoch 2", 2000);
	mark(f, IOLAT_MARK_END, "epoch 2", 3000);
	whole(f, T0 + MS(3500));
	g = finding_of(f, "cold-cache");
	assert_non_null(g);
	assert_string_equal(g->subject, "epoch 0");
	assert_int_equal(evidence_of(g, "first_bytes"), 20 << 20);
	assert_int_equal(evidence_of(g, "later_mean_bytes"), 0);
	assert_true(evidence_of(g, "first_blocked_pct") > 50);
	assert_not_found(f, "larger-than-memory");
	finish(f);
}

/* The first epoch reads, but nobody waits for it. */
static void test_a_cold_cache_that_hurts_nobody(void **state)
{
	struct fixture *f = EPOCHS({20, 0, 0}, (const uint64_t[3]){0, 0, 0});

	assert_not_found(f, "cold-cache");
	finish(f);
}

static void test_larger_than_memory(void **state)
{
	struct fixture *f = EPOCHS({20, 20, 16}, (const uint64_t[3]){0, 0, 0});
	const struct finding *g = finding_of(f, "larger-than-memory");

	assert_non_null(g);
	assert_int_equal(evidence_of(g, "reread_pct"), 100);
	assert_int_equal(evidence_of(g, "epochs"), 3);
	assert_not_found(f, "cold-cache");
	finish(f);
}

static void test_other_data_each_time(void **state)
{
	struct fixture *f = EPOCHS({20, 20, 20}, (const uint64_t[3]){0, 100, 200});

	assert_not_found(f, "larger-than-memory");
	assert_not_found(f, "cold-cache");
	finish(f);
}

static void test_a_small_set_says_nothing(void **state)
{
	struct fixture *f = EPOCHS({4, 4, 4}, (const uint64_t[3]){0, 0, 0});

	assert_not_found(f, "larger-than-memory");
	finish(f);
}

static void test_a_stall_names_its_phase(void **state)
{
	struct fixture *f = start_phases();
	struct iolat_wait w = wait_of(101, 1100, 1700);
	const struct finding *g;

	make_task(f, 101, "trainer");
	mark(f, IOLAT_MARK_START, "epoch 0", 0);
	mark(f, IOLAT_MARK_START, "epoch 1", 1000);
	mark(f, IOLAT_MARK_START, "epoch 2", 1600);
	w.call = IOLAT_CALL_SYNC;
	feed(f, w);
	whole(f, T0 + MS(2000));
	g = finding_of(f, "sync-stall");
	assert_non_null(g);
	assert_ms(evidence_of(g, "phase_wait_ns"), 500);
	assert_non_null(strstr(f->s.findings[0].text, "most in epoch 1"));
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_log_no_phases),
		cmocka_unit_test(test_a_log_without_marks),
		cmocka_unit_test(test_lines_at_the_start),
		cmocka_unit_test(test_lines_at_the_end),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_a_start_and_an_end),
		cmocka_unit_test(test_one_that_is_named_again),
		cmocka_unit_test(test_odd_times),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_waits_are_cut),
		cmocka_unit_test(test_frames_show_what_ran_in_them),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_reread),
		cmocka_unit_test(test_reread_is_bounded),
		cmocka_unit_test(test_cold_cache),
		cmocka_unit_test(test_a_cold_cache_that_hurts_nobody),
		cmocka_unit_test(test_larger_than_memory),
		cmocka_unit_test(test_other_data_each_time),
		cmocka_unit_test(test_a_small_set_says_nothing),
		cmocka_unit_test(test_a_stall_names_its_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
