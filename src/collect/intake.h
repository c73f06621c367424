/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rings read as one stream: a request comes after the facts that it needs, and those
 * of several rings in the order in which they ended.
 */
#ifndef IOLAT_COLLECT_INTAKE_H
#define IOLAT_COLLECT_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/ring.h"
#include "collect/sink.h"

struct intake {
	struct ring facts;
	struct ring *requests;
	size_t n;			/* of them */
	uint64_t facts_until;		/* CLOCK_MONOTONIC: facts are read up to here */
	uint64_t marked_ns;		/* and those up to the mark of their ring up to here */
	double fullest;			/* see intake_fullest() */
};

/* `s` is zeroed. Maps the ring of facts and room for n rings of requests, which intake_add() maps.
 * 0 or -errno; intake_close() in any case. */
int intake_open(struct intake *s, int facts_fd, size_t facts_size, size_t n);
int intake_add(struct intake *s, int fd, size_t size);
void intake_close(struct intake *s);

/* Passes on what has come by now, up to `most` events, facts or requests. 1 when that was not all, 0, or -errno. */
int intake_drain(struct intake *s, const struct sink *sink, size_t most);

/* The same from where the last drain stopped to where it was to go. */
int intake_facts(struct intake *s, const struct sink *sink); /* just these; 0 or -errno */
int intake_go_on(struct intake *s, const struct sink *sink, size_t most);

/* How full (0 to 1) the fullest ring has been at a drain since the last call. */
double intake_fullest(struct intake *s);

#endif
