/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells apart what rows and tasks stand for, and names it for people, in a way that outlives the frame
 * they came with.
 */
#ifndef IOLAT_SCREEN_IDENTITY_H
#define IOLAT_SCREEN_IDENTITY_H

#include "stats/snapshot.h"

/* A number a row key; 0: it is none, or `by` does not tell. Different things may have equal numbers, though that
 * is next to impossible. */
struct identity {
	uint64_t of[BY_MAX];
};

/* `keys`: bit a row key that the subject tells. `via`: who submitted it where there is no process, or NULL. */
struct identity identity_of(const struct row_subject *subject, const char *via, unsigned int keys);

/* The keys in `mask` alone. */
struct identity identity_masked(const struct identity *id, unsigned int mask);
bool identity_same(const struct identity *a, const struct identity *b);

/* What the row is by each of BY_MAX keys, printable, one text behind the other, each ended by a NUL: to be freed. NULL: out
 * of memory. `keys` as above; what is not told is "-". */
char *identity_texts(const struct row *row, unsigned int keys);

#endif
