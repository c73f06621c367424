/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table that forgets: members are found by a key inside them, and beyond a limit
 * the one that was not asked for the longest goes. It keeps every table that a
 * stream of events fills (cgroups, disks, names) bounded.
 */
#ifndef IOLAT_ATTRIB_LRU_H
#define IOLAT_ATTRIB_LRU_H

#include "attrib/list.h"
#include "base/map.h"

/* Stands first in every member. */
struct lru_node {
	struct list order;
};

struct lru {
	struct map map;
	struct list order; /* the longest unused first */
	size_t key_at;	   /* the key's offset in a member */
	size_t limit;
	void (*drop)(void *ctx, struct lru_node *node); /* a member left the table */
	void *ctx;					/* of drop */
};

void lru_init(struct lru *l, size_t key_len, size_t key_at, size_t limit);
void lru_free(struct lru *l); /* drops every member */

void *lru_get(struct lru *l, const void *key); /* the member, now the youngest, or NULL */

/* Adds a member whose key is set and in no member yet; may drop the oldest. 0 or -ENOMEM. */
int lru_put(struct lru *l, struct lru_node *node);

void lru_trim(struct lru *l, size_t n); /* drops the oldest beyond n */
void lru_drop(struct lru *l, struct lru_node *node); /* a member */

#endif
