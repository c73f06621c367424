// SPDX-License-Identifier: GPL-2.0
/* A bit a block, in chunks of 32 MiB. When there are too many, every other one is forgotten for good, by its hash. */
#include "stats/reread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct key {
	uint64_t disk, number;
};

struct chunk {
	struct key key;
	uint64_t bits[REREAD_BLOCKS / 64];
};

void reread_init(struct reread *r)
{
	*r = (struct reread){0};
	map_init(&r->chunks, sizeof(struct key));
}

void reread_free(struct reread *r)
{
	struct chunk *c;

	for (size_t i = 0; (c = map_next(&r->chunks, &i, NULL));)
		free(c);
	map_free(&r->chunks);
}

/* By bits that the map itself does not go by first. */
static bool is_followed(const struct reread *r, const struct key *key)
{
	return !(map_hash(key, sizeof(*key)) >> 40 & ((1u << r->sparse) - 1));
}

static void thin_out(struct reread *r)
{
	struct chunk *c;

	r->sparse++;
	for (size_t i = 0; (c = map_next(&r->chunks, &i, NULL));) {
		if (is_followed(r, &c->key))
			continue;
		map_del(&r->chunks, &c->key);
		free(c);
	}
}

/* *out NULL: this one is not followed. */
static int get(struct reread *r, const struct key *key, struct chunk **out)
{
	*out = NULL;
	if (!is_followed(r, key))
		return 0;
	*out = map_get(&r->chunks, key);
	if (*out)
		return 0;
	while (r->chunks.count >= REREAD_CHUNKS && r->sparse < 20)
		thin_out(r);
	if (!is_followed(r, key) || r->chunks.count >= REREAD_CHUNKS)
		return 0;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->key = *key;
	if (!map_put(&r->chunks, key, *out))
		return 0;
	free(*out);
	return -ENOMEM;
}

/* The part of a read that lies in one chunk. */
static void mark(struct chunk *c, uint64_t from, uint64_t to, struct reread_answer *out)
{
	for (uint64_t block = from; block < to; block++) {
		uint64_t *word = &c->bits[block % REREAD_BLOCKS / 64], bit = 1ull << block % 64;

		out->followed += REREAD_BLOCK;
		out->again += *word & bit ? REREAD_BLOCK : 0;
		*word |= bit;
	}
}

/* A block that is read in parts tells nothing, so it is left out. */
int reread_add(struct reread *r, uint32_t disk, uint64_t sector, uint32_t bytes, struct reread_answer *out)
{
	const unsigned int sectors = REREAD_BLOCK / 512;
	uint64_t block = sector / sectors + (sector % sectors > 0); /* in sectors, so that none is beyond the numbers */
	uint64_t end = (sector + bytes / 512) / sectors;

	*out = (struct reread_answer){0};
	while (block < end) {
		struct key key = {disk, block / REREAD_BLOCKS};
		uint64_t edge = (key.number + 1) * REREAD_BLOCKS, to = end < edge ? end : edge;
		struct chunk *c;
		int err = get(r, &key, &c);

		if (err)
			return err;
		if (c)
			mark(c, block, to, out);
		block = to;
	}
	return 0;
}

int reread_request(struct reread *r, const struct iolat_request *e, struct reread_answer *out)
{
	*out = (struct reread_answer){0};
	if (e->op != IOLAT_OP_READ || e->error || e->sector == ~0ull || e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	return reread_add(r, e->disk, e->sector, e->bytes, out);
}
