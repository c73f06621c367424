// SPDX-License-Identifier: GPL-2.0
/*
 * The bounded table: a map for finding, a list for the order of use. It owns neither
 * keys nor members; `drop` says what happens to one that leaves.
 */
#include "attrib/lru.h"

#include <errno.h>

void lru_init(struct lru *l, size_t key_len, size_t key_at, size_t limit)
{
	*l = (struct lru){.key_at = key_at, .limit = limit};
	map_init(&l->map, key_len);
	list_init(&l->order);
}

static const void *key_of(const struct lru *l, const struct lru_node *node)
{
	return (const char *)node + l->key_at;
}

void lru_drop(struct lru *l, struct lru_node *node)
{
	map_del(&l->map, key_of(l, node));
	list_del(&node->order);
	if (l->drop)
		l->drop(l->ctx, node);
}

void lru_trim(struct lru *l, size_t n)
{
	while (l->map.count > n)
		lru_drop(l, list_entry(l->order.next, struct lru_node, order));
}

void lru_free(struct lru *l)
{
	lru_trim(l, 0);
	map_free(&l->map);
}

void *lru_get(struct lru *l, const void *key)
{
	struct lru_node *node = map_get(&l->map, key);

	if (!node)
		return NULL;
	list_del(&node->order);
	list_add(&l->order, &node->order);
	return node;
}

int lru_put(struct lru *l, struct lru_node *node)
{
	int err = map_put(&l->map, key_of(l, node), node);

	if (err)
		return err;
	list_add(&l->order, &node->order);
	lru_trim(l, l->limit);
	return 0;
}
