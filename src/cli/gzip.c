// SPDX-License-Identifier: GPL-2.0
/* zlib's deflate behind a stdio cookie. */
#include "cli/gzip.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

struct gzip {
	z_stream z;
	FILE *to;
	unsigned char out[65536];
};

/* What deflate has to give; 0 or -1. */
static int push(struct gzip *g, int flush)
{
	int more;

	do {
		size_t n;

		g->z.next_out = g->out;
		g->z.avail_out = sizeof(g->out);
		more = deflate(&g->z, flush);
		n = sizeof(g->out) - g->z.avail_out;
		if (more == Z_STREAM_ERROR || fwrite(g->out, 1, n, g->to) != n)
			return -1;
	} while (!g->z.avail_out);
	return 0;
}

static ssize_t gzip_write(void *cookie, const char *buf, size_t size)
{
	struct gzip *g = cookie;

	g->z.next_in = (unsigned char *)(uintptr_t)buf;
	g->z.avail_in = (unsigned int)size;
	return push(g, Z_NO_FLUSH) ? 0 : (ssize_t)size;
}

static int gzip_end(void *cookie)
{
	struct gzip *g = cookie;
	int err = push(g, Z_FINISH);

	deflateEnd(&g->z);
	free(g);
	return err;
}

FILE *gzip_onto(FILE *to)
{
	struct gzip *g = calloc(1, sizeof(*g));
	FILE *f = NULL;

	if (!g)
		return NULL;
	g->to = to;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK)
		f = fopencookie(g, "w", (cookie_io_functions_t){.write = gzip_write, .close = gzip_end});
	if (!f)
		free(g);
	return f;
}
