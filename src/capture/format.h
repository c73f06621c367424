/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording on disk: a header, then blocks. A block stands for itself: its own
 * checksum, compression and dictionary, so what is whole can be read whatever follows it.
 *
 *	header	magic, version, byte order
 *	block	magic, stored, raw, crc | `stored` bytes, which zlib expands to `raw`
 *
 * The raw bytes are items, each opened by a varint:
 *	0	an event as it is: varint size, bytes
 *	n + 1	a request of the n-th subject of this block; the first time, the subject follows
 *		(struct iolat_request with the fields below zeroed). Then as varints: end_ns minus the
 *		request's before (signed), queue_ns, device_ns, sector minus the end of the subject's
 *		request before (signed), bytes, merged.
 * A varint has 7 bits a byte, low ones first; a signed one is zigzag-coded.
 */
#ifndef IOLAT_CAPTURE_FORMAT_H
#define IOLAT_CAPTURE_FORMAT_H

#include <stdint.h>

#define CAPTURE_MAGIC	    "iolat\r\n\x1a"	/* 8 bytes with the NUL; shows what text tools break */
#define CAPTURE_VERSION	    1
#define CAPTURE_ORDER	    0x01020304u
#define CAPTURE_BLOCK_MAGIC 0x4b4c4f49u		/* "IOLK" */

#define CAPTURE_RAW_TARGET (64u << 10)		/* a block is closed when it has this much */
#define CAPTURE_RAW_MAX	   (1u << 20)		/* a larger one is refused */
#define CAPTURE_SUBJECTS   4096u		/* of a block at most */

struct capture_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
};

struct capture_block {
	uint32_t magic;
	uint32_t stored;
	uint32_t raw;
	uint32_t crc;		/* crc32 of `stored`, `raw` and the stored bytes */
};

#endif
