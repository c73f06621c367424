// SPDX-License-Identifier: GPL-2.0
/* Where the numbers of the column table (columns.c) come from, and how they are printed. */
#include "render/column_numbers.h"

#define MIB (1024.0 * 1024.0)

bool column_number_field(const struct column *c, const struct cell *cell, double *out)
{
	*out = *(const uint64_t *)((const char *)cell->row + c->field);
	return true;
}

static bool per_second(const struct cell *cell, double amount, double *out)
{
	if (!cell->frame->duration_ns)
		return false;
	*out = amount * 1e9 / cell->frame->duration_ns;
	return true;
}

bool column_number_iops(const struct column *c, const struct cell *cell, double *out)
{
	return per_second(cell, cell->row->ios, out);
}

bool column_number_rate(const struct column *c, const struct cell *cell, double *out)
{
	return !cell->row->waits && per_second(cell, cell->row->bytes / MIB, out);
}

static const struct hist *hist_of(const struct column *c, const struct cell *cell)
{
	const struct hist *h = (const void *)((const char *)cell->row + c->field);

	return h->count ? h : NULL;
}

bool column_number_percentile(const struct column *c, const struct cell *cell, double *out)
{
	const struct hist *h = hist_of(c, cell);

	if (h)
		*out = hist_percentile(h, c->p);
	return h;
}

bool column_number_mean(const struct column *c, const struct cell *cell, double *out)
{
	const struct hist *h = hist_of(c, cell);

	if (h)
		*out = hist_mean(h);
	return h;
}

bool column_number_min(const struct column *c, const struct cell *cell, double *out)
{
	const struct hist *h = hist_of(c, cell);

	if (h)
		*out = h->min;
	return h;
}

bool column_number_max(const struct column *c, const struct cell *cell, double *out)
{
	const struct hist *h = hist_of(c, cell);

	if (h)
		*out = h->max;
	return h;
}

bool column_number_sum(const struct column *c, const struct cell *cell, double *out)
{
	const struct hist *h = hist_of(c, cell);

	if (h)
		*out = h->sum;
	return h;
}

/* Of the time whose split is known: bio-based devices have none. */
bool column_number_queue_pct(const struct column *c, const struct cell *cell, double *out)
{
	const struct row *row = cell->row;
	double queue = row->queue.count ? row->queue.sum : 0;
	double split = queue + (row->device.count ? row->device.sum : 0);

	if (split <= 0)
		return false;
	*out = 100 * queue / split;
	return true;
}

bool column_number_random(const struct column *c, const struct cell *cell, double *out)
{
	*out = cell->row->random_pct;
	return cell->row->random_known;
}

bool column_number_pid(const struct column *c, const struct cell *cell, double *out)
{
	const struct process *p = cell->row->subject.process;

	if (p)
		*out = p->pid;
	return p;
}

bool column_number_ns_pid(const struct column *c, const struct cell *cell, double *out)
{
	const struct process *p = cell->row->subject.process;

	if (p)
		*out = p->ns_pid;
	return p && p->ns_pid;
}

bool column_number_tid(const struct column *c, const struct cell *cell, double *out)
{
	const struct thread *t = cell->row->subject.thread;

	if (t)
		*out = t->tid;
	return t;
}

/* --- formats of numbers -------------------------------------------------------- */

char *column_format_count(char buf[UNITS_LEN], double v)
{
	snprintf(buf, UNITS_LEN, "%.0f", v);
	return buf;
}

char *column_format_tenths(char buf[UNITS_LEN], double v)
{
	snprintf(buf, UNITS_LEN, "%.1f", v);
	return buf;
}

/* Tenths only where they tell something. */
char *column_format_iops(char buf[UNITS_LEN], double v)
{
	return v < 99.95 ? column_format_tenths(buf, v) : column_format_count(buf, v);
}

char *column_format_hundredths(char buf[UNITS_LEN], double v)
{
	snprintf(buf, UNITS_LEN, "%.2f", v);
	return buf;
}

char *column_format_duration(char buf[UNITS_LEN], double v)
{
	return fmt_duration(buf, v < 0x1p64 ? (uint64_t)v : UINT64_MAX);
}
