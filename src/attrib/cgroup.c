// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups as CGROUP, CONTAINER and CGROUP_GONE events tell of them. A part of the model;
 * who asks are stats/account.c for each new kind of I/O and run.c for the end of a run.
 */
#include "attrib/cgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two trees' cgroups of one path are looked for by this; no padding. */
struct path_key {
	uint64_t tree;
	uint64_t hash;
};

void known_cgroup_unref(struct known_cgroup *c)
{
	if (!c || --c->refs)
		return;
	for (int kind = 0; kind < PLACE_KINDS; kind++)
		place_unref(c->in[kind]);
	known_cgroup_unref(c->same);
	free(c->path);
	free(c);
}

static struct path_key key_of(unsigned int tree, const char *path)
{
	return (struct path_key){.tree = tree, .hash = map_hash(path, strlen(path))};
}

static void forget_path(struct cgroup_table *t, const struct known_cgroup *c)
{
	struct path_key key;

	if (!c->path)
		return;
	key = key_of(IOLAT_CGROUP_TREE(c->pub.key), c->path);
	if (map_get(&t->paths, &key) == c)
		map_del(&t->paths, &key);
}

static void drop(void *ctx, struct lru_node *node)
{
	struct known_cgroup *c = list_entry(node, struct known_cgroup, node);

	forget_path(ctx, c);
	known_cgroup_unref(c);
}

void cgroups_init(struct cgroup_table *t, const struct selection *s)
{
	*t = (struct cgroup_table){.selection = s};
	lru_init(&t->ids, sizeof(uint64_t), offsetof(struct known_cgroup, pub.key), CGROUPS_LIMIT);
	t->ids.drop = drop;
	t->ids.ctx = t;
	map_init(&t->paths, sizeof(struct path_key));
	places_init(&t->places);
}

void cgroups_free(struct cgroup_table *t)
{
	lru_free(&t->ids);
	map_free(&t->paths);
	places_free(&t->places);
}

/* The cgroup of an id itself, whatever stands for it. */
static struct known_cgroup *get(struct cgroup_table *t, uint64_t key)
{
	struct known_cgroup *c = lru_get(&t->ids, &key);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->pub.key = key;
	c->refs = 1;
	if (lru_put(&t->ids, &c->node)) {
		free(c);
		return NULL;
	}
	return c;
}

struct known_cgroup *cgroups_get(struct cgroup_table *t, uint64_t key)
{
	struct known_cgroup *c = get(t, key);

	return c && c->same ? c->same : c;
}

struct known_cgroup *cgroups_find(struct cgroup_table *t, uint64_t key)
{
	struct known_cgroup *c = lru_get(&t->ids, &key);

	return c && c->same ? c->same : c;
}

static const struct known_place *place_of(struct cgroup_table *t, uint64_t key, enum place_kind kind)
{
	const struct known_cgroup *c = cgroups_find(t, key);

	return c ? c->in[kind] : NULL;
}

const struct container *cgroups_container_of(struct cgroup_table *t, uint64_t key)
{
	const struct known_place *p = place_of(t, key, PLACE_CONTAINER);

	return p ? &p->container : NULL;
}

const struct pod *cgroups_pod_of(struct cgroup_table *t, uint64_t key)
{
	const struct known_place *p = place_of(t, key, PLACE_POD);

	return p ? &p->pod : NULL;
}

const struct job *cgroups_job_of(struct cgroup_table *t, uint64_t key)
{
	const struct known_place *p = place_of(t, key, PLACE_JOB);

	return p ? &p->job : NULL;
}

/* --- one cgroup in two trees ------------------------------------------------------- */

static struct known_cgroup *find_path(const struct cgroup_table *t, unsigned int tree,
				      const char *path)
{
	struct path_key key = key_of(tree, path);
	struct known_cgroup *c = map_get(&t->paths, &key);

	return c && c->path && !strcmp(c->path, path) ? c : NULL;
}

static void stand_for(struct cgroup_table *t, struct known_cgroup *blkio, struct known_cgroup *memory)
{
	if (!blkio || !memory || memory->same == blkio)
		return;
	known_cgroup_unref(memory->same);
	memory->same = blkio;
	blkio->refs++;
	t->generation++;
}

static int join_trees(struct cgroup_table *t, struct known_cgroup *c)
{
	unsigned int tree = IOLAT_CGROUP_TREE(c->pub.key);
	struct path_key key = key_of(tree, c->path);

	if (tree == IOLAT_TREE_V2)
		return 0;
	if (tree == IOLAT_TREE_MEMORY)
		stand_for(t, find_path(t, IOLAT_TREE_BLKIO, c->path), c);
	else
		stand_for(t, c, find_path(t, IOLAT_TREE_MEMORY, c->path));
	return map_put(&t->paths, &key, c);
}

/* --- events ----------------------------------------------------------------------- */

int cgroups_path(struct cgroup_table *t, const struct iolat_cgroup *e)
{
	struct known_cgroup *c = get(t, e->cgroup);
	char *path;

	if (!c)
		return -ENOMEM;
	if (c->path && !strcmp(c->path, e->path))
		return 0;
	path = strdup(e->path);
	if (!path)
		return -ENOMEM;
	forget_path(t, c);
	free(c->path);
	c->pub.path = c->path = path;
	t->generation += select_has_cgroups(t->selection);
	return join_trees(t, c);
}

static void put_into(struct cgroup_table *t, struct known_cgroup *c, int kind, struct known_place *p)
{
	if (c->in[kind] == p)
		return;
	place_ref(p);
	place_unref(c->in[kind]);
	c->in[kind] = p;
	t->generation++;
}

int cgroups_container(struct cgroup_table *t, const struct iolat_container *e)
{
	struct known_cgroup *c = get(t, e->cgroup);
	struct known_place *in[PLACE_KINDS];
	bool changed = false;
	int err = c ? places_event(&t->places, e, in, &changed) : -ENOMEM;

	if (err)
		return err;
	t->generation += changed;
	for (int kind = 0; kind < PLACE_KINDS; kind++)
		put_into(t, c, kind, in[kind]);
	return 0;
}

/* One that a row names stays until the limit. */
static void forget(struct cgroup_table *t, uint64_t key)
{
	struct known_cgroup *c = map_get(&t->ids.map, &key);
	struct known_place *in[PLACE_KINDS];

	if (!c || !c->gone || c->refs > 1)
		return;
	memcpy(in, c->in, sizeof(in));
	for (int kind = 0; kind < PLACE_KINDS; kind++)
		place_ref(in[kind]);
	lru_drop(&t->ids, &c->node);
	for (int kind = 0; kind < PLACE_KINDS; kind++)
		places_forget(&t->places, kind, in[kind]);
}

void cgroups_gone(struct cgroup_table *t, const struct iolat_cgroup_gone *e)
{
	struct known_cgroup *c = lru_get(&t->ids, &e->cgroup);
	uint64_t *oldest = &t->gone[t->n_gone % CGROUPS_GONE];

	if (!c || c->gone)
		return;
	c->gone = true;
	forget(t, *oldest);
	*oldest = e->cgroup;
	t->n_gone++;
}

/* --- selections ------------------------------------------------------------------- */

bool cgroups_wanted(const struct cgroup_table *t, const struct known_cgroup *c)
{
	const struct known_place *container = c ? c->in[PLACE_CONTAINER] : NULL;
	const struct known_place *pod = c ? c->in[PLACE_POD] : NULL;
	const struct known_place *job = c ? c->in[PLACE_JOB] : NULL;

	if (select_has_cgroups(t->selection) && !select_wants_cgroup(t->selection, c ? c->path : NULL))
		return false;
	return select_wants_place(t->selection, container ? &container->container : NULL,
				  pod ? &pod->pod : NULL, job ? &job->job : NULL);
}

bool cgroups_any_selected(const struct cgroup_table *t,
			  bool (*each)(void *ctx, const struct known_cgroup *c), void *ctx)
{
	const struct known_cgroup *c;

	if (!select_has_places(t->selection))
		return false;
	for (size_t i = 0; (c = map_next(&t->ids.map, &i, NULL));)
		if (cgroups_wanted(t, c) && each(ctx, c))
			return true;
	return false;
}

void cgroups_each_living(const struct cgroup_table *t,
			 void (*each)(void *ctx, const struct known_cgroup *c), void *ctx)
{
	const struct known_cgroup *c;

	for (size_t i = 0; (c = map_next(&t->ids.map, &i, NULL));)
		if (!c->gone)
			each(ctx, c);
}
