/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of each read had been read from the disk before in the run, in whole blocks of 4 KiB. Memory is bounded: on
 * more than it can keep, it follows an even part of the disk and answers for that.
 */
#ifndef IOLAT_STATS_REREAD_H
#define IOLAT_STATS_REREAD_H

#include <stdint.h>

#include "base/map.h"
#include "iolat/wire.h"

enum reread_limits {
	REREAD_BLOCK = 4096,
	REREAD_BLOCKS = 8192, /* of a chunk */
	REREAD_CHUNKS = 16384,
};

struct reread {
	struct map chunks;
	unsigned int sparse; /* one in 2^sparse chunks is followed */
};

struct reread_answer {
	uint32_t followed;	/* bytes of the read that are known about */
	uint32_t again;		/* and those of them that were read before */
};

void reread_init(struct reread *r);
void reread_free(struct reread *r);

/* Of a request; nothing is followed of what reads no data from a disk itself. 0 or -ENOMEM. */
int reread_request(struct reread *r, const struct iolat_request *e, struct reread_answer *out);

/* 0 or -ENOMEM. */
int reread_add(struct reread *r, uint32_t disk, uint64_t sector, uint32_t bytes, struct reread_answer *out);

#endif
