// SPDX-License-Identifier: GPL-2.0
/*
 * Asks cgroupfs.c for paths and names.c for names, at the first sight of a cgroup while it
 * most likely still exists, and remembers only whether it has to ask again.
 */
#include "collect/cgroup_facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "collect/names.h"

#define MAX_CGROUPS 65536 /* known ids before the set is started anew */
#define GONE	    4096  /* removed ones that are remembered */
#define TRIES	    20	  /* for a name that is not there yet */

/* What is known of an id: everything, or what is still open. */
static const char all_known, no_path;
#define KNOWN	((void *)&all_known)
#define NO_PATH ((void *)&no_path)

struct nameless {
	unsigned int tries;
	uint32_t tgid; /* a process that was seen in it, 0: none */
	uint64_t told; /* hash of what was told of it last, 0: nothing */
	char path[];
};

struct cgroup_facts {
	const struct cgroupfs *cgroups;
	struct sink sink;
	struct names_host host;
	struct names_daemons daemons;
	struct map ids; /* KNOWN, NO_PATH or struct nameless */
	uint64_t last;	/* the id seen last, if it is known */
	uint64_t gone[GONE]; /* the last ones that were removed, 0: none */
	size_t n_gone;	     /* so far */
};

int cgroup_facts_new(struct cgroup_facts **out, const struct cgroupfs *cgroups, const struct sink *sink)
{
	struct cgroup_facts *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return -ENOMEM;
	f->cgroups = cgroups;
	f->sink = *sink;
	f->host.pids = cgroups->host_pids;
	f->host.daemons = &f->daemons;
	hostfs_open(&f->host.fs, cgroups->root); /* without it nothing has a name */
	map_init(&f->ids, sizeof(uint64_t));
	return 0;
}

static void forget(void *state)
{
	if (state != KNOWN && state != NO_PATH)
		free(state);
}

static void forget_all(struct cgroup_facts *f)
{
	void *state;

	for (size_t i = 0; (state = map_next(&f->ids, &i, NULL));)
		forget(state);
	map_clear(&f->ids);
}

void cgroup_facts_free(struct cgroup_facts *f)
{
	if (!f)
		return;
	forget_all(f);
	map_free(&f->ids);
	hostfs_close(&f->host.fs);
	free(f);
}

static int set(struct cgroup_facts *f, uint64_t key, void *state)
{
	void *old = map_get(&f->ids, &key);
	int err = 0;

	if (!old && f->ids.count >= MAX_CGROUPS)
		forget_all(f);
	if (old != state)
		err = map_put(&f->ids, &key, state);
	if (!err && old && old != state)
		forget(old);
	return err;
}

/* --- events ----------------------------------------------------------------------- */

static int send(struct cgroup_facts *f, const void *event, size_t size)
{
	return f->sink.event(f->sink.ctx, event, size);
}

static int send_path(struct cgroup_facts *f, uint64_t key, const char *path)
{
	size_t size = sizeof(struct iolat_cgroup) + strlen(path) + 1;
	struct iolat_cgroup *e = calloc(1, size);
	int err;

	if (!e)
		return -ENOMEM;
	e->head.kind = IOLAT_EV_CGROUP;
	e->head.size = size;
	e->cgroup = key;
	memcpy(e->path, path, strlen(path) + 1);
	err = send(f, e, size);
	free(e);
	return err;
}

/* A job's other id, where a file has told of it: rows have the number. */
static void job_texts(const struct cgpath *c, const struct names *n, const char *texts[IOLAT_TEXT_MAX])
{
	bool other = n->job[0] && strcmp(n->job, c->job);

	texts[IOLAT_TEXT_JOB] = other ? n->job : c->job;
	texts[IOLAT_TEXT_JOB_STEP] = c->step;
	texts[IOLAT_TEXT_JOB_ALIAS] = other ? c->job : "";
}

static bool has_container(const struct cgpath *c, const struct names *n)
{
	return (c->container && !(c->by_shape && !n->source[0])) || n->id[0];
}

static void container_texts(const struct cgpath *c, const struct names *n,
			    const char *texts[IOLAT_TEXT_MAX])
{
	if (!has_container(c, n))
		return;
	texts[IOLAT_TEXT_RUNTIME] = c->container ? c->container : c->runtime;
	texts[IOLAT_TEXT_ID] = n->id[0] ? n->id : c->id;
	texts[IOLAT_TEXT_NAME] = n->name;
	texts[IOLAT_TEXT_IMAGE] = n->image;
	texts[IOLAT_TEXT_LABEL] = c->label;
	texts[IOLAT_TEXT_SOURCE] = n->source;
}

/* Unless it is what was `told` last. */
static int send_texts(struct cgroup_facts *f, uint64_t key, bool helper,
		      const char *const texts[IOLAT_TEXT_MAX], uint64_t *told)
{
	_Alignas(8) char buf[8192];
	struct iolat_container *e = (void *)buf;
	size_t size = sizeof(*e);
	uint64_t before = *told;

	*e = (struct iolat_container){.flags = helper ? IOLAT_CONTAINER_HELPER : 0, .cgroup = key};
	for (size_t i = 0; i < IOLAT_TEXT_MAX; i++) {
		const char *text = texts[i] ? texts[i] : "";

		if (size + strlen(text) + 1 > sizeof(buf) - IOLAT_TEXT_MAX)
			text = "";
		memcpy(buf + size, text, strlen(text) + 1);
		size += strlen(text) + 1;
	}
	e->head = (struct iolat_head){IOLAT_EV_CONTAINER, size};
	*told = map_hash(e, size);
	return *told == before ? 0 : send(f, e, size);
}

static int send_container(struct cgroup_facts *f, uint64_t key, const struct cgpath *c,
			  const struct names *n, uint64_t *told)
{
	const char *texts[IOLAT_TEXT_MAX] = {
		[IOLAT_TEXT_POD_NAMESPACE] = n->pod_namespace,
		[IOLAT_TEXT_POD_NAME] = n->pod_name,
		[IOLAT_TEXT_POD_UID] = c->pod_uid[0] ? c->pod_uid : n->pod_uid,
	};

	container_texts(c, n, texts);
	job_texts(c, n, texts);
	if (!texts[IOLAT_TEXT_RUNTIME] && !*texts[IOLAT_TEXT_POD_UID] && !*texts[IOLAT_TEXT_JOB])
		return 0;
	return send_texts(f, key, c->helper, texts, told);
}

/* --- first sight -------------------------------------------------------------------- */

static struct nameless *nameless_new(const char *path, uint32_t tgid, uint64_t told)
{
	struct nameless *n = malloc(sizeof(*n) + strlen(path) + 1);

	if (!n)
		return NULL;
	n->tries = 1;
	n->tgid = tgid;
	n->told = told;
	memcpy(n->path, path, strlen(path) + 1);
	return n;
}

/* *named: there is no more to be learnt. */
static int name(struct cgroup_facts *f, uint64_t key, const char *path, uint32_t tgid, bool *named, uint64_t *told)
{
	struct names names;
	struct cgpath what;

	*named = names_resolve(&f->host, path, tgid, &what, &names);
	return send_container(f, key, &what, &names, told);
}

/* `telling`: the path that it is to be named by. */
static int know_as(struct cgroup_facts *f, uint64_t key, const char *path, const char *telling,
		   uint32_t tgid)
{
	uint64_t told = 0;
	bool named;
	int err = send_path(f, key, path) ?: name(f, key, telling, tgid, &named, &told);
	struct nameless *n;

	if (err)
		return err;
	if (named)
		return set(f, key, KNOWN);
	n = nameless_new(telling, tgid, told);
	return n ? set(f, key, n) : -ENOMEM;
}

static int know(struct cgroup_facts *f, uint64_t key, const char *path, uint32_t tgid)
{
	return know_as(f, key, path, path, tgid);
}

/* The blkio tree's cgroup of the same path is the one that rows are by; it has to be known, too. */
static int know_twin(struct cgroup_facts *f, uint64_t key, const char *path)
{
	uint64_t twin;

	if (IOLAT_CGROUP_TREE(key) != IOLAT_TREE_MEMORY)
		return 0;
	twin = cgroupfs_key(f->cgroups, IOLAT_TREE_BLKIO, path);
	return twin && !map_get(&f->ids, &twin) ? know(f, twin, path, 0) : 0;
}

/* What cannot be looked up (any more) may still be in the file of a process in it. */
static int resolve_by_task(struct cgroup_facts *f, uint64_t key, uint32_t tgid)
{
	AUTO_FREE char *path = NULL, *telling = NULL;

	if (tgid) {
		path = cgroupfs_path_of_task(f->cgroups, IOLAT_CGROUP_TREE(key), tgid);
		telling = cgroupfs_telling_path_of_task(f->cgroups, tgid);
	}
	return path ? know_as(f, key, path, telling ? telling : path, tgid) : set(f, key, NO_PATH);
}

static int resolve(struct cgroup_facts *f, uint64_t key, uint32_t tgid)
{
	AUTO_FREE char *path = cgroupfs_path(f->cgroups, key);

	if (!path)
		return resolve_by_task(f, key, tgid);
	return know_twin(f, key, path) ?: know(f, key, path, tgid);
}

/* A name may only be known to a process in it (a job's), so another one is worth another try. */
static int ask_again(struct cgroup_facts *f, uint64_t key, struct nameless *n, uint32_t tgid)
{
	bool named = ++n->tries > TRIES;
	int err = 0;

	if (tgid)
		n->tgid = tgid;
	if (!named)
		err = name(f, key, n->path, n->tgid, &named, &n->told);
	return err || !named ? err : set(f, key, KNOWN);
}

int cgroup_facts_see(struct cgroup_facts *f, uint64_t key, uint32_t tgid)
{
	void *state;

	if (!key || key == f->last)
		return 0;
	state = map_get(&f->ids, &key);
	f->last = key;
	if (!state)
		return resolve(f, key, tgid);
	if (state == KNOWN || state == NO_PATH)
		return 0;
	if (((struct nameless *)state)->tgid == tgid)
		return 0;
	return ask_again(f, key, state, tgid);
}

int cgroup_facts_made(struct cgroup_facts *f, const struct iolat_cgroup *e)
{
	if (!e->path[0])
		return resolve(f, e->cgroup, 0);
	return know_twin(f, e->cgroup, e->path) ?: know(f, e->cgroup, e->path, 0);
}

void cgroup_facts_gone(struct cgroup_facts *f, uint64_t key)
{
	uint64_t *oldest = &f->gone[f->n_gone++ % GONE];
	void *state = map_get(&f->ids, oldest);

	if (state) {
		map_del(&f->ids, oldest);
		forget(state);
	}
	*oldest = key;
}

int cgroup_facts_retry(struct cgroup_facts *f)
{
	const void *key;
	void *state;
	int err = 0;

	f->last = 0;
	for (size_t i = 0; !err && (state = map_next(&f->ids, &i, &key));) {
		if (state == NO_PATH)
			map_del(&f->ids, key);
		else if (state != KNOWN)
			err = ask_again(f, *(const uint64_t *)key, state, 0);
	}
	return err;
}

/* --- the start ---------------------------------------------------------------------- */

static int know_standing(void *ctx, uint64_t key, const char *path)
{
	struct cgroup_facts *f = ctx;

	if (f->ids.count >= MAX_CGROUPS / 2 || map_get(&f->ids, &key))
		return 0;
	return know(f, key, path, 0);
}

int cgroup_facts_begin(struct cgroup_facts *f)
{
	int err = 0;

	for (unsigned int tree = 0; !err && tree < IOLAT_TREE_MAX; tree++)
		if (cgroupfs_used(f->cgroups, tree))
			err = cgroupfs_each(f->cgroups, tree, know_standing, f);
	return err;
}
