/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the full-screen view remembers of the frames it was given: the latest one, and the last minute of
 * everything in it. Its own copy, so that views can be drawn anew, paused and grouped otherwise at any time.
 * Pure: knows no terminal. Memory is bounded by MEMORY_ITEMS.
 */
#ifndef IOLAT_SCREEN_MEMORY_H
#define IOLAT_SCREEN_MEMORY_H

#include "base/map.h"
#include "screen/identity.h"

enum memory_limits {
	MEMORY_SECONDS = 60,
	MEMORY_ITEMS = 8192, /* beyond, what is new in a frame is left out, and counted */
	MEMORY_TASKS = 4096, /* of those; the longest blocked come first */
	MEMORY_LINES = 128,  /* of what is in flight */
	MEMORY_TEXT = 96,    /* bytes of a piece of evidence */
	MEMORY_FILES = 2048, /* items that tell a file; beyond, those of new files do not */
};

/* A second of something. */
struct moment {
	double ios, bytes;
	double blocked_ns;
	uint64_t p99_ns; /* the worst frame's */
};

/* A row of the frames (by every key that frames have), or a task. */
struct item {
	struct identity id;
	bool task;
	bool copy;		  /* as in struct row */
	uint64_t frame;		  /* number of the last one it was in */
	char *texts;		  /* what `text` points into */
	const char *text[BY_MAX]; /* for people, printable */
	struct row now, all;	  /* of that frame, of all since it was first seen; no pointers in them */
	struct task times;	  /* of a task in that frame; no pointers in it */
	struct moment minute[MEMORY_SECONDS];
	uint64_t second; /* the last one in `minute` */
};

/* A request in flight, or a task held back: whose, and a line about it. */
struct flight {
	struct identity id;
	bool stuck;
	char text[240];
};

/* Keys that tasks have, and requests in flight. */
#define MEMORY_TASK_KEYS                                                                           \
	(1u << BY_PROCESS | 1u << BY_THREAD | 1u << BY_WORKER | 1u << BY_CGROUP | 1u << BY_CONTAINER |     \
	 1u << BY_POD | 1u << BY_JOB)
#define MEMORY_FLIGHT_KEYS                                                                         \
	(1u << BY_PROCESS | 1u << BY_CONTAINER | 1u << BY_POD | 1u << BY_JOB | 1u << BY_DEVICE | 1u << BY_OP)

struct remembered_finding {
	struct finding f; /* printable; without files */
	char texts[FINDING_EVIDENCE][MEMORY_TEXT];
};

struct memory {
	struct map items;	/* struct item */
	uint64_t frame;		/* number of the latest; 0: none yet */
	uint64_t second;	/* counts up as `minute` moves on */
	uint64_t second_wall_ns; /* when it ended */
	uint64_t left_out;	/* rows of the latest frame without room */
	size_t files, tasks;	/* items that tell a file, that are tasks */

	/* Of the latest frame. */
	struct snapshot head;	/* pointers in it mean nothing, but for `by` */
	struct by by;
	char host[64];
	char coverage[512];	/* the completeness line */
	struct row total;
	struct remembered_finding *findings;
	size_t n_findings;
	struct flight flights[MEMORY_LINES]; /* the oldest first */
	size_t n_flights;
};

void memory_init(struct memory *m);
void memory_free(struct memory *m);

/* Takes a frame in. 0 or -ENOMEM. */
int memory_frame(struct memory *m, const struct snapshot *s);

/* The next item, or NULL: for (size_t i = 0; (item = memory_next(m, &i));) ... */
const struct item *memory_next(const struct memory *m, size_t *i);

/* Whether an item is in the latest frame. */
bool memory_fresh(const struct memory *m, const struct item *item);

/* A second of the last minute, 0 the oldest; NULL: nothing happened in it. */
const struct moment *memory_moment(const struct memory *m, const struct item *item, size_t i);

/* Rows for adding up: counts and histograms, no subject. */
void sum_init(struct row *sum);
void sum_free(struct row *sum); /* and leaves it as sum_init does */
int sum_add(struct row *sum, const struct row *row); /* 0 or -ENOMEM */

#endif
