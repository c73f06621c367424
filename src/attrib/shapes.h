/* SPDX-License-Identifier: GPL-2.0 */
/* The table of cgroup shapes: a row a runtime's way to name its cgroups. */
#ifndef IOLAT_ATTRIB_SHAPES_H
#define IOLAT_ATTRIB_SHAPES_H

#include <stddef.h>

#include "attrib/cgpath.h"

enum shape_flags {
	SHAPE_CONTAINER = 1 << 0, /* its id is a container's */
	SHAPE_HELPER = 1 << 1,	  /* a process beside the container */
	SHAPE_UNIT = 1 << 2,	  /* the host's own: holds only outside of anything else, the last one wins */
	SHAPE_WEAK = 1 << 3,	  /* such a one that a stronger one before it outdoes */
	SHAPE_ROOT = 1 << 4,	  /* only at the beginning of the path */
	SHAPE_LAST = 1 << 5,	  /* only at its end */
	SHAPE_IN_POD = 1 << 6,	  /* only inside a pod that no container was seen in yet */
	SHAPE_IN_USER = 1 << 7,	  /* only inside a user's slice */
	SHAPE_NAMED = 1 << 8,	  /* the label behind its ':' is the name */
	SHAPE_GUESS = 1 << 9,	  /* see cgpath.by_shape */
};

struct shape {
	const char *pattern; /* pattern.h */
	const char *runtime;
	const char *label; /* %i id, cut to 12; %n id, a hex one cut to 12; %p pod and %j job, cut to
			      8; %J job; %s step; %t text; %u user; the rest stands for itself */
	enum cgpath_engine engine;
	unsigned int flags;
};

/* The i-th row, NULL behind the last. Of several that match at one place the first holds. */
const struct shape *shape_at(size_t i);

#endif
