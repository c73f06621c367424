/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording on disk: a header, then blocks. What is whole can be read whatever follows it.
 *
 *	header	magic, version, byte order, size of a struct iolat_request, crc
 *	block	magic, stored, raw, crc | `stored` bytes: the next part of one raw deflate stream (RFC 1951), up to a
 *		flush, which expands to `raw` bytes
 *
 * The raw bytes are the lengths of CAPTURE_COLUMNS columns as varints, then the columns. What is alike lies together,
 * which compresses better. Items take their numbers in turn from the columns; what an item may refer to (history.h) goes on
 * from block to block. The column of tags has a varint an item:
 *	0	an event as it is, in the column of bytes: varint size, bytes
 *	1	the next subject, in the column of bytes: a request (struct iolat_request, or iolat_request_file) with the
 *		fields below zeroed
 *	2+3n	a request of the n-th subject: end_ns minus the time of the event before (signed), queue_ns, device_ns, sector
 *		minus the end of the subject's request before (signed), bytes, merged, and with a file its inode minus
 *		the subject's before (signed)
 *	3+3n	the same without bytes and merged: they are those of the subject's request before
 *	4+3n	an event like the last one in the n-th slot, of that one's size: its time minus that of the event before (signed), of a
 *		wait also the start minus its thread's last submission (signed), a varint with a bit a 32-bit word that
 *		differs, and by how much each of these does (signed)
 * An event of a recorder before a field was added at the end of its struct is read with zeros there; a change of requests
 * makes a new version. A varint has 7 bits a byte, low ones first; a signed one is zigzag-coded.
 */
#ifndef IOLAT_CAPTURE_FORMAT_H
#define IOLAT_CAPTURE_FORMAT_H

#include <stdint.h>

#define CAPTURE_MAGIC	    "iolat\r\n\x1a"	/* 8 bytes with the NUL; shows what text tools break */
#define CAPTURE_VERSION	    3
#define CAPTURE_ORDER	    0x01020304u
#define CAPTURE_BLOCK_MAGIC 0x4b4c4f49u		/* "IOLK" */

#define CAPTURE_RAW_TARGET (256u << 10)		/* a block is closed when it has this much */
#define CAPTURE_RAW_MAX	   (2u << 20)		/* a larger one is refused */

/* Texts first: only they repeat what was before. */
enum capture_column {
	COLUMN_TAGS,
	COLUMN_BYTES,
	COLUMN_MASKS,
	COLUMN_WORDS,		/* and inodes */
	COLUMN_SIZES,		/* bytes, merged */
	COLUMN_NUMBERS,		/* from here on */
	COLUMN_TIMES = COLUMN_NUMBERS,
	COLUMN_QUEUE,
	COLUMN_DEVICE,
	COLUMN_SECTORS,
	COLUMN_WAIT_TIMES,
	CAPTURE_COLUMNS
};

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
