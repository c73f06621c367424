// SPDX-License-Identifier: GPL-2.0
/* Growth between one telling and the next, by process. */
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

int asked_called(struct asked *a, const struct iolat_called *e)
{
	struct proc *p = proc_at(&a->model->procs, e->tgid, e->ts_ns).proc;
	struct asked_entry *g = p ? get(a, p) : NULL;

	if (!p)
		return 0;
	if (!g)
		return -ENOMEM;
	if (!e->before) {
		g->now.read_bytes += growth(e->read_bytes, g->last.read_bytes);
		g->now.reads += growth(e->reads, g->last.reads);
	}
	g->last = (struct asked_sums){e->read_bytes, e->reads};
	return 0;
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

		if (p ? g->proc != p : !proc_wanted(&a->model->procs, g->proc))
			continue;
		out->read_bytes += g->now.read_bytes + (whole ? g->before.read_bytes : 0);
		out->reads += g->now.reads + (whole ? g->before.reads : 0);
		known = true;
	}
	return known;
}
