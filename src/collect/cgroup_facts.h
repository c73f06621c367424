/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is learnt of cgroups, once each, as events: their paths, and the containers, pods
 * and jobs that they are of, by name. A part of facts.h.
 */
#ifndef IOLAT_COLLECT_CGROUP_FACTS_H
#define IOLAT_COLLECT_CGROUP_FACTS_H

#include <stdint.h>

#include "collect/cgroupfs.h"
#include "collect/tracer.h"

struct cgroup_facts;

/* Events go to `sink`. Both are borrowed. 0 or -ENOMEM. */
int cgroup_facts_new(struct cgroup_facts **out, const struct cgroupfs *cgroups, const struct sink *sink);
void cgroup_facts_free(struct cgroup_facts *f);

/* Every cgroup that there is. 0 or what the sink returns, as all below. */
int cgroup_facts_begin(struct cgroup_facts *f);

/* A cgroup that I/O is of; `tgid` is a process in it, 0: none known. */
int cgroup_facts_see(struct cgroup_facts *f, uint64_t key, uint32_t tgid);

/* The kernel side's word on one that was made. */
int cgroup_facts_made(struct cgroup_facts *f, const struct iolat_cgroup *e);

/* One was removed: I/O of it may still end. */
void cgroup_facts_gone(struct cgroup_facts *f, uint64_t key);

/* What could not be told so far may have been asked too early: tries again, once a frame. */
int cgroup_facts_retry(struct cgroup_facts *f);

#endif
