/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run in which waits are traced, and what tests ask of its tasks and findings. Times are
 * in milliseconds here.
 */
#ifndef IOLAT_TEST_FEED_WAITS_H
#define IOLAT_TEST_FEED_WAITS_H

#include "feed_run.h"

#define MS(n) ((uint64_t)(n) * 1000000)

/* The run starts at 1 s; pid 50 is the parent of what make_task() makes. */
#define T0 MS(1000)

static inline struct fixture *start_selected_waits(const struct selection *selection)
{
	struct fixture *f = start_with(BY_DEFAULT, 0, selection);
	struct iolat_run run = a_run();

	run.mono_ns = T0;
	run.waits = 1;
	feed(f, run);
	feed(f, a_disk(1, "sda"));
	feed(f, a_task(IOLAT_TASK_SEEN, 50, 50, "python3"));
	return f;
}

static inline struct fixture *start_waits(void)
{
	return start_selected_waits(NULL);
}

static inline void make_task(struct fixture *f, uint32_t pid, const char *comm)
{
	struct iolat_task e = a_task(IOLAT_TASK_SEEN, pid, pid, comm);

	e.ts_ns = T0;
	e.ppid = 50;
	e.flags = IOLAT_TASK_TRACED | IOLAT_TASK_SELECTED | IOLAT_TASK_FORKED;
	feed(f, e);
}

/* A sleep of `pid` from `from` to `to` ms after T0. */
static inline struct iolat_wait wait_of(uint32_t pid, uint64_t from, uint64_t to)
{
	struct iolat_wait w = a_wait();

	w.tid = w.tgid = pid;
	w.start_ns = T0 + MS(from);
	w.end_ns = T0 + MS(to);
	return w;
}

/* A read of `pid` that was in the queue and in the device for so long and ended at `end` ms. */
static inline struct iolat_request io_of(uint32_t pid, uint64_t end, uint64_t queue, uint64_t device)
{
	struct iolat_request e = a_request();

	e.tgid = e.tid = pid;
	e.end_ns = T0 + MS(end);
	e.queue_ns = MS(queue);
	e.device_ns = MS(device);
	return e;
}

/* A read with the sleep for it. */
static inline void read_and_wait(struct fixture *f, uint32_t pid, uint64_t from, uint64_t to)
{
	feed(f, io_of(pid, to, 0, to - from));
	feed(f, wait_of(pid, from, to));
}

static inline const struct task *task_of(const struct fixture *f, uint32_t tid)
{
	for (size_t i = 0; i < f->s.n_tasks; i++)
		if (f->s.tasks[i].subject.thread->tid == tid)
			return &f->s.tasks[i];
	return NULL;
}

static inline const struct finding *finding_of(const struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->s.n_findings; i++)
		if (!strcmp(f->s.findings[i].code, code))
			return &f->s.findings[i];
	return NULL;
}

static inline double evidence_of(const struct finding *g, const char *key)
{
	for (size_t i = 0; i < g->n_evidence; i++)
		if (!strcmp(g->evidence[i].key, key))
			return g->evidence[i].value;
	fail_msg("no evidence %s", key);
	return 0;
}

#define assert_ms(ns, ms) assert_int_equal(ns, MS(ms))
#define assert_found(f, code)	  assert_non_null(finding_of(f, code))
#define assert_not_found(f, code) assert_null(finding_of(f, code))

#endif
