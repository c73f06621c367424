/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Host facts join the stream of kernel events the moment they are learnt: the run's own,
 * the tasks and cgroups at the start, a cgroup's path, its container's name and a disk's
 * properties at first sight, and the counters. After this a stream needs no host any more.
 */
#ifndef IOLAT_COLLECT_FACTS_H
#define IOLAT_COLLECT_FACTS_H

#include <stdint.h>

#include "collect/cgroupfs.h"
#include "collect/tracer.h"

struct facts;

/* Starts a stream that ends in `sink` (borrowed, as the others). 0 or -ENOMEM. */
int facts_new(struct facts **out, struct tracer *t, const struct cgroupfs *cgroups,
	      const struct sink *sink);
void facts_free(struct facts *f);

/* After attaching: the run, its hooks, every task; the disks' counts begin here, so that none can be ahead
 * of what is seen. `knobs` as given to the tracer. 0 or -errno. */
int facts_begin(struct facts *f, const struct iolat_knobs *knobs, bool records);

/* Instead of facts_begin(): a second stream of the leader's tracer, which begins now. It gets every event that the
 * leader gets, and stops by itself after an error of its sink. One at a time; the leader must live longer. What is counted
 * goes on where `before`, NULL or another stream of that tracer, told it last. 0 or -errno. */
int facts_follow(struct facts *f, struct facts *leader, const struct facts *before, const struct iolat_knobs *knobs);

/* A sink for tracer_drain: passes events on, with the facts they need before them. */
struct sink facts_sink(struct facts *f);

/* Before the rings are read, which tell of more processes than /proc may be read for at once. */
void facts_turn(struct facts *f);

/* The counters and the disks' counts as of now; before each frame. 0 or -errno. */
int facts_counters(struct facts *f);

/* Before detaching: the disks' counts end here, for the same reason. Disks whose count grew without any
 * event are reported now. 0 or -errno. */
int facts_freeze(struct facts *f);

#endif
