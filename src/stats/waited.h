/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where tasks waited: time by file and by file system, for the findings. Fed by tasks.c with each part of a wait
 * whose reason is known.
 */
#ifndef IOLAT_STATS_WAITED_H
#define IOLAT_STATS_WAITED_H

#include "attrib/files.h"
#include "stats/snapshot.h"

enum waited_limits {
	WAITED_FILES = 10000, /* the longest unused goes */
	WAITED_SYSTEMS = 256,
};

/* What time is kept by: the reasons, and what the call was, whatever the reason. */
enum { WAITED_SYNC = REASON_MAX, WAITED_DIRTY, WAITED_MAX };

struct waited_sums {
	uint64_t ns[WAITED_MAX];
	uint64_t waits;
};

/* A file, or (inode 0) a file system as a whole. */
struct waited_place {
	struct lru_node node;
	struct file_key key;
	struct known_file *file; /* referenced, or NULL */
	struct known_fs *fs;	 /* referenced, or NULL */
	uint64_t process;	 /* serial of who waited first */
	bool shared;		 /* others waited there, too */
	uint32_t disk;		 /* of the last wait for one; 0: not known */
	struct waited_sums now, before;
};

struct waited {
	struct files *known;
	struct lru files, systems;
};

void waited_init(struct waited *w, struct files *known);
void waited_free(struct waited *w);

/* Time of a wait. */
struct waited_part {
	struct file_key place;	/* dev 0: not known */
	uint64_t process;	/* serial */
	uint32_t disk;		/* as in events; 0: not known, or none */
	unsigned int kind;	/* a reason, or WAITED_SYNC, ... */
	uint64_t ns;
	bool ended;		/* that was all of it */
};
int waited_add(struct waited *w, const struct waited_part *part); /* 0 or -ENOMEM */

/* Time that turned out to be of another reason. */
void waited_move(struct waited *w, const struct file_key *key, enum wait_reason from, enum wait_reason to,
		 uint64_t ns);

void waited_turn(struct waited *w); /* a new interval starts */

struct waited_sums waited_sums(const struct waited_place *p, bool whole);

/* What to look for among places. */
struct waited_search {
	unsigned int kinds;	/* bit a kind */
	bool whole;		/* the run, not the interval */
	uint64_t process;	/* only where nobody else waited; 0: wherever */
	uint32_t disk;		/* only what that disk was waited for; 0: any */
	uint64_t dev;		/* only on that file system; 0: any */
};

uint64_t waited_time(const struct waited_place *p, const struct waited_search *s);

/* The (up to) `n` places of a table where was waited longest, the longest first; how many. */
size_t waited_longest(const struct lru *table, const struct waited_search *s, const struct waited_place **out,
		      size_t n);

#endif
