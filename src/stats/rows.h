/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of a table in the making: one for each combination of what I/O is grouped by.
 * There are two tables, the current interval's and the whole run's; rows wander from one
 * to the other and carry references to what they name.
 */
#ifndef IOLAT_STATS_ROWS_H
#define IOLAT_STATS_ROWS_H

#include "attrib/model.h"
#include "stats/snapshot.h"

/* What makes a row this row and no other: unused parts are 0, no padding. Serials stand
 * for processes and threads, so a reused pid is another row. */
struct row_id {
	uint64_t process;
	uint64_t thread;
	uint64_t worker;
	uint64_t cgroup;
	uint64_t places[PLACE_KINDS];
	const char *via; /* interned */
	uint64_t fs;	 /* FS_DEV() */
	struct file_key file;
	uint32_t disk;
	uint16_t op;
	uint16_t copy; /* 1: made by a device above, where a table keeps them apart */
};

/* A row and what it is made of. */
struct row_slot {
	struct row pub;
	struct row_id id;
	struct row_slot *next; /* in a list of rows that left their table */
	struct row_slot *copy; /* while a view is built: the sum shown instead */
	struct proc *proc;     /* referenced, or NULL */
	struct proc_thread *thread;
	struct known_worker *worker;
	struct known_cgroup *cgroup;
	struct known_place *places[PLACE_KINDS]; /* those that it is by */
	struct known_place *container;		 /* of the last I/O; referenced, or NULL */
	bool container_known, container_mixed;
	struct known_disk *disk;
	struct known_file *file;
	struct known_fs *fs;
	uint64_t owners[IOLAT_OWNER_MAX]; /* I/Os by the owner's step */
	uint64_t compared, random;
	const char *via; /* of its I/Os, unless mixed */
	bool via_known, via_mixed;
};

/* What an I/O belongs to; entities not in `by` are NULL. */
struct row_subjects {
	struct proc *proc;
	struct proc_thread *thread;
	struct known_worker *worker;
	struct known_cgroup *cgroup;
	struct known_place *places[PLACE_KINDS]; /* that its cgroup is in, also if not in `by` */
	struct known_disk *disk;
	struct known_file *file;
	struct known_fs *fs;
	const char *via;
	bool aggregated; /* `via` says so where a key is lacking for it */
	bool copy;
	enum iolat_op op;
};

struct rows {
	struct map map;
	const struct by *by;
	const char *host; /* what rows by host name; borrowed */
	size_t max; /* rows beside the one that the rest folds into */
	bool copies_apart; /* in rows of their own */
};

void rows_init(struct rows *t, const struct by *by, size_t max);
void rows_free(struct rows *t);

/* The row of these subjects, made when there is room, else the row "other"; NULL when out
 * of memory. Remembers the subjects' via. */
struct row_slot *rows_get(struct rows *t, const struct row_subjects *s);

/* Moves a row to another table, into the row of the same id if there is one; a row that
 * was summed up into another is put onto the list *left. 0 or -ENOMEM. */
int rows_move(struct rows *to, struct row_slot *s, struct row_slot **left);

/* Adds a row of a table by more keys to the row that it is a part of, unless it is a copy and no row is by device.
 * 0 or -ENOMEM. */
int rows_fold(struct rows *to, const struct row_slot *s);

struct row_slot *rows_get_other(struct rows *t); /* the row "other"; NULL: out of memory */
struct row_slot *rows_find(const struct rows *t, const struct row_id *id);
struct row_slot *rows_next(const struct rows *t, size_t *i);
bool rows_full(const struct rows *t);

bool row_is_other(const struct row_slot *s);

/* 0 or -ENOMEM. */
int row_request(struct row_slot *s, const struct iolat_request *e);
int row_aggregate(struct row_slot *s, const struct iolat_aggregate *e);
int row_wait(struct row_slot *s, uint64_t ns); /* for a file system without a disk */
int row_aggregate_latency(struct hist *into, const struct iolat_aggregate *e); /* the total */
int row_merge(struct row_slot *into, const struct row_slot *from);

struct row_slot *row_copy(const struct row_slot *s); /* NULL: out of memory */
struct row_slot *row_other(const struct by *by);     /* an empty row "other" */
const struct row *row_finish(struct row_slot *s);    /* with what is derived */
void row_free(struct row_slot *s);

#endif
