/* SPDX-License-Identifier: GPL-2.0 */
/* The raw bytes of blocks back to events (format.h has the coding); takes nothing for granted. */
#ifndef IOLAT_CAPTURE_DECODER_H
#define IOLAT_CAPTURE_DECODER_H

#include <stddef.h>

struct decoder;

struct decoder *decoder_new(void); /* NULL: no memory */
void decoder_free(struct decoder *d);

/* Calls `event` for each event of the next block, 8-byte aligned and valid during the call. 0, what `event` returned, or
 * -EBADMSG: not what an encoder writes. */
int decoder_block(struct decoder *d, const unsigned char *raw, size_t len,
		  int (*event)(void *ctx, const void *data, size_t size), void *ctx);

#endif
