// SPDX-License-Identifier: GPL-2.0
/* Two tables of the same kind of entry. */
#include "stats/waited.h"

#include <errno.h>
#include <stdlib.h>

static void drop(void *ctx, struct lru_node *node)
{
	struct waited_place *p = list_entry(node, struct waited_place, node);

	known_file_unref(p->file);
	known_fs_unref(p->fs);
	free(p);
}

static void init_table(struct lru *table, size_t limit)
{
	lru_init(table, sizeof(struct file_key), offsetof(struct waited_place, key), limit);
	table->drop = drop;
}

void waited_init(struct waited *w, struct files *known)
{
	w->known = known;
	init_table(&w->files, WAITED_FILES);
	init_table(&w->systems, WAITED_SYSTEMS);
}

void waited_free(struct waited *w)
{
	lru_free(&w->files);
	lru_free(&w->systems);
}

static void name(struct waited *w, struct waited_place *p)
{
	p->fs = files_system(w->known, p->key.dev);
	known_fs_ref(p->fs);
	p->file = p->key.inode ? files_get(w->known, &p->key) : NULL;
	known_file_ref(p->file);
}

static struct waited_place *get(struct waited *w, struct lru *table, const struct file_key *key)
{
	struct waited_place *p = lru_get(table, key);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->key = *key;
	name(w, p);
	if (!lru_put(table, &p->node))
		return p;
	drop(NULL, &p->node);
	return NULL;
}

static int add(struct waited *w, struct lru *table, const struct file_key *key,
	       const struct waited_part *part)
{
	struct waited_place *p = get(w, table, key);

	if (!p)
		return -ENOMEM;
	if (!p->process)
		p->process = part->process;
	p->shared |= p->process != part->process;
	p->disk = part->disk ?: p->disk;
	p->now.ns[part->kind] += part->ns;
	p->now.waits += part->ended;
	return 0;
}

static struct file_key whole_system(const struct file_key *key)
{
	return (struct file_key){.dev = key->dev};
}

int waited_add(struct waited *w, const struct waited_part *part)
{
	struct file_key system = whole_system(&part->place);
	int err;

	if (!system.dev)
		return 0;
	err = add(w, &w->systems, &system, part);
	if (!err && part->place.inode)
		err = add(w, &w->files, &part->place, part);
	return err;
}

static void move(struct waited_place *p, enum wait_reason from, enum wait_reason to, uint64_t ns)
{
	if (!p || p->now.ns[from] < ns)
		return;
	p->now.ns[from] -= ns;
	p->now.ns[to] += ns;
}

void waited_move(struct waited *w, const struct file_key *key, enum wait_reason from, enum wait_reason to,
		 uint64_t ns)
{
	struct file_key system = whole_system(key);

	if (!key->dev)
		return;
	move(lru_get(&w->systems, &system), from, to, ns);
	if (key->inode)
		move(lru_get(&w->files, key), from, to, ns);
}

struct waited_sums waited_sums(const struct waited_place *p, bool whole)
{
	struct waited_sums s = p->now;

	for (size_t i = 0; whole && i < WAITED_MAX; i++)
		s.ns[i] += p->before.ns[i];
	if (whole)
		s.waits += p->before.waits;
	return s;
}

static void turn(struct lru *table)
{
	for (struct list *l = table->order.next; l != &table->order; l = l->next) {
		struct waited_place *p =
			list_entry(list_entry(l, struct lru_node, order), struct waited_place, node);

		p->before = waited_sums(p, true);
		p->now = (struct waited_sums){0};
	}
}

void waited_turn(struct waited *w)
{
	turn(&w->files);
	turn(&w->systems);
}

uint64_t waited_time(const struct waited_place *p, const struct waited_search *s)
{
	struct waited_sums sums = waited_sums(p, s->whole);
	uint64_t ns = 0;

	if (s->process && (p->shared || p->process != s->process))
		return 0;
	if ((s->disk && p->disk != s->disk) || (s->dev && p->key.dev != s->dev))
		return 0;
	for (size_t i = 0; i < WAITED_MAX; i++)
		ns += s->kinds & 1u << i ? sums.ns[i] : 0;
	return ns;
}

/* Into the sorted list of the longest. */
static size_t insert(const struct waited_place **out, size_t found, size_t n, const struct waited_place *p,
		     const struct waited_search *s)
{
	uint64_t ns = waited_time(p, s);
	size_t i = found;

	if (!ns)
		return found;
	for (; i && ns > waited_time(out[i - 1], s); i--)
		if (i < n)
			out[i] = out[i - 1];
	if (i < n)
		out[i] = p;
	return found < n ? found + 1 : n;
}

size_t waited_longest(const struct lru *table, const struct waited_search *s, const struct waited_place **out,
		      size_t n)
{
	size_t found = 0;

	for (struct list *l = table->order.next; l != &table->order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);

		found = insert(out, found, n, list_entry(node, struct waited_place, node), s);
	}
	return found;
}
