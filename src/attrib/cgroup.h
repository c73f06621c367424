/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of cgroups, by their ids in events: paths, and the container, pod and job
 * that each is in. On v1 hosts an I/O's cgroup is of the blkio tree, or of the memory tree
 * where its data decides; cgroups of the same path in both are one here, the blkio tree's.
 */
#ifndef IOLAT_ATTRIB_CGROUP_H
#define IOLAT_ATTRIB_CGROUP_H

#include "attrib/place.h"
#include "attrib/select.h"

enum {
	CGROUPS_LIMIT = 65536,
	CGROUPS_GONE = 4096, /* removed ones that are remembered: their I/O may end later */
};

/* Counted references: the table's own, the rows', and that of a `same`. */
struct known_cgroup {
	struct lru_node node;
	struct cgroup pub;
	char *path;
	unsigned int refs;
	bool gone;			     /* it was removed */
	struct known_cgroup *same;	     /* stands for this one; referenced, or NULL */
	struct known_place *in[PLACE_KINDS]; /* referenced, or NULL */
};

struct cgroup_table {
	struct lru ids;
	struct map paths; /* of v1 trees: by tree and hash of the path */
	struct places places;
	uint64_t gone[CGROUPS_GONE]; /* the last ones that were removed, 0: none */
	size_t n_gone;		     /* so far */
	const struct selection *selection;
	uint64_t generation; /* grows whenever an earlier answer may come out differently */
};

void cgroups_init(struct cgroup_table *t, const struct selection *s);
void cgroups_free(struct cgroup_table *t);

/* 0 or -ENOMEM. */
int cgroups_path(struct cgroup_table *t, const struct iolat_cgroup *e);
int cgroups_container(struct cgroup_table *t, const struct iolat_container *e);
void cgroups_gone(struct cgroup_table *t, const struct iolat_cgroup_gone *e);

/* The cgroup that stands for an id, made when it is new; NULL: out of memory. */
struct known_cgroup *cgroups_get(struct cgroup_table *t, uint64_t key);

/* The same if it is known; NULL: it is not. */
struct known_cgroup *cgroups_find(struct cgroup_table *t, uint64_t key);

/* The container, pod or job that a cgroup is known to be of, or NULL. */
const struct container *cgroups_container_of(struct cgroup_table *t, uint64_t key);
const struct pod *cgroups_pod_of(struct cgroup_table *t, uint64_t key);
const struct job *cgroups_job_of(struct cgroup_table *t, uint64_t key);

/* Whether the selection takes what a cgroup (NULL: none) does, by its container, pod and job. */
bool cgroups_wanted(const struct cgroup_table *t, const struct known_cgroup *c);

/* Calls `each` for every cgroup that a selection by container, pod or job takes, until it returns
 * true, which is returned. */
bool cgroups_any_selected(const struct cgroup_table *t,
			  bool (*each)(void *ctx, const struct known_cgroup *c), void *ctx);

/* Calls `each` for every known cgroup that was not removed. */
void cgroups_each_living(const struct cgroup_table *t,
			 void (*each)(void *ctx, const struct known_cgroup *c), void *ctx);

void known_cgroup_unref(struct known_cgroup *c);

#endif
