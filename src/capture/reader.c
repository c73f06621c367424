// SPDX-License-Identifier: GPL-2.0
/* Reads blocks, checks and expands them, and hands their events on. */
#include "capture/reader.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "capture/codec.h"
#include "capture/crc.h"
#include "capture/format.h"

struct capture_reader {
	FILE *file;
	size_t request_size;
	unsigned char *stored, *raw;
	int (*event)(void *ctx, const void *data, size_t size);
	void *ctx;
	int ended; /* an END event has come */
};

#define REQUEST_LEAST 72 /* of the first recorders */

static int check_header(FILE *f, uint32_t *version, size_t *request_size)
{
	struct capture_header h;

	if (fread(&h, offsetof(struct capture_header, request), 1, f) != 1)
		return ferror(f) ? -(errno ?: EIO) : -EINVAL;
	if (memcmp(h.magic, CAPTURE_MAGIC, sizeof(h.magic)))
		return -EINVAL;
	*version = h.version;
	if (h.version != CAPTURE_VERSION || h.order != CAPTURE_ORDER)
		return -EPROTO;
	if (fread(&h.request, sizeof(h) - offsetof(struct capture_header, request), 1, f) != 1)
		return ferror(f) ? -(errno ?: EIO) : -EINVAL;
	if (h.crc != capture_header_crc(&h))
		return -EINVAL;
	*request_size = h.request;
	if (h.request >= REQUEST_LEAST && h.request <= sizeof(struct iolat_request))
		return 0;
	*version = 0; /* of a newer recorder: the same format, more in it */
	return -EPROTO;
}

int capture_open(struct capture_reader **out, const char *path, uint32_t *version)
{
	struct capture_reader *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	*version = 0;
	if (!r)
		return -ENOMEM;
	r->file = fopen(path, "re");
	r->stored = malloc(compressBound(CAPTURE_RAW_MAX));
	r->raw = malloc(CAPTURE_RAW_MAX);
	err = !r->file ? -errno : r->stored && r->raw ? check_header(r->file, version, &r->request_size)
				      : -ENOMEM;
	if (err) {
		capture_reader_close(r);
		return err;
	}
	*out = r;
	return 0;
}

void capture_reader_close(struct capture_reader *r)
{
	if (!r)
		return;
	if (r->file)
		fclose(r->file);
	free(r->stored);
	free(r->raw);
	free(r);
}

static int pass(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	struct capture_reader *r = ctx;

	r->ended = head->kind == IOLAT_EV_END;
	return r->event(r->ctx, data, size);
}

/* The next block into r->raw. 1: there is one, 0: none, with *end saying why. */
static int next_block(struct capture_reader *r, size_t *len, enum capture_end *end)
{
	struct capture_block b;
	uLongf raw = CAPTURE_RAW_MAX;
	size_t n = fread(&b, 1, sizeof(b), r->file);

	*end = n || !r->ended ? CAPTURE_CUT : CAPTURE_WHOLE;
	if (n < sizeof(b))
		return 0;
	if (b.magic != CAPTURE_BLOCK_MAGIC || b.raw > CAPTURE_RAW_MAX ||
	    b.stored > compressBound(CAPTURE_RAW_MAX)) {
		*end = CAPTURE_DAMAGED;
		return 0;
	}
	if (fread(r->stored, 1, b.stored, r->file) < b.stored)
		return 0;
	*end = CAPTURE_DAMAGED;
	if (capture_crc(&b, r->stored) != b.crc)
		return 0;
	if (uncompress(r->raw, &raw, r->stored, b.stored) != Z_OK || raw != b.raw)
		return 0;
	*len = raw;
	return 1;
}

int capture_read(struct capture_reader *r, int (*event)(void *ctx, const void *data, size_t size),
		 void *ctx, enum capture_end *end)
{
	size_t len;
	int err = 0;

	r->event = event;
	r->ctx = ctx;
	while (!err && next_block(r, &len, end))
		err = capture_decode(r->raw, len, r->request_size, pass, r);
	if (err == -EBADMSG) {
		*end = CAPTURE_DAMAGED;
		return 0;
	}
	return err ?: ferror(r->file) ? -EIO : 0;
}
