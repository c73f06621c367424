/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events to a block's raw bytes and back (format.h has the coding). Knows neither files
 * nor compression; the decoder takes nothing for granted.
 */
#ifndef IOLAT_CAPTURE_CODEC_H
#define IOLAT_CAPTURE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "iolat/wire.h"

struct slot;
struct subject;

struct encoder {
	unsigned char *raw;
	size_t len, room;
	struct map by_key;		/* subject key to struct subject */
	struct slot *slots;
	struct subject *subjects;
	uint32_t n_subjects;
	uint64_t last_end_ns;
};

int encoder_init(struct encoder *e);		/* 0 or -ENOMEM */
void encoder_free(struct encoder *e);
void encoder_reset(struct encoder *e);		/* for the next block */

/* Adds an event that decode.c takes. 0 or -ENOMEM. */
int encoder_add(struct encoder *e, const void *event, size_t size);

/* Whether the block should be closed before more is added. */
int encoder_full(const struct encoder *e);

/* Calls `event` for each event of a block, 8-byte aligned and valid during the call; `request_size` is the header's. 0, what `event`
 * returned, -EBADMSG: not what an encoder writes, -ENOMEM. */
int capture_decode(const unsigned char *raw, size_t len, size_t request_size,
		   int (*event)(void *ctx, const void *data, size_t size), void *ctx);

#endif
