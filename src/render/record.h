/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a row, described once (record.c) and written by every format for
 * machines through a small set of functions, so that the columns of one are the paths of the other.
 */
#ifndef IOLAT_RENDER_RECORD_H
#define IOLAT_RENDER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/snapshot.h"

struct record;

/*
 * What a format does with fields. Inside an object that is not `known` fields come all
 * the same, with values that mean nothing.
 */
struct record_ops {
	void (*open)(struct record *r, const char *key, bool known);
	void (*close)(struct record *r);
	void (*u64)(struct record *r, const char *key, bool known, uint64_t v);
	void (*real)(struct record *r, const char *key, bool known, double v);
	void (*str)(struct record *r, const char *key, const char *s); /* NULL: not known */
	void (*hist)(struct record *r, const char *key, const struct hist *h);
};

/* Embedded at the head of a format's own state. */
struct record {
	const struct record_ops *ops;
	unsigned int absent; /* objects open from the outermost unknown one inwards */
};

/* To be called by open and close; true while the object is inside an unknown one or unknown itself.
 */
bool record_enter(struct record *r, bool known);
bool record_leave(struct record *r);

/* One of the objects that things stand for, whichever row keys there are. */
void record_subject(struct record *r, enum row_key key, const struct row_subject *subject);

void record_request(struct record *r, const struct by *by, const struct request *q);
void record_row(struct record *r, const struct by *by, const struct row *row);

#endif
