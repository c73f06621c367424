// SPDX-License-Identifier: GPL-2.0
/* Items into groups, groups into an order. */
#include "screen/board.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void group_free(struct group *g)
{
	sum_free(&g->now);
	sum_free(&g->all);
	free(g);
}

static void clear(struct board *b)
{
	for (size_t i = 0; i < b->n; i++)
		group_free(b->groups[i]);
	b->n = 0;
	b->filtered = 0;
}

void board_free(struct board *b)
{
	clear(b);
	free(b->groups);
	*b = (struct board){.n = 0};
}

/* --- grouping --------------------------------------------------------------------- */

/* What an item is by the keys asked for, in the order they were asked for. */
static void label(struct group *g, const struct item *item, const struct by *by)
{
	size_t len = 0;

	g->label[0] = '\0';
	for (size_t i = 0; i < by->n && len < sizeof(g->label); i++) {
		const char *text = item->text[by->keys[i]];
		bool none = !strcmp(text, "-");

		len += (size_t)snprintf(g->label + len, sizeof(g->label) - len, "%s%s%s", i ? "  " : "",
					none ? "no " : "", none ? row_key_name(by->keys[i]) : text);
	}
}

static struct group *group_new(struct board *b, const struct identity *id)
{
	struct group **list, *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	if (b->n == b->room) {
		list = realloc(b->groups, (2 * b->room + 16) * sizeof(*list));
		if (!list) {
			free(g);
			return NULL;
		}
		b->groups = list;
		b->room = 2 * b->room + 16;
	}
	g->id = *id;
	sum_init(&g->now);
	sum_init(&g->all);
	b->groups[b->n++] = g;
	return g;
}

static struct group *group_of(struct board *b, struct map *map, const struct item *item,
			      const struct board_view *view)
{
	struct identity id = identity_masked(&item->id, view->by.mask);
	struct group *g = map_get(map, &id);

	if (g)
		return g;
	g = group_new(b, &id);
	if (!g || map_put(map, &id, g))
		return NULL;
	label(g, item, &view->by);
	return g;
}

static void add_moments(struct group *g, const struct memory *m, const struct item *item)
{
	for (size_t i = 0; i < MEMORY_SECONDS; i++) {
		const struct moment *from = memory_moment(m, item, i);
		struct moment *to = &g->minute[i];

		if (!from)
			continue;
		g->moments[i] = true;
		to->ios += from->ios;
		to->bytes += from->bytes;
		if (from->blocked_ns > to->blocked_ns)
			to->blocked_ns = from->blocked_ns;
		if (from->p99_ns > to->p99_ns)
			to->p99_ns = from->p99_ns;
	}
}

static void add_task(struct group *g, const struct memory *m, const struct item *item)
{
	if (!memory_fresh(m, item))
		return;
	if (!g->sleeper || item->times.blocked_ns > g->sleeper->times.blocked_ns)
		g->sleeper = item;
}

static int add_item(struct group *g, const struct memory *m, const struct item *item)
{
	int err = 0;

	add_moments(g, m, item);
	if (item->task)
		add_task(g, m, item);
	else if (memory_fresh(m, item))
		err = sum_add(&g->now, &item->now);
	return err ?: sum_add(&g->all, &item->all);
}

static bool belongs(const struct item *item, const struct board_view *view)
{
	struct identity id = identity_masked(&item->id, view->within_keys);

	if (item->copy && !by_has(&view->by, BY_DEVICE))
		return false;
	if (item->task && (view->by.mask | view->within_keys) & ~MEMORY_TASK_KEYS)
		return false;
	return identity_same(&id, &view->within);
}

static int add_items(struct board *b, struct map *map, const struct memory *m,
		     const struct board_view *view)
{
	const struct item *item;
	struct group *g;
	int err = 0;

	for (size_t i = 0; !err && (item = memory_next(m, &i));) {
		if (!belongs(item, view))
			continue;
		g = group_of(b, map, item, view);
		err = g ? add_item(g, m, item) : -ENOMEM;
	}
	return err;
}

/* --- what is derived ---------------------------------------------------------------- */

static double share(double part, double whole)
{
	double pct = whole > 0 ? 100 * part / whole : 0;

	return pct > 100 ? 100 : pct;
}

static void derive(struct board *b, const struct memory *m)
{
	for (size_t i = 0; i < b->n; i++) {
		struct group *g = b->groups[i];

		if (!b->waits)
			g->blocked_pct = share(g->now.total.sum, m->total.total.sum);
		else if (g->sleeper)
			g->blocked_pct = share((double)g->sleeper->times.blocked_ns,
					       (double)g->sleeper->times.wall_ns);
	}
}

static bool contains(const char *text, const char *word)
{
	return !*word || strcasestr(text, word);
}

static void filter(struct board *b, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (contains(b->groups[i]->label, word))
			b->groups[kept++] = b->groups[i];
		else
			group_free(b->groups[i]);
	}
	b->filtered = b->n - kept;
	b->n = kept;
}

/* --- order -------------------------------------------------------------------------- */

bool board_value(const struct memory *m, const struct group *g, const struct column *c, double *out)
{
	const struct cell cell = {&m->head, &g->now};

	return c->number && g->now.ios && c->number(c, &cell, out);
}

struct order {
	const struct memory *m;
	const struct board_view *view;
};

static int more_first(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_column(const struct group *a, const struct group *b, const struct order *o)
{
	double x = 0, y = 0;
	bool known_x, known_y;

	if (!o->view->sort)
		return more_first(a->blocked_pct, b->blocked_pct);
	known_x = board_value(o->m, a, o->view->sort, &x);
	known_y = board_value(o->m, b, o->view->sort, &y);
	return known_x && known_y ? more_first(x, y) : known_y - known_x;
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct group *a = *(struct group *const *)left, *b = *(struct group *const *)right;
	const struct order *o = ctx;
	int order = o->view->by_name ? strcmp(a->label, b->label) : by_column(a, b, o);

	if (o->view->reverse)
		order = -order;
	if (!order)
		order = more_first(a->now.total.sum, b->now.total.sum);
	return order ? order : strcmp(a->label, b->label);
}

int board_make(struct board *b, const struct memory *m, const struct board_view *view)
{
	struct order order = {m, view};
	struct map map;
	int err;

	clear(b);
	b->waits = m->head.waits && !(view->by.mask & ~MEMORY_TASK_KEYS);
	map_init(&map, sizeof(struct identity));
	err = add_items(b, &map, m, view);
	map_free(&map);
	derive(b, m);
	filter(b, view->filter);
	if (b->n)
		qsort_r(b->groups, b->n, sizeof(*b->groups), compare, &order);
	return err;
}

const struct group *board_find(const struct board *b, const struct identity *id)
{
	for (size_t i = 0; i < b->n; i++)
		if (identity_same(&b->groups[i]->id, id))
			return b->groups[i];
	return NULL;
}
