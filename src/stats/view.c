// SPDX-License-Identifier: GPL-2.0
/*
 * Builds the list of a frame's rows. An interval's rows move on into the run's table; for
 * the whole run, rows of the same id in both tables are summed up in a copy.
 */
#include "stats/view.h"

#include <errno.h>
#include <stdlib.h>

static void clear(struct view *v)
{
	struct row_slot *s;

	while ((s = v->left)) {
		v->left = s->next;
		row_free(s);
	}
	v->other = NULL;
	v->n = 0;
}

void view_free(struct view *v)
{
	clear(v);
	free(v->list);
}

static int begin(struct view *v, size_t rows)
{
	const struct row **list;

	clear(v);
	if (rows < v->room)
		return 0;
	list = realloc(v->list, (rows + 1) * sizeof(*list)); /* with "other" */
	if (!list)
		return -ENOMEM;
	v->list = list;
	v->room = rows + 1;
	return 0;
}

static struct row_slot *keep(struct view *v, struct row_slot *s)
{
	if (s) {
		s->next = v->left;
		v->left = s;
	}
	return s;
}

static void show(struct view *v, struct row_slot *s)
{
	v->list[v->n++] = row_finish(s);
}

static int move_on(struct view *v, struct rows *interval, struct row_slot *s, struct rows *whole)
{
	if (whole && interval->by == whole->by)
		return rows_move(whole, s, &v->left);
	keep(v, s);
	return whole ? rows_fold(whole, s) : 0;
}

int view_interval(struct view *v, struct rows *interval, struct rows *whole)
{
	struct row_slot *s;
	int err = begin(v, interval->map.count);

	for (size_t i = 0; !err && (s = rows_next(interval, &i));)
		show(v, s);
	for (size_t i = 0; (s = rows_next(interval, &i));)
		if (move_on(v, interval, s, whole))
			err = -ENOMEM;
	return err;
}

static int add_to_copy(struct view *v, struct row_slot *of, const struct row_slot *s)
{
	of->copy = keep(v, row_copy(of));
	return of->copy ? row_merge(of->copy, s) : -ENOMEM;
}

/* Copies of the run's rows that the interval has too, with both in them. */
static int sum_up(struct view *v, const struct rows *interval, const struct rows *whole)
{
	struct row_slot *s, *there;
	int err = 0;

	for (size_t i = 0; !err && (s = rows_next(interval, &i));) {
		there = row_is_other(s) ? NULL : rows_find(whole, &s->id);
		if (there)
			err = add_to_copy(v, there, s);
	}
	return err;
}

static int fold(struct view *v, const struct by *by, const struct row_slot *s)
{
	if (!v->other)
		v->other = keep(v, row_other(by));
	return v->other ? row_merge(v->other, s) : -ENOMEM;
}

static int show_whole(struct view *v, const struct rows *whole)
{
	struct row_slot *s;
	int err = 0;

	for (size_t i = 0; !err && (s = rows_next(whole, &i));) {
		if (row_is_other(s))
			err = fold(v, whole->by, s);
		else
			show(v, s->copy ? s->copy : s);
	}
	return err;
}

/* The interval's rows that the run has not had before. */
static int show_new(struct view *v, const struct rows *interval, const struct rows *whole)
{
	struct row_slot *s;
	int err = 0;

	for (size_t i = 0; !err && (s = rows_next(interval, &i));) {
		if (row_is_other(s))
			err = fold(v, whole->by, s);
		else if (rows_find(whole, &s->id))
			continue;
		else if (v->n < whole->max)
			show(v, s);
		else
			err = fold(v, whole->by, s);
	}
	return err;
}

static void forget_copies(const struct rows *whole)
{
	struct row_slot *s;

	for (size_t i = 0; (s = rows_next(whole, &i));)
		s->copy = NULL;
}

int view_whole(struct view *v, const struct rows *interval, const struct rows *whole)
{
	int err = begin(v, interval->map.count + whole->map.count);

	if (!err)
		err = sum_up(v, interval, whole);
	if (!err)
		err = show_whole(v, whole);
	if (!err)
		err = show_new(v, interval, whole);
	if (!err && v->other)
		show(v, v->other);
	forget_copies(whole);
	return err;
}
