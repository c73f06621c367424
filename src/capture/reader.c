// SPDX-License-Identifier: GPL-2.0
/* Reads blocks, checks and expands them, and hands their events on. */
#include "capture/reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "capture/crc.h"
#include "capture/decoder.h"
#include "capture/format.h"
#include "iolat/wire.h"

struct capture_reader {
	FILE *file;
	z_stream inflate;
	struct decoder *decoder;
	unsigned char *stored, *raw;
	int (*event)(void *ctx, const void *data, size_t size);
	void *ctx;
	int ended; /* an END event has come */
};

static int check_header(FILE *f, uint32_t *version)
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
	if (h.request == sizeof(struct iolat_request))
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
	err = r->file ? 0 : -errno;
	r->stored = malloc(CAPTURE_RAW_MAX);
	r->raw = malloc(CAPTURE_RAW_MAX);
	r->decoder = decoder_new();
	if (!err && (!r->stored || !r->raw || !r->decoder || inflateInit2(&r->inflate, -MAX_WBITS) != Z_OK))
		err = -ENOMEM;
	err = err ?: check_header(r->file, version);
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
	inflateEnd(&r->inflate);
	decoder_free(r->decoder);
	free(r->stored);
	free(r->raw);
	free(r);
}

int capture_rewind(struct capture_reader *r)
{
	struct decoder *d;

	if (fseek(r->file, sizeof(struct capture_header), SEEK_SET))
		return -errno;
	d = decoder_new();
	if (!d)
		return -ENOMEM;
	decoder_free(r->decoder);
	r->decoder = d;
	r->ended = 0;
	return inflateReset(&r->inflate) == Z_OK ? 0 : -EIO;
}

static int pass(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	struct capture_reader *r = ctx;

	r->ended = head->kind == IOLAT_EV_END;
	return r->event(r->ctx, data, size);
}

/* The stream's next part into r->raw: no more and no less than the block says. */
static bool expand(struct capture_reader *r, const struct capture_block *b)
{
	z_stream *z = &r->inflate;

	z->next_in = r->stored;
	z->avail_in = b->stored;
	z->next_out = r->raw;
	z->avail_out = CAPTURE_RAW_MAX;
	return inflate(z, Z_SYNC_FLUSH) == Z_OK && !z->avail_in && CAPTURE_RAW_MAX - z->avail_out == b->raw;
}

/* The next block into r->raw. 1: there is one, 0: none, with *end saying why. */
static int next_block(struct capture_reader *r, size_t *len, enum capture_end *end)
{
	struct capture_block b;
	size_t n = fread(&b, 1, sizeof(b), r->file);

	*end = n || !r->ended ? CAPTURE_CUT : CAPTURE_WHOLE;
	if (n < sizeof(b))
		return 0;
	if (b.magic != CAPTURE_BLOCK_MAGIC || b.raw >= CAPTURE_RAW_MAX || b.stored > CAPTURE_RAW_MAX) {
		*end = CAPTURE_DAMAGED;
		return 0;
	}
	if (fread(r->stored, 1, b.stored, r->file) < b.stored)
		return 0;
	*end = CAPTURE_DAMAGED;
	if (capture_crc(&b, r->stored) != b.crc || !expand(r, &b))
		return 0;
	*len = b.raw;
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
		err = decoder_block(r->decoder, r->raw, len, pass, r);
	if (err == -EBADMSG) {
		*end = CAPTURE_DAMAGED;
		return 0;
	}
	return err ?: ferror(r->file) ? -EIO : 0;
}
