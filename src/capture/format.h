/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording on disk: a header, then blocks. A block stands for itself: its own
 * checksum, compression and dictionary, so what is whole can be read whatever follows it.
 *
 *	header	magic, version, byte order, size of a struct iolat_request, crc
 *	block	magic, stored, raw, crc | `stored` bytes, which zlib expands to `raw`
 *
 * The raw bytes are items, each opened by a varint:
 *	0	an event as it is: varint size, bytes
 *	1	an event like the last one in its slot (slot.h), of that one's size: varint slot, a varint with a bit a
 *		32-bit word that differs, and by how much each of these does (signed)
 *	n + 2	a request of the n-th subject of this block; the first time, the subject follows
 *		(struct iolat_request with the fields below zeroed, in the header's size). Then as varints: end_ns minus the
 *		request's before (signed), queue_ns, device_ns, sector minus the end of the subject's
 *		request before (signed), bytes, merged.
 * An event of a recorder before a field was added at the end of its struct is read with zeros there.
 * A varint has 7 bits a byte, low ones first; a signed one is zigzag-coded.
 */
#ifndef IOLAT_CAPTURE_FORMAT_H
#define IOLAT_CAPTURE_FORMAT_H

#include <stdint.h>

#define CAPTURE_MAGIC	    "iolat\r\n\x1a"	/* 8 bytes with the NUL; shows what text tools break */
#define CAPTURE_VERSION	    2
#define CAPTURE_ORDER	    0x01020304u
#define CAPTURE_BLOCK_MAGIC 0x4b4c4f49u		/* "IOLK" */

#define CAPTURE_RAW_TARGET (64u << 10)		/* a block is closed when it has this much */
#define CAPTURE_RAW_MAX	   (1u << 20)		/* a larger one is refused */
#define CAPTURE_SUBJECTS   4096u		/* of a block at most */

struct capture_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint32_t request;	/* bytes */
	uint32_t crc;		/* crc32 of what is before it */
};

struct capture_block {
	uint32_t magic;
	uint32_t stored;
	uint32_t raw;
	uint32_t crc;		/* crc32 of `stored`, `raw` and the stored bytes */
};

#endif
