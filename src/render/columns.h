/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns that rows can be shown in and sorted by. A column is one line of the
 * table in columns.c: its name for --sort and --columns, its header, where its number
 * or text comes from, and how that is printed for a person.
 */
#ifndef IOLAT_RENDER_COLUMNS_H
#define IOLAT_RENDER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/units.h"
#include "stats/snapshot.h"

/* What a cell is made from. */
struct cell {
	const struct snapshot *frame;
	const struct row *row;
};

/* When a column is shown without being asked for. */
enum column_show {
	SHOW_ASKED, /* never */
	SHOW_ALWAYS,
	SHOW_ANY,     /* where a row has something in it: a number but 0, a text */
	SHOW_ANY_BUT, /* the same, but not where `key` is a row key and tells it already */
	SHOW_KEY,     /* where `key` is a row key */
	SHOW_KEY_OR_ANY,
};

struct column {
	const char *name;   /* for --sort and --columns */
	const char *header; /* with the unit, unless the values carry it */
	enum column_show show;
	enum row_key key;

	/* One of the two: a number, right-aligned, or a raw text, left-aligned. Unknown values
	 * (false, NULL) print as "-" and sort last. */
	bool (*number)(const struct column *c, const struct cell *cell, double *out);
	const char *(*text)(const struct cell *cell);

	char *(*format)(char buf[UNITS_LEN], double v);	   /* of the number */
	void (*print)(FILE *out, const struct cell *cell); /* of the text, where it is not plain */

	size_t field; /* the number's source, an offset in struct row */
	double p;     /* the percentile of a histogram */

	const char *what; /* in words, for the man page */
};

const struct column *column_at(size_t i); /* NULL behind the last */

/* Whether the column is among the default ones of the rows. */
bool column_shown(const struct column *c, const struct snapshot *frame,
		  const struct row *const *rows, size_t n);

/* Prints one cell, cleaned for a person. */
void column_print(const struct column *c, FILE *out, const struct cell *cell);

/* The row in the words of its key columns: "pid 812  device vda  op read  comm fio  ". */
void column_print_keys(FILE *out, const struct snapshot *frame, const struct row *row);

/* Text that came from elsewhere, cleaned for a person. */
void column_print_text(FILE *out, const char *s);

/* As in --op. */
const char *column_op_name(enum iolat_op op);

/* What belongs behind a process's name: "[2]" of a worker, and its rank, " rank 1/8". */
void column_print_part_in_job(FILE *out, const struct process *p);

#endif
