/* SPDX-License-Identifier: GPL-2.0 */
/* The checksums, which writer and reader have to agree on. */
#ifndef IOLAT_CAPTURE_CRC_H
#define IOLAT_CAPTURE_CRC_H

#include <stddef.h>
#include <zlib.h>

#include "capture/format.h"

static inline uint32_t capture_header_crc(const struct capture_header *h)
{
	return crc32(0, (const unsigned char *)h, offsetof(struct capture_header, crc));
}

static inline uint32_t capture_crc(const struct capture_block *b, const unsigned char *stored)
{
	uint32_t crc = crc32(0, (const unsigned char *)&b->stored, 2 * sizeof(uint32_t));

	return crc32(crc, stored, b->stored);
}

#endif
