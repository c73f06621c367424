/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes messages in protobuf's wire format (protobuf.dev/programming-guides/encoding): numbers, doubles and what has a
 * length. Three primitives by hand, so that no build on any host or for any other needs a compiler of schemas.
 */
#ifndef IOLAT_BASE_PROTOBUF_H
#define IOLAT_BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROTOBUF_DEPTH 8

struct protobuf {	/* zero to begin with */
	unsigned char *data;
	size_t len, room;
	size_t open[PROTOBUF_DEPTH];	/* where messages in messages begin */
	int depth;
	bool failed;			/* out of memory: all is dropped until it is written */
};

void protobuf_free(struct protobuf *p);

void protobuf_u64(struct protobuf *p, unsigned int field, uint64_t v);	/* also bool, enum, uint32 */
void protobuf_s64(struct protobuf *p, unsigned int field, int64_t v);	/* sint32 and sint64 */
void protobuf_double(struct protobuf *p, unsigned int field, double v);
void protobuf_text(struct protobuf *p, unsigned int field, const char *s);	/* made valid UTF-8 */

/* A message in the message: what comes until its end is its. */
void protobuf_begin(struct protobuf *p, unsigned int field);
void protobuf_end(struct protobuf *p);

/* Writes the message, its length before it, and starts the next one. 0 or -ENOMEM; errors of `out` stay in it. */
int protobuf_write(struct protobuf *p, FILE *out);

#endif
