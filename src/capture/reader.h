/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording being read. The file is not trusted: sizes are bounded, every block is
 * checked, and what follows the last whole block is left alone.
 */
#ifndef IOLAT_CAPTURE_READER_H
#define IOLAT_CAPTURE_READER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct capture_reader;

enum capture_end {
	CAPTURE_WHOLE,		/* ended properly */
	CAPTURE_CUT,		/* the end is missing: killed, or no space left */
	CAPTURE_DAMAGED,	/* a block is not what was written */
};

/* Opens by path. 0, or -errno of opening, -EINVAL: not a recording, -EPROTO: of another version (*version
 * says which) or byte order. */
int capture_open(struct capture_reader **out, const char *path, uint32_t *version);

/* Passes every event of the whole blocks to `event` (8-byte aligned, valid during the call), in order.
 * 0 with *end set, what `event` returned, -ENOMEM or -EIO. */
int capture_read(struct capture_reader *r, int (*event)(void *ctx, const void *data, size_t size),
		 void *ctx, enum capture_end *end);

/* Goes back to the first event. 0, -ENOMEM, or -errno: it is a pipe or the like. */
int capture_rewind(struct capture_reader *r);

void capture_reader_close(struct capture_reader *r);	/* may be NULL */

#endif
