/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How complete the numbers are: what was counted, what the kernel side lost, and for
 * each disk what passed against the kernel's own count. Kept as totals of the run; an
 * interval is the difference from the totals at its start.
 */
#ifndef IOLAT_STATS_COVERAGE_H
#define IOLAT_STATS_COVERAGE_H

#include "attrib/model.h"
#include "stats/snapshot.h"

struct disk_tally {
	uint64_t streamed, unselected, kernel;
};

struct disk_cover {
	struct lru_node node;
	uint32_t number;
	struct known_disk *disk; /* referenced */
	struct disk_tally now, before;
};

struct cover {
	struct tally now, before;
	uint64_t refused;	/* events that did not decode: lost, too */
	bool missed_known;
	struct lru disks;
	uint64_t forgotten;	    /* grows whenever a disk_cover has become invalid */
	struct coverage_disk *list; /* of the snapshot */
};

void cover_init(struct cover *c);
void cover_free(struct cover *c);

/* A disk's counts, made when it is new; NULL when out of memory. */
struct disk_cover *cover_disk(struct cover *c, struct model *m, uint32_t number);

void cover_refused(struct cover *c); /* an event did not decode */
/* 0 or -ENOMEM. */
int cover_facts(struct cover *c, struct model *m, const struct iolat_disk_facts *e);
void cover_counters(struct cover *c, const struct iolat_counters *e);

/* Describes the run, or the time since cover_turn(); 0 or -ENOMEM. */
int cover_describe(struct cover *c, bool interval, struct coverage *out);
void cover_turn(struct cover *c); /* a new interval starts */

#endif
