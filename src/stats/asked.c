// SPDX-License-Identifier: GPL-2.0
/*
 * Growth between one telling and the next, by process. A child's is its parent's as well as soon as the parent has waited for
 * it, which is taken to be so from the child's end on: until then, the parent's seems to stand still.
 */
#include "stats/asked.h"

#include <errno.h>
#include <stdlib.h>

static void drop(void *ctx, struct lru_node *node)
{
	struct asked_entry *g = list_entry(node, struct asked_entry, node);

	proc_unref(g->proc);
	free(g);
}

void asked_init(struct asked *a, struct model *m)
{
	*a = (struct asked){.model = m};
	lru_init(&a->lru, sizeof(uint64_t), offsetof(struct asked_entry, process), ASKED_PROCESSES);
	a->lru.drop = drop;
}

void asked_free(struct asked *a)
{
	lru_free(&a->lru);
}

static struct asked_entry *get(struct asked *a, struct proc *p)
{
	struct asked_entry *g = lru_get(&a->lru, &p->serial);

	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->process = p->serial;
	g->proc = p;
	proc_ref(p);
	if (!lru_put(&a->lru, &g->node))
		return g;
	drop(NULL, &g->node);
	return NULL;
}

static uint64_t growth(uint64_t now, uint64_t last)
{
	return now > last ? now - last : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void count(struct asked_entry *g, const struct iolat_called *e)
{
	struct asked_sums own = {growth(e->read_bytes, g->children.read_bytes), growth(e->reads, g->children.reads)};

	if (!e->before) {
		g->now.read_bytes += growth(own.read_bytes, g->last.read_bytes);
		g->now.reads += growth(own.reads, g->last.reads);
	}
	g->last = (struct asked_sums){later(own.read_bytes, g->last.read_bytes), later(own.reads, g->last.reads)};
	g->told = true;
}

static int leave_to_parent(struct asked *a, const struct proc *p, const struct iolat_called *e)
{
	struct proc *parent = proc_parent(&a->model->procs, p);
	struct asked_entry *g = parent ? get(a, parent) : NULL;

	if (!parent)
		return 0;
	if (!g)
		return -ENOMEM;
	g->children.read_bytes += e->read_bytes;
	g->children.reads += e->reads;
	return 0;
}

int asked_called(struct asked *a, const struct iolat_called *e)
{
	struct proc *p = proc_at(&a->model->procs, e->tgid, e->ts_ns).proc;
	struct asked_entry *g = p ? get(a, p) : NULL;

	if (!p)
		return 0;
	if (!g)
		return -ENOMEM;
	if (e->ended != IOLAT_CALLED_CHILDS_LAST)
		count(g, e);
	return e->ended != IOLAT_CALLED_GOES_ON ? leave_to_parent(a, p, e) : 0;
}

static struct asked_entry *entry_of(struct list *l)
{
	return list_entry(list_entry(l, struct lru_node, order), struct asked_entry, node);
}

void asked_turn(struct asked *a)
{
	for (struct list *l = a->lru.order.next; l != &a->lru.order; l = l->next) {
		struct asked_entry *g = entry_of(l);

		g->before.read_bytes += g->now.read_bytes;
		g->before.reads += g->now.reads;
		g->now = (struct asked_sums){0};
	}
}

bool asked_by(const struct asked *a, const struct proc *p, bool whole, struct asked_sums *out)
{
	bool known = false;

	*out = (struct asked_sums){0};
	for (struct list *l = a->lru.order.next; l != &a->lru.order; l = l->next) {
		const struct asked_entry *g = entry_of(l);

		if (!g->told || (p ? g->proc != p : !proc_wanted(&a->model->procs, g->proc)))
			continue;
		out->read_bytes += g->now.read_bytes + (whole ? g->before.read_bytes : 0);
		out->reads += g->now.reads + (whole ? g->before.reads : 0);
		known = true;
	}
	return known;
}
