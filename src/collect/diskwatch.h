/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The disks of a run, for facts.c: what each one is, and what the kernel counted on it
 * beside what was seen. Holds only disks that exist; one that is gone leaves with a last
 * word.
 */
#ifndef IOLAT_COLLECT_DISKWATCH_H
#define IOLAT_COLLECT_DISKWATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/tracer.h"

struct diskwatch {
	struct tracer *tracer;
	struct map disks;	/* by number */
	struct map by_dev;	/* the same by major and minor, where they have one */
	struct map baselines;	/* by major and minor: the counts when the run began */
	uint64_t round;		/* of counting */
	bool told;		/* the kernel told the counts of the last round */
	bool frozen;		/* counts stay as they are */
	bool follows;		/* another one, which outlives it, has the tracer forget disks that are gone */
};

void diskwatch_init(struct diskwatch *w, struct tracer *t);
void diskwatch_free(struct diskwatch *w);

/* The counts of all disks begin here, or where `before`, of the same tracer, told them last. NULL: there is none. */
void diskwatch_begin(struct diskwatch *w, const struct diskwatch *before);

/* Passes a DISK event on, with facts behind it when the disk is new. 0 or -errno. */
int diskwatch_disk(struct diskwatch *w, const struct iolat_disk *e, const struct sink *sink);

/* Tells of a disk that no event has named yet, by its numbers, where the kernel has diskseq (5.15). 0 or
 * -errno. */
int diskwatch_introduce(struct diskwatch *w, uint32_t major, uint32_t minor, const struct sink *sink);

/* Follows `other`, of the same tracer: tells of the disks that it knows, as of now, or as of what `before` told last. 0 or
 * -errno. */
int diskwatch_copy(struct diskwatch *w, const struct diskwatch *other, const struct diskwatch *before,
		   const struct sink *sink);

/* Passes on the facts that have changed. 0 or -errno. */
int diskwatch_report(struct diskwatch *w, const struct sink *sink);

/* The counts end here. Disks that counted something without any event are reported. 0 or -errno. */
int diskwatch_freeze(struct diskwatch *w, const struct sink *sink);

#endif
