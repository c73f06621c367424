// SPDX-License-Identifier: GPL-2.0
/* Compresses full blocks of the encoder and appends each with one write. */
#include "capture/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/codec.h"
#include "capture/crc.h"
#include "capture/format.h"

struct capture_writer {
	int fd;
	int err; /* the first one; sticks */
	struct encoder encoder;
	unsigned char *block; /* head and stored bytes */
	size_t block_room;
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
	w->block_room = sizeof(struct capture_block) + compressBound(w->encoder.room);
	w->block = malloc(w->block_room);
	if (!w->block)
		return -ENOMEM;
	return write_all(w, &h, sizeof(h));
}

static void destroy(struct capture_writer *w)
{
	encoder_free(&w->encoder);
	free(w->block);
	close(w->fd);
	free(w);
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
	err = start(w);
	if (err) {
		destroy(w);
		return err;
	}
	*out = w;
	return 0;
}

int capture_flush(struct capture_writer *w)
{
	struct capture_block *b = (struct capture_block *)w->block;
	uLongf stored = w->block_room - sizeof(*b);
	unsigned char *data = w->block + sizeof(*b);

	if (w->err || !w->encoder.len)
		return w->err;
	if (compress2(data, &stored, w->encoder.raw, w->encoder.len, 1) != Z_OK)
		return w->err = -ENOMEM;
	*b = (struct capture_block){CAPTURE_BLOCK_MAGIC, stored, w->encoder.len, 0};
	b->crc = capture_crc(b, data);
	encoder_reset(&w->encoder);
	return write_all(w, w->block, sizeof(*b) + stored);
}

int capture_add(struct capture_writer *w, const void *event, size_t size)
{
	const struct iolat_head *head = event;
	int err = w->err;

	if (!err)
		err = encoder_add(&w->encoder, event, size);
	if (err)
		return w->err = err;
	w->requests += head->kind == IOLAT_EV_REQUEST;
	return encoder_full(&w->encoder) ? capture_flush(w) : 0;
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
