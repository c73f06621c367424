// SPDX-License-Identifier: GPL-2.0
/* Adds up rows and tasks of equal names. */
#include "stats/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK_KEYS                                                                                  \
	(1u << BY_PROCESS | 1u << BY_THREAD | 1u << BY_WORKER | 1u << BY_CONTAINER | 1u << BY_POD | 1u << BY_JOB)

const char *compare_measure_name(enum compare_measure m)
{
	static const char *const names[COMPARE_MEASURES] = {
		[COMPARE_IOS] = "ios",	     [COMPARE_BYTES] = "bytes",	  [COMPARE_P50] = "p50_ns",
		[COMPARE_P90] = "p90_ns",    [COMPARE_P99] = "p99_ns",	  [COMPARE_MAX] = "max_ns",
		[COMPARE_BLOCKED] = "blocked_pct",
	};

	return names[m];
}

const char *compare_change_name(enum compare_change c)
{
	static const char *const names[] = {
		[CHANGE_SAME] = "same", [CHANGE_LESS] = "less", [CHANGE_MORE] = "more"};

	return c == CHANGE_UNKNOWN ? NULL : names[c];
}

/* --- names --------------------------------------------------------------------------- */

static const char *op_name(enum iolat_op op)
{
	static const char *const names[IOLAT_OP_MAX] = {"read", "write", "flush", "discard", "other"};

	return names[op];
}

static const char *container_name(const struct container *c)
{
	return !c ? "none" : c->name ? c->name : c->id;
}

/* "namespace/pod", "job.step"; as long as they can be, cut. */
static void pair(char *buf, size_t size, const char *a, const char *sep, const char *b)
{
	snprintf(buf, size, "%s%s%s", a ? a : "", a && b ? sep : "", b ? b : "");
}

static void name_process(char *buf, size_t size, const struct row_subject *s, const char *via)
{
	if (s->process)
		snprintf(buf, size, "%s", s->process->comm_known ? s->process->comm : "?");
	else
		snprintf(buf, size, "[%s]", via ? via : "nobody");
}

#define NAME_LEN 512

/* What names a subject by that key from run to run. */
static void name_key(char buf[NAME_LEN], enum row_key key, const struct row_subject *s, const char *via)
{
	const char *text = "none";

	if (key == BY_PROCESS)
		return name_process(buf, NAME_LEN, s, via);
	if (key == BY_POD && s->pod)
		return pair(buf, NAME_LEN, s->pod->space, "/", s->pod->name ? s->pod->name : s->pod->uid);
	if (key == BY_JOB && s->job)
		return pair(buf, NAME_LEN, s->job->id, ".", s->job->step);
	if (key == BY_FS && s->fs)
		return pair(buf, NAME_LEN, s->fs->type ? s->fs->type : "?", " ", s->fs->source);
	if (key == BY_FILE && s->file)
		text = s->file->path ? s->file->path : "unknown";
	if (key == BY_THREAD && s->thread && s->thread->comm_known)
		text = s->thread->comm;
	if (key == BY_WORKER && s->worker)
		text = s->worker->name;
	if (key == BY_CGROUP && s->cgroup && s->cgroup->path)
		text = s->cgroup->path;
	if (key == BY_CONTAINER)
		text = container_name(s->container);
	if (key == BY_DEVICE && s->disk)
		text = s->disk->name;
	if (key == BY_HOST && s->host)
		text = s->host;
	if (key == BY_OP)
		text = op_name(s->op);
	snprintf(buf, NAME_LEN, "%s", text);
}

/* --- groups -------------------------------------------------------------------------- */

static void sums_free(struct compare_group *g)
{
	for (int key = 0; key < BY_MAX; key++)
		free(g->names[key]);
	for (int side = 0; side < COMPARE_SIDES; side++)
		hist_free(&g->sums[side].total);
}

static void group_init(struct compare_group *g)
{
	*g = (struct compare_group){0};
	for (int side = 0; side < COMPARE_SIDES; side++)
		hist_init(&g->sums[side].total);
}

static bool is_group(const struct compare_group *g, char names[BY_MAX][NAME_LEN])
{
	for (int key = 0; key < BY_MAX; key++)
		if (g->names[key] && strcmp(g->names[key], names[key]))
			return false;
	return true;
}

static struct compare_group *add_group(struct compare_list *l, char names[BY_MAX][NAME_LEN])
{
	struct compare_group *groups = l->groups, *g;

	/* The room is the next power of two. */
	if (!(l->n & (l->n - 1)))
		groups = realloc(groups, (l->n ? 2 * l->n : 1) * sizeof(*groups));
	if (!groups)
		return NULL;
	l->groups = groups;
	g = &groups[l->n];
	group_init(g);
	for (int key = 0; key < BY_MAX; key++) {
		g->names[key] = by_has(&l->by, key) ? strdup(names[key]) : NULL;
		if (by_has(&l->by, key) && !g->names[key]) {
			sums_free(g);
			return NULL;
		}
	}
	l->n++;
	return g;
}

/* The group of a subject's names, made when it is new; NULL: out of memory. */
static struct compare_group *group_of(struct compare_list *l, const struct row_subject *s, const char *via)
{
	char names[BY_MAX][NAME_LEN];

	for (int key = 0; key < BY_MAX; key++)
		if (by_has(&l->by, key))
			name_key(names[key], key, s, via);
	for (size_t i = 0; i < l->n; i++)
		if (is_group(&l->groups[i], names))
			return &l->groups[i];
	return add_group(l, names);
}

static int add_row(struct compare_sums *s, const struct row *row)
{
	s->there = true;
	s->ios += row->ios;
	s->bytes += row->bytes;
	return hist_merge(&s->total, &row->total);
}

static int add_rows(struct comparison *c, enum compare_side side)
{
	const struct snapshot *s = c->runs[side];
	int err = 0;

	for (size_t i = 0; !err && i < s->n_rows; i++) {
		struct compare_group *g = group_of(&c->rows, &s->rows[i]->subject, s->rows[i]->via);

		err = g ? add_row(&g->sums[side], s->rows[i]) : -ENOMEM;
		err = err ?: add_row(&c->all.sums[side], s->rows[i]);
	}
	return err;
}

static void add_task(struct compare_sums *s, const struct task *task)
{
	s->there = true;
	s->wall_ns += task->wall_ns;
	s->blocked_ns += task->blocked_ns;
}

/* Tasks that never waited would only water down the shares of those that did. */
static int add_tasks(struct comparison *c, enum compare_side side)
{
	const struct snapshot *s = c->runs[side];

	for (size_t i = 0; c->tasks.by.mask && i < s->n_tasks; i++) {
		struct compare_group *g;

		if (!s->tasks[i].blocked_ns)
			continue;
		g = group_of(&c->tasks, &s->tasks[i].subject, NULL);
		if (!g)
			return -ENOMEM;
		add_task(&g->sums[side], &s->tasks[i]);
	}
	return 0;
}

static double waited(const struct compare_group *g)
{
	double sum = 0;

	for (int side = 0; side < COMPARE_SIDES; side++)
		sum += g->sums[side].total.sum + (double)g->sums[side].blocked_ns;
	return sum;
}

static int most_waited_first(const void *a, const void *b)
{
	const struct compare_group *x = a, *y = b;
	double left = waited(x), right = waited(y);

	if (left != right)
		return left < right ? 1 : -1;
	for (int key = 0; key < BY_MAX; key++) {
		int order = x->names[key] ? strcmp(x->names[key], y->names[key]) : 0;

		if (order)
			return order;
	}
	return 0;
}

static void sort(struct compare_list *l)
{
	if (l->n)
		qsort(l->groups, l->n, sizeof(*l->groups), most_waited_first);
}

static void take_task_keys(struct by *out, const struct by *by)
{
	*out = (struct by){.mask = by->mask & TASK_KEYS};
	for (size_t i = 0; i < by->n; i++)
		if (by_has(out, by->keys[i]))
			out->keys[out->n++] = by->keys[i];
}

int compare_runs(struct comparison *c, const struct snapshot *before, const struct snapshot *after)
{
	int err = 0;

	*c = (struct comparison){.runs = {before, after}, .rows.by = *before->by};
	group_init(&c->all);
	if (before->waits && after->waits)
		take_task_keys(&c->tasks.by, before->by);
	for (int side = 0; !err && side < COMPARE_SIDES; side++)
		err = add_rows(c, side) ?: add_tasks(c, side);
	sort(&c->rows);
	sort(&c->tasks);
	return err;
}

static void list_free(struct compare_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		sums_free(&l->groups[i]);
	free(l->groups);
}

void compare_free(struct comparison *c)
{
	sums_free(&c->all);
	list_free(&c->rows);
	list_free(&c->tasks);
}
