// SPDX-License-Identifier: GPL-2.0
/* A message's length stands before it and is known behind it: then its bytes move by what that takes. */
#include "base/protobuf.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum wire_type { VARINT = 0, I64 = 1, LEN = 2 };

#define VARINT_MOST 10

static bool make_room(struct protobuf *p, size_t n)
{
	size_t room = p->room ? p->room : 4096;
	unsigned char *data;

	while (room - p->len < n)
		room *= 2;
	if (p->failed || room == p->room)
		return !p->failed;
	data = realloc(p->data, room);
	if (!data) {
		p->failed = true;
		return false;
	}
	p->data = data;
	p->room = room;
	return true;
}

static void put(struct protobuf *p, const void *bytes, size_t n)
{
	if (!make_room(p, n))
		return;
	memcpy(p->data + p->len, bytes, n);
	p->len += n;
}

static size_t varint(unsigned char to[VARINT_MOST], uint64_t v)
{
	size_t n = 0;

	while (v > 0x7f) {
		to[n++] = (v & 0x7f) | 0x80;
		v >>= 7;
	}
	to[n++] = v;
	return n;
}

static void put_varint(struct protobuf *p, uint64_t v)
{
	unsigned char bytes[VARINT_MOST];

	put(p, bytes, varint(bytes, v));
}

static void put_tag(struct protobuf *p, unsigned int field, enum wire_type type)
{
	put_varint(p, (uint64_t)field << 3 | type);
}

void protobuf_free(struct protobuf *p)
{
	free(p->data);
	*p = (struct protobuf){0};
}

void protobuf_u64(struct protobuf *p, unsigned int field, uint64_t v)
{
	put_tag(p, field, VARINT);
	put_varint(p, v);
}

void protobuf_s64(struct protobuf *p, unsigned int field, int64_t v)
{
	protobuf_u64(p, field, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void protobuf_double(struct protobuf *p, unsigned int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	bits = htole64(bits);
	put_tag(p, field, I64);
	put(p, &bits, sizeof(bits));
}

void protobuf_text(struct protobuf *p, unsigned int field, const char *s)
{
	int len;

	protobuf_begin(p, field);
	for (; *s; s += len ? len : 1) {
		len = utf8_next(s, NULL);
		put(p, len ? s : "\xEF\xBF\xBD", len ? (size_t)len : 3);
	}
	protobuf_end(p);
}

void protobuf_begin(struct protobuf *p, unsigned int field)
{
	assert(p->depth < PROTOBUF_DEPTH);
	put_tag(p, field, LEN);
	p->open[p->depth++] = p->len;
}

void protobuf_end(struct protobuf *p)
{
	unsigned char length[VARINT_MOST];
	size_t at, n;

	assert(p->depth > 0);
	at = p->open[--p->depth];
	n = varint(length, p->len - at);
	if (!make_room(p, n))
		return;
	memmove(p->data + at + n, p->data + at, p->len - at);
	memcpy(p->data + at, length, n);
	p->len += n;
}

int protobuf_write(struct protobuf *p, FILE *out)
{
	int err = p->failed ? -ENOMEM : 0;
	unsigned char length[VARINT_MOST];

	if (!err) {
		fwrite(length, 1, varint(length, p->len), out);
		fwrite(p->data, 1, p->len, out);
	}
	p->len = 0;
	p->failed = false;
	return err;
}
