// SPDX-License-Identifier: GPL-2.0
/*
 * From a process to its worker: settles what the process is, finds the one that it works
 * for among its ancestors, and the worker by loader, index and rank.
 */
#include "attrib/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "attrib/identity.h"

#define DEPTH_LIMIT 64 /* generations that are asked */
#define NO_RANK	    UINT32_MAX

void worker_ref(struct known_worker *w)
{
	w->refs++;
}

void worker_unref(struct known_worker *w)
{
	if (--w->refs == 0)
		free(w);
}

static void drop(void *ctx, struct lru_node *node)
{
	worker_unref(list_entry(node, struct known_worker, node));
}

void workers_init(struct workers *w)
{
	w->serial = 0;
	lru_init(&w->table, sizeof(struct worker_key), offsetof(struct known_worker, key), WORKERS);
	w->table.drop = drop;
}

void workers_free(struct workers *w)
{
	lru_free(&w->table);
}

static void put_name(struct worker *w)
{
	char rank[24] = "";

	if (w->rank_known)
		snprintf(rank, sizeof(rank), "rank %" PRIu32 " ", w->rank);
	snprintf(w->name, sizeof(w->name), "%sw%" PRIu32, rank, w->index);
}

static struct known_worker *make(struct workers *w, const struct worker_key *key)
{
	struct known_worker *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->key = *key;
	k->serial = ++w->serial;
	k->refs = 1;
	k->pub.index = key->index;
	k->pub.rank_known = key->rank != NO_RANK;
	k->pub.rank = k->pub.rank_known ? key->rank : 0;
	put_name(&k->pub);
	if (lru_put(&w->table, &k->node)) {
		free(k);
		return NULL;
	}
	return k;
}

/* The latest process that was asked for speaks for the worker. */
static void speak(struct known_worker *k, const struct proc *p)
{
	if (p->begun_ns < k->latest_ns)
		return;
	k->latest_ns = p->begun_ns;
	k->pub.pid = p->pub.pid;
	k->pub.role = p->pub.role;
}

static int get(struct workers *w, const struct proc *p, struct known_worker **out)
{
	struct worker_key key = {
		.loader = p->brood.loader,
		.index = p->pub.index,
		.rank = p->pub.rank_known ? p->pub.rank : NO_RANK,
	};
	struct known_worker *k = lru_get(&w->table, &key);

	if (!k)
		k = make(w, &key);
	if (!k)
		return -ENOMEM;
	speak(k, p);
	*out = k;
	return 0;
}

int worker_of(struct workers *w, struct proc_table *t, struct proc *p, struct known_worker **out)
{
	*out = NULL;
	for (int depth = 0; p && depth < DEPTH_LIMIT; depth++) {
		p->asked = true;
		identity_settle(t, p);
		brood_place(t, p);
		if (p->pub.index_known)
			return get(w, p, out);
		if (role_is_shared(p->pub.role))
			return 0;
		p = proc_parent(t, p);
	}
	return 0;
}
