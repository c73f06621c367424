/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run to feed in tests: made for some row keys, fed event by event, its frames looked
 * at row by row.
 */
#ifndef IOLAT_TEST_FEED_RUN_H
#define IOLAT_TEST_FEED_RUN_H

#include "feed.h"
#include "stats/run.h"

struct fixture {
	struct run *run;
	struct selection selection;
	struct snapshot s; /* the last one taken */
};

#define BY_DEFAULT (1u << BY_PROCESS | 1u << BY_DEVICE | 1u << BY_OP)

static inline struct fixture *start_with(unsigned int by_mask, size_t max_rows,
					 const struct selection *selection)
{
	struct fixture *f = test_calloc(1, sizeof(*f));
	struct run_options o = {.by.mask = by_mask, .max_rows = max_rows, .timeline = true};

	for (enum row_key key = 0; key < BY_MAX; key++)
		if (by_mask & 1u << key)
			o.by.keys[o.by.n++] = key;
	if (selection)
		f->selection = *selection;
	o.selection = &f->selection;
	assert_int_equal(run_new(&f->run, &o), 0);
	return f;
}

static inline struct fixture *start(unsigned int by_mask)
{
	return start_with(by_mask, 0, NULL);
}

static inline void finish(struct fixture *f)
{
	run_free(f->run);
	select_free(&f->selection);
	test_free(f);
}

#define feed(f, ...)                                                                               \
	do {                                                                                       \
		typeof(__VA_ARGS__) event_ = __VA_ARGS__;                                          \
                                                                                                   \
		assert_int_equal(run_event((f)->run, &event_, sizeof(event_)), 0);                 \
	} while (0)

static inline void interval(struct fixture *f, uint64_t now_ns)
{
	assert_int_equal(run_interval(f->run, now_ns, &f->s), 0);
	assert_int_equal(f->s.type, SNAPSHOT_INTERVAL);
}

static inline void whole(struct fixture *f, uint64_t now_ns)
{
	assert_int_equal(run_whole(f->run, now_ns, SNAPSHOT_SUMMARY, &f->s), 0);
}

/* The one row of a frame. */
static inline const struct row *the_row(const struct fixture *f)
{
	assert_int_equal(f->s.n_rows, 1);
	return f->s.rows[0];
}

static inline bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The row with that via, or NULL. */
static inline const struct row *row_via(const struct fixture *f, const char *via)
{
	for (size_t i = 0; i < f->s.n_rows; i++)
		if (same_text(f->s.rows[i]->via, via))
			return f->s.rows[i];
	return NULL;
}

/* The row of the process with that name, or NULL. */
static inline const struct row *row_comm(const struct fixture *f, const char *comm)
{
	for (size_t i = 0; i < f->s.n_rows; i++) {
		const struct process *p = f->s.rows[i]->subject.process;

		if (p && !strcmp(p->comm, comm))
			return f->s.rows[i];
	}
	return NULL;
}

static inline uint64_t sum_ios(const struct fixture *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->s.n_rows; i++)
		sum += f->s.rows[i]->ios;
	return sum;
}

#endif
