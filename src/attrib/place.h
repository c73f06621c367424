/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Containers, pods and jobs, each kept once however many cgroups it has: a container is a
 * runtime and an id, so on v1 hosts the cgroups of its several trees are one container.
 */
#ifndef IOLAT_ATTRIB_PLACE_H
#define IOLAT_ATTRIB_PLACE_H

#include "attrib/cgpath.h"
#include "attrib/entity.h"
#include "attrib/lru.h"

enum place_kind { PLACE_CONTAINER, PLACE_POD, PLACE_JOB, PLACE_KINDS };

enum { PLACES_LIMIT = 16384 }; /* of each kind */

struct place_key {
	char kind[40]; /* runtime or step */
	char id[CGPATH_ID];
};

/* Counted references: the table's own, the cgroups' and the rows'. */
struct known_place {
	struct lru_node node;
	struct place_key key;
	uint64_t serial; /* never used twice in a run */
	unsigned int refs;
	union {
		struct container container;
		struct pod pod;
		struct job job;
	};
	char *text; /* of the event that it was made from; its strings point into it */
	size_t size;
};

struct places {
	struct lru kinds[PLACE_KINDS];
	uint64_t serial;
};

void places_init(struct places *p);
void places_free(struct places *p);

/* What the event says, each made when it is new or brought up to date; NULL where it says there is
 * none. `changed` is set if an earlier answer differs. The caller refs what it keeps. 0 or -ENOMEM. */
int places_event(struct places *p, const struct iolat_container *e,
		 struct known_place *out[PLACE_KINDS], bool *changed);

/* Gives back a reference to one of a kind (NULL is fine), and forgets it if then only the table refers to it. The table may
 * have forgotten it before. */
void places_forget(struct places *p, enum place_kind kind, struct known_place *place);

void place_ref(struct known_place *p);	/* NULL is fine, as below */
void place_unref(struct known_place *p);

#endif
