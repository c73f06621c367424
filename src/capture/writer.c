// SPDX-License-Identifier: GPL-2.0
/* Compresses the encoder's columns block by block, as one stream, and appends each block with one write. */
#include "capture/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/crc.h"
#include "capture/encoder.h"
#include "capture/format.h"
#include "capture/held.h"
#include "iolat/wire.h"

#define COLUMN_OF_ITS_OWN 1024 /* bytes that are worth a code of their own */

struct capture_writer {
	int fd;
	int err; /* the first one; sticks */
	struct held held;
	struct encoder encoder;
	z_stream deflate;
	unsigned char *block; /* head and stored bytes */
	size_t room;
	uint64_t bytes, requests;
};

static int write_all(struct capture_writer *w, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(w->fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return w->err = n ? -errno : -EIO;
		at += n;
		len -= n;
		w->bytes += n;
	}
	return 0;
}

static int start(struct capture_writer *w)
{
	struct capture_header h = {CAPTURE_MAGIC, CAPTURE_VERSION, CAPTURE_ORDER, sizeof(struct iolat_request), 0};
	int err = encoder_init(&w->encoder);

	h.crc = capture_header_crc(&h);
	if (err)
		return err;
	if (deflateInit2(&w->deflate, 1, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	w->room = CAPTURE_RAW_MAX;
	w->block = malloc(w->room);
	if (!w->block)
		return -ENOMEM;
	return write_all(w, &h, sizeof(h));
}

static void destroy(struct capture_writer *w)
{
	held_free(&w->held);
	encoder_free(&w->encoder);
	deflateEnd(&w->deflate);
	free(w->block);
	close(w->fd);
	free(w);
}

static void compress_part(z_stream *z, const unsigned char *data, size_t len, int flush)
{
	z->next_in = (unsigned char *)data;
	z->avail_in = (uInt)len;
	deflate(z, flush);
}

/* Numbers hardly repeat: looking for what was before costs much and finds nothing, so that only their digits are
 * weighed, those of each column by themselves. */
static void compress_columns(z_stream *z, const struct encoder *e)
{
	unsigned char lengths[ENCODER_LENGTHS_MAX];
	const struct column *c;

	deflateParams(z, 1, Z_DEFAULT_STRATEGY);
	compress_part(z, lengths, encoder_lengths(e, lengths), Z_NO_FLUSH);
	for (size_t i = 0; i < CAPTURE_COLUMNS; i++) {
		c = &e->columns[i];
		if (i == COLUMN_NUMBERS)
			deflateParams(z, 1, Z_HUFFMAN_ONLY);
		compress_part(z, c->bytes, c->len, c->len > COLUMN_OF_ITS_OWN ? Z_BLOCK : Z_NO_FLUSH);
	}
	compress_part(z, NULL, 0, Z_SYNC_FLUSH);
}

int capture_flush(struct capture_writer *w)
{
	struct capture_block *b = (struct capture_block *)w->block;
	unsigned char *data = w->block + sizeof(*b);
	uint64_t raw = w->deflate.total_in, stored = w->deflate.total_out;

	if (w->err || !encoder_len(&w->encoder))
		return w->err;
	w->deflate.next_out = data;
	w->deflate.avail_out = (uInt)(w->room - sizeof(*b));
	compress_columns(&w->deflate, &w->encoder);
	if (!w->deflate.avail_out)
		return w->err = -ENOMEM;
	stored = w->deflate.total_out - stored;
	*b = (struct capture_block){CAPTURE_BLOCK_MAGIC, (uint32_t)stored, (uint32_t)(w->deflate.total_in - raw), 0};
	b->crc = capture_crc(b, data);
	encoder_next(&w->encoder);
	return write_all(w, w->block, sizeof(*b) + stored);
}

static int put(void *ctx, const void *event, size_t size)
{
	const struct iolat_head *head = event;
	struct capture_writer *w = ctx;
	int err = encoder_add(&w->encoder, event, size);

	w->requests += !err && head->kind == IOLAT_EV_REQUEST;
	return err ?: encoder_len(&w->encoder) >= CAPTURE_RAW_TARGET ? capture_flush(w) : 0;
}

int capture_create(struct capture_writer **out, int fd)
{
	struct capture_writer *w = calloc(1, sizeof(*w));
	int err;

	*out = NULL;
	if (!w) {
		close(fd);
		return -ENOMEM;
	}
	w->fd = fd;
	held_init(&w->held, put, w);
	err = start(w);
	if (err) {
		destroy(w);
		return err;
	}
	*out = w;
	return 0;
}

int capture_add(struct capture_writer *w, const void *event, size_t size)
{
	return w->err = w->err ?: held_take(&w->held, event, size);
}

uint64_t capture_bytes(const struct capture_writer *w)
{
	return w->bytes;
}

uint64_t capture_requests(const struct capture_writer *w)
{
	return w->requests;
}

int capture_close(struct capture_writer *w, uint64_t mono_ns)
{
	const struct iolat_end end = {
		.head = {.kind = IOLAT_EV_END, .size = sizeof(end)},
		.mono_ns = mono_ns,
	};
	int err = capture_add(w, &end, sizeof(end)) ?: capture_flush(w);

	/* Only the file system's own write-back can still fail; that is told here. */
	if (!err && fsync(w->fd) && errno != EINVAL && errno != EROFS)
		err = -errno;
	destroy(w);
	return err;
}
