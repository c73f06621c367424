/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorts the rows of a snapshot by a column of the column table. Ties are broken by the
 * time waited, then by what the rows stand for, so that equal input gives equal output.
 */
#include "render/order.h"

#include <stdlib.h>
#include <string.h>

#include "render/columns.h"

/* A row with its value in the sort column, worked out once. */
struct place {
	const struct row *row;
	const char *text; /* NULL: not known, or a number */
	double number;
	bool known; /* the number */
	bool rising;
};

static int less_first(double a, double b)
{
	return (a > b) - (a < b);
}

static int id_first(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int text_first(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int by_value(const struct place *a, const struct place *b)
{
	int order = text_first(a->text, b->text);

	if (order)
		return order;
	if (!a->known || !b->known)
		return !a->known - !b->known;
	order = less_first(a->number, b->number);
	return a->rising ? order : -order;
}

static int by_wait(const struct row *a, const struct row *b)
{
	int order = less_first(b->total.sum, a->total.sum);

	return order ? order : id_first(b->ios, a->ios);
}

static int by_worker(const struct worker *a, const struct worker *b)
{
	int order = id_first(a ? a->rank : 0, b ? b->rank : 0);

	if (!order)
		order = id_first(a ? a->index : 0, b ? b->index : 0);
	return order ? order : id_first(a ? a->pid : 0, b ? b->pid : 0);
}

static int by_container(const struct container *a, const struct container *b)
{
	int order = text_first(a ? a->id : NULL, b ? b->id : NULL);

	return order ? order : text_first(a ? a->runtime : NULL, b ? b->runtime : NULL);
}

static int by_job(const struct job *a, const struct job *b)
{
	int order = text_first(a ? a->id : NULL, b ? b->id : NULL);

	return order ? order : text_first(a ? a->step : NULL, b ? b->step : NULL);
}

static int by_group(const struct row_subject *a, const struct row_subject *b)
{
	int order = by_container(a->container, b->container);

	if (!order)
		order = text_first(a->pod ? a->pod->uid : NULL, b->pod ? b->pod->uid : NULL);
	return order ? order : by_job(a->job, b->job);
}

static int by_owner(const struct row_subject *a, const struct row_subject *b)
{
	int order = id_first(a->process ? a->process->pid : 0, b->process ? b->process->pid : 0);

	if (!order)
		order = id_first(a->thread ? a->thread->tid : 0, b->thread ? b->thread->tid : 0);
	if (!order)
		order = by_worker(a->worker, b->worker);
	if (!order)
		order = id_first(a->cgroup ? a->cgroup->key : 0, b->cgroup ? b->cgroup->key : 0);
	return order ? order : by_group(a, b);
}

static int by_file(const struct row_subject *a, const struct row_subject *b)
{
	int order = id_first(a->fs ? a->fs->id : 0, b->fs ? b->fs->id : 0);

	if (!order)
		order = text_first(a->file ? a->file->path : NULL, b->file ? b->file->path : NULL);
	return order ? order : id_first(a->file ? a->file->inode : 0, b->file ? b->file->inode : 0);
}

static int by_place(const struct row_subject *a, const struct row_subject *b)
{
	int order = text_first(a->disk ? a->disk->name : NULL, b->disk ? b->disk->name : NULL);

	if (!order)
		order = id_first(a->disk ? a->disk->number : 0, b->disk ? b->disk->number : 0);
	if (!order)
		order = id_first(a->op, b->op);
	return order ? order : by_file(a, b);
}

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = by_value(a, b);

	if (!order)
		order = by_wait(a->row, b->row);
	if (!order)
		order = by_owner(&a->row->subject, &b->row->subject);
	if (!order)
		order = by_place(&a->row->subject, &b->row->subject);
	return order ? order : text_first(a->row->via, b->row->via);
}

static struct place place_of(const struct column *c, const struct cell *cell)
{
	struct place p = {.row = cell->row, .rising = c->show == SHOW_KEY};

	if (c->text)
		p.text = c->text(cell);
	else
		p.known = c->number(c, cell, &p.number);
	return p;
}

static struct place *places_sorted(const struct snapshot *s, const struct column *c)
{
	struct place *places = calloc(s->n_rows + 1, sizeof(*places));

	if (!places)
		return NULL;
	for (size_t i = 0; i < s->n_rows; i++)
		places[i] = place_of(c, &(struct cell){s, s->rows[i]});
	qsort(places, s->n_rows, sizeof(*places), compare);
	return places;
}

const struct row **order_rows(const struct snapshot *s, const struct render_options *o)
{
	const struct column *c = o->sort ? o->sort : column_find("wait");
	struct place *places = places_sorted(s, c);
	const struct row **rows = places ? calloc(s->n_rows + 1, sizeof(*rows)) : NULL;

	for (size_t i = 0; rows && i < s->n_rows; i++)
		rows[i] = places[i].row;
	free(places);
	return rows;
}
