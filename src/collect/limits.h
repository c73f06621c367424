/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cgroups may do on disks: io.max of v2, blkio.throttle.* of v1, of a cgroup and all above it. They
 * join the stream as LIMIT events: at first sight, and again when they change.
 */
#ifndef IOLAT_COLLECT_LIMITS_H
#define IOLAT_COLLECT_LIMITS_H

#include <stdint.h>

#include "collect/cgroupfs.h"
#include "collect/tracer.h"

struct limits;

/* `cgroups` and `sink` are borrowed. NULL: out of memory. */
struct limits *limits_new(const struct cgroupfs *cgroups, const struct sink *sink);
void limits_free(struct limits *l);	/* l may be NULL */

/* Reads the limits of a cgroup unless it is known already; 0 or what the sink says, -ENOMEM. */
int limits_know(struct limits *l, uint64_t cgroup);

/* Reads those of the cgroups that were asked for since the last time again. 0 or as above. */
int limits_update(struct limits *l);

#endif
