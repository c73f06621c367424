/* SPDX-License-Identifier: GPL-2.0 */
/* Events to the columns of blocks (format.h has the coding). Knows neither files nor compression. */
#ifndef IOLAT_CAPTURE_ENCODER_H
#define IOLAT_CAPTURE_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"

struct history;

#define ENCODER_PLACES 8192u /* a power of two */

struct column {
	unsigned char *bytes;
	size_t len;
};

struct encoder {
	struct column columns[CAPTURE_COLUMNS];
	struct history *history;
	uint16_t subject_at[ENCODER_PLACES]; /* by hash: 1 + a subject that may be it, or 0 */
	uint16_t slot_at[ENCODER_PLACES];
};

int encoder_init(struct encoder *e);	/* 0 or -ENOMEM */
void encoder_free(struct encoder *e);
void encoder_next(struct encoder *e);	/* begins the next block */

/* Adds an event that decode.c takes. 0 or -EMSGSIZE. */
int encoder_add(struct encoder *e, const void *event, size_t size);

/* What all columns have; the block should be closed from CAPTURE_RAW_TARGET on, and must be before more is added. */
size_t encoder_len(const struct encoder *e);

#define ENCODER_LENGTHS_MAX (CAPTURE_COLUMNS * 5u)

/* What stands before the columns; how many bytes. */
size_t encoder_lengths(const struct encoder *e, unsigned char to[ENCODER_LENGTHS_MAX]);

#endif
