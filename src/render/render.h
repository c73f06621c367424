/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One output format is one file with one struct renderer and one line in the
 * registry (render.c). A renderer turns snapshots into bytes on a stream and knows
 * neither where they come from nor where they go.
 */
#ifndef IOLAT_RENDER_RENDER_H
#define IOLAT_RENDER_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "stats/snapshot.h"

struct column;
struct trace_merge;

struct render_options {
	bool histogram;			/* -H */
	unsigned int top;		/* -n; 0: all rows */
	const struct column *sort;	/* --sort; NULL: the slowest first, by summed wait */
	const struct column **columns;	/* --columns; NULL: the default ones */
	size_t n_columns;
	bool phases;			/* a training log was given: CSV has columns for them */
	uint64_t base_ns;		/* wall clock of a trace's ts 0 */
	const struct trace_merge *merge;	/* a trace to write into; NULL: none */
	int width;			/* cut lines here; 0: never (not a terminal) */
	bool writes;			/* a replay may write */
	/* Opens the n-th file beside the output; *path is to be freed. NULL: it could not, and said so. */
	FILE *(*beside)(void *ctx, unsigned int n, char **path);
	void *beside_ctx;
	void **state;			/* a format's own from start to end */
};

struct renderer {
	const char *name;		/* as in --format */
	/* Writes one snapshot; 0 or -ENOMEM. Errors of `out` stay in it for the caller. */
	int (*snapshot)(FILE *out, const struct snapshot *s, const struct render_options *o);
	/* Called once, before the first snapshot; may be NULL. */
	int (*start)(FILE *out, const struct by *by, const struct render_options *o);
	bool timeline;			/* wants snapshot.timeline */
	/* Writes one request; NULL: the format has no such lines. 0 or -ENOMEM. start_requests is called in the
	 * place of `start` where requests are asked for; may be NULL. */
	int (*request)(FILE *out, const struct request *q, const struct by *by, const struct render_options *o);
	/* Writes a wait; such a format gets every request and wait, and an interval's frame a second, whose rows name
	 * what they belong to. NULL: it is not one. 0 or -ENOMEM. */
	int (*wait)(FILE *out, const struct task_wait *w, const struct render_options *o);
	int (*start_requests)(FILE *out, const struct by *by, const struct render_options *o);
	bool requests;			/* wants them without being asked, and files beside the output */
	void (*end)(const struct render_options *o);	/* frees the state; may be NULL */
};

const struct renderer *renderer_find(const char *name);		/* NULL: no such format */
const struct renderer *renderer_at(size_t i);			/* NULL behind the last */

/* The column table is shared by every tabular output; names are for --sort and --columns. */
const struct column *column_find(const char *name);
const char *column_name_at(size_t i);				/* NULL behind the last */

#endif
