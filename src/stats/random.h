/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How random the access of each process to each disk is: the distance of each request
 * from the end of the one before. Requests arrive in the order of their completion, so
 * a window of them is brought back into the order of submission first.
 */
#ifndef IOLAT_STATS_RANDOM_H
#define IOLAT_STATS_RANDOM_H

#include "attrib/lru.h"
#include "stats/rows.h"

enum random_limits {
	RANDOM_STREAMS = 16384,
	RANDOM_WINDOW = 64, /* requests that may overtake one another */
	RANDOM_FAR = 256,   /* sectors: 128 KiB */
};

/* Whose requests follow one another; unused parts are 0, no padding. */
struct stream_key {
	uint64_t process; /* serial; else cgroup and via say who */
	uint64_t cgroup;
	const char *via;
	uint64_t disk;
};

struct pending {
	uint64_t submit_ns;
	uint64_t sector;
	uint64_t end;
	struct row_slot *row; /* the verdict goes there */
	bool read;
};

struct stream {
	struct lru_node node;
	struct stream_key key;
	struct list active;	/* among those with pending requests */
	struct pending *window; /* a ring in the order of submission */
	uint32_t capacity;	/* a power of two, or 0 */
	uint32_t first, n;
	uint64_t end; /* of the last request judged */
	bool started;
	uint64_t reads, random_reads; /* verdicts on reads, of the whole run */
};

struct streams {
	struct lru lru;
	struct list active;
	uint64_t forgotten; /* grows whenever a stream has become invalid */
};

void streams_init(struct streams *t);
void streams_free(struct streams *t);

/* The stream of the key; may forget the one longest unused. NULL when out of memory. */
struct stream *streams_get(struct streams *t, const struct stream_key *key);

/* Takes a request into account; its row must live until streams_flush. 0 or -ENOMEM. */
int stream_add(struct streams *t, struct stream *s, const struct iolat_request *e,
	       struct row_slot *row);

void streams_flush(struct streams *t); /* judges all that is pending */

/* Forgets old streams ahead of need, while nobody relies on any of them. */
void streams_start_interval(struct streams *t);

#endif
