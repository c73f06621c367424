// SPDX-License-Identifier: GPL-2.0
/*
 * What a recording holds back: processes that nothing names. Nobody may miss it: a run that is told only what passes says
 * the same as one that is told everything.
 */
#include <stdlib.h>

#include "capture/held.h"
#include "feed_run.h"
#include "render/render.h"

/* --- what passes -------------------------------------------------------------------- */

struct passed {
	struct held held;
	unsigned int kinds[64]; /* in their order */
	uint32_t tgids[64];
	size_t n;
};

static int note(void *ctx, const void *event, size_t size)
{
	const struct iolat_head *head = event;
	const struct iolat_task *task = event;
	struct passed *p = ctx;

	assert_int_equal(head->size, size);
	assert_true(p->n < 64);
	p->kinds[p->n] = head->kind;
	p->tgids[p->n++] = head->kind == IOLAT_EV_TASK ? task->tgid : 0;
	return 0;
}

static struct passed *begin(void)
{
	struct passed *p = test_calloc(1, sizeof(*p));

	held_init(&p->held, note, p);
	return p;
}

static void end(struct passed *p)
{
	held_free(&p->held);
	test_free(p);
}

#define take(p, ...)                                                                               \
	do {                                                                                       \
		typeof(__VA_ARGS__) event_ = __VA_ARGS__;                                          \
                                                                                                   \
		assert_int_equal(held_take(&(p)->held, &event_, sizeof(event_)), 0);               \
	} while (0)

static struct iolat_task born(uint32_t ppid, uint32_t pid, uint64_t now, const char *comm)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, pid, now, comm);

	e.ppid = ppid;
	return e;
}

static struct iolat_request read_by(uint32_t pid)
{
	struct iolat_request e = a_request();

	e.tgid = e.tid = pid;
	return e;
}

static void test_nobody_asks(void **state)
{
	struct passed *p = begin();

	take(p, a_run());
	take(p, a_task(IOLAT_TASK_SEEN, 5, 1, "sh"));
	take(p, born(5, 10, 2, "sh"));
	take(p, a_task(IOLAT_TASK_EXEC, 10, 2, "true"));
	take(p, a_task(IOLAT_TASK_EXIT, 10, 2, "true"));
	take(p, read_by(5));
	assert_int_equal(p->n, 6); /* of its children as well, now */
	assert_int_equal(p->kinds[5], IOLAT_EV_REQUEST);
	end(p);
}

static void test_who_does_io_is_told_of_first(void **state)
{
	struct passed *p = begin();

	take(p, born(5, 10, 2, "sh"));
	take(p, born(10, 11, 3, "sh"));
	take(p, born(10, 12, 4, "sh")); /* its sibling */
	take(p, born(12, 13, 5, "sh")); /* of no interest */
	take(p, a_task(IOLAT_TASK_EXIT, 13, 5, "sh"));
	take(p, a_task(IOLAT_TASK_COMM, 11, 3, "reader"));
	assert_int_equal(p->n, 0);
	take(p, read_by(11));
	assert_int_equal(p->n, 5);
	assert_int_equal(p->tgids[0], 10);
	assert_int_equal(p->tgids[1], 11);
	assert_int_equal(p->tgids[2], 12);
	assert_int_equal(p->tgids[3], 11);
	assert_int_equal(p->kinds[4], IOLAT_EV_REQUEST);
	take(p, born(11, 14, 6, "sh")); /* whoever it starts now */
	take(p, born(12, 15, 6, "sh"));
	assert_int_equal(p->n, 6);
	end(p);
}

static void test_a_pid_again(void **state)
{
	struct passed *p = begin();

	take(p, born(5, 10, 2, "first"));
	take(p, a_task(IOLAT_TASK_EXIT, 10, 2, "first"));
	take(p, born(5, 10, 4, "second"));
	take(p, read_by(10));
	assert_int_equal(p->n, 2);
	take(p, born(5, 10, 6, "third"));
	assert_int_equal(p->n, 2);
	take(p, read_by(10));
	assert_int_equal(p->n, 4);
	end(p);
}

static void test_selected_and_traced_processes_are_told_of(void **state)
{
	struct passed *p = begin();
	struct iolat_task e = born(5, 10, 2, "sh");

	e.flags = IOLAT_TASK_SELECTED;
	take(p, e);
	e = born(5, 11, 2, "sh");
	e.flags = IOLAT_TASK_TRACED;
	take(p, e);
	assert_int_equal(p->n, 2);
	end(p);
}

static void test_what_is_kept_is_bounded(void **state)
{
	struct passed *p = begin();
	struct iolat_task thread;

	for (uint32_t i = 0; i < 20 * HELD_DEAD; i++) {
		take(p, born(5, 1000 + i, i, "short"));
		take(p, a_task(IOLAT_TASK_EXIT, 1000 + i, i, "short"));
		assert_true(p->held.n_events <= HELD_EVENTS + 1 && p->held.n_dead <= HELD_DEAD + 1);
	}
	assert_true(p->held.processes.count <= HELD_DEAD + 2);
	take(p, born(5, 10, 1, "threads"));
	for (uint32_t i = 0; i < 2 * HELD_EVENTS; i++) {
		thread = a_task(IOLAT_TASK_NEW, 10, 1, "thread");
		thread.tid = 1000 + i;
		take(p, thread);
		thread.what = IOLAT_TASK_EXIT;
		take(p, thread);
	}
	assert_int_equal(p->n, 0);
	end(p);
}

/* --- what a run says ---------------------------------------------------------------- */

#define PIDS	4000u
#define FIRST	100u
#define STEPS	4000u

/* A host that starts and ends processes at random, and the two runs that are told. */
struct host {
	struct fixture *all, *some;
	struct held held;
	uint32_t seed;
	uint64_t now;
	struct {
		bool alive, forked, known;
		uint32_t ppid, tids;
		uint64_t born;
		char comm[IOLAT_COMM_LEN];
	} p[FIRST + PIDS];
	uint32_t next, pids; /* how many there are */
};

static int feed_some(void *ctx, const void *event, size_t size)
{
	struct host *h = ctx;

	return run_event(h->some->run, event, size);
}

#define tell(h, ...)                                                                               \
	do {                                                                                       \
		typeof(__VA_ARGS__) told_ = __VA_ARGS__;                                           \
                                                                                                   \
		feed((h)->all, told_);                                                             \
		assert_int_equal(held_take(&(h)->held, &told_, sizeof(told_)), 0);                 \
	} while (0)

static uint32_t any(struct host *h, uint32_t n)
{
	h->seed = h->seed * 1664525 + 1013904223;
	return (h->seed >> 8) % n;
}

static uint32_t someone(struct host *h)
{
	uint32_t pid;

	do
		pid = FIRST + any(h, h->pids);
	while (!h->p[pid].alive);
	return pid;
}

static struct iolat_task word_on(struct host *h, enum iolat_task_what what, uint32_t pid)
{
	struct iolat_task e = a_task(what, pid, h->p[pid].born, h->p[pid].comm);

	e.ts_ns = h->now;
	e.ppid = h->p[pid].ppid;
	e.flags = h->p[pid].forked ? IOLAT_TASK_FORKED : 0;
	return e;
}

static bool is_python(const struct host *h, uint32_t pid)
{
	return !strncmp(h->p[pid].comm, "py", 2) || !strncmp(h->p[pid].comm, "pt", 2);
}

static void tell_facts(struct host *h, uint32_t pid)
{
	if (!h->p[pid].alive || h->p[pid].known)
		return;
	h->p[pid].known = true;
	tell(h, some_process_facts(pid, h->p[pid].born, is_python(h, pid) ? IOLAT_FACT_PYTHON : 0));
}

static void starts(struct host *h, uint32_t parent, bool forks)
{
	uint32_t pid = h->next;

	h->next = FIRST + (pid + 1 - FIRST) % h->pids;
	if (h->p[pid].alive)
		return;
	h->p[pid] = h->p[parent];
	h->p[pid].ppid = parent;
	h->p[pid].born = h->now;
	h->p[pid].forked = forks;
	h->p[pid].known = false;
	tell(h, word_on(h, IOLAT_TASK_NEW, pid));
	if (forks && any(h, 3))
		return;
	snprintf(h->p[pid].comm, IOLAT_COMM_LEN, "%s", any(h, 3) ? "true" : "python3");
	h->p[pid].forked = false;
	tell(h, word_on(h, IOLAT_TASK_EXEC, pid));
	if (is_python(h, pid))
		tell_facts(h, pid);
}

static void starts_thread(struct host *h, uint32_t pid)
{
	struct iolat_task e = word_on(h, IOLAT_TASK_NEW, pid);

	e.tid = 1000 * (1 + h->p[pid].tids++ % 20) + pid;
	e.begun_ns = h->now;
	tell(h, e);
}

static void renames(struct host *h, uint32_t pid)
{
	snprintf(h->p[pid].comm, IOLAT_COMM_LEN, "pt_data_worker");
	tell(h, word_on(h, IOLAT_TASK_COMM, pid));
}

static void exits(struct host *h, uint32_t pid)
{
	tell(h, word_on(h, IOLAT_TASK_EXIT, pid));
	h->p[pid].alive = pid == FIRST;
}

static void reads(struct host *h, uint32_t pid)
{
	struct iolat_request e = read_by(pid);
	uint32_t parent = h->p[pid].ppid;

	tell_facts(h, h->p[parent].ppid);
	tell_facts(h, parent);
	tell_facts(h, pid);
	e.end_ns = h->now;
	e.device_ns = 100000 + h->now % 99991; /* no two rows are alike */
	tell(h, e);
	if (!any(h, 4))
		exits(h, pid);
}

static void step(struct host *h)
{
	uint32_t pid = someone(h), what = any(h, 100);

	h->now += any(h, 50) ? any(h, 20000000) : 2000000000;
	if (what < 45)
		starts(h, pid, any(h, 2));
	else if (what < 55)
		starts_thread(h, pid);
	else if (what < 58)
		renames(h, pid);
	else if (what < 60)
		reads(h, pid);
	else if (pid != FIRST)
		exits(h, pid);
}

static char *said(struct fixture *f, uint64_t now)
{
	const struct render_options o = {.top = 0};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	whole(f, now);
	assert_int_equal(renderer_find("json")->snapshot(out, &f->s, &o), 0);
	fclose(out);
	return text;
}

static void check_host(uint32_t seed, unsigned int by, uint32_t pids)
{
	struct host *h = test_calloc(1, sizeof(*h));
	char *all, *some;

	h->seed = seed;
	h->pids = pids;
	h->now = 1000000000;
	h->next = FIRST + 1;
	h->all = start(by);
	h->some = start(by);
	held_init(&h->held, feed_some, h);
	h->p[FIRST].alive = true;
	h->p[FIRST].born = 1;
	snprintf(h->p[FIRST].comm, IOLAT_COMM_LEN, "python3");
	tell(h, a_run());
	tell(h, word_on(h, IOLAT_TASK_SEEN, FIRST));
	for (unsigned int i = 0; i < STEPS; i++)
		step(h);
	all = said(h->all, h->now);
	some = said(h->some, h->now);
	assert_string_equal(all, some);
	assert_non_null(strstr(all, "dataloader-worker"));
	free(all);
	free(some);
	held_free(&h->held);
	finish(h->all);
	finish(h->some);
	test_free(h);
}

static void test_a_run_misses_nothing(void **state)
{
	for (uint32_t seed = 1; seed <= 30; seed++) {
		check_host(seed, 1u << BY_PROCESS | 1u << BY_THREAD, PIDS / 10); /* pids come again and again */
		check_host(seed, 1u << BY_WORKER, PIDS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_asks),
		cmocka_unit_test(test_who_does_io_is_told_of_first),
		cmocka_unit_test(test_a_pid_again),
		cmocka_unit_test(test_selected_and_traced_processes_are_told_of),
		cmocka_unit_test(test_what_is_kept_is_bounded),
		cmocka_unit_test(test_a_run_misses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
