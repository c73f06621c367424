// SPDX-License-Identifier: GPL-2.0
/* Traces of a training are large, so the file is read twice and never held. zlib reads plain files as they are. */
#include "cli/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/log.h"

#define PIECE 65536

struct merge {
	const char *path;
	gzFile file;
	struct trace_merge trace;
	uint64_t base_ns;
};

void merge_close(struct merge *m)
{
	if (!m)
		return;
	if (m->file)
		gzclose(m->file);
	trace_scan_free(&m->trace.scan);
	free(m);
}

const struct trace_merge *merge_trace(const struct merge *m)
{
	return &m->trace;
}

uint64_t merge_base(const struct merge *m)
{
	return m->base_ns;
}

static ssize_t read_on(void *ctx, char *buf, size_t size)
{
	struct merge *m = ctx;
	int n = gzread(m->file, buf, (unsigned int)(size < PIECE ? size : PIECE));

	return n < 0 ? -1 : n;
}

static int refuse(const struct merge *m, const char *why)
{
	log_error("--merge %s: %s", m->path, why);
	return EXIT_FAILED;
}

static int refuse_bytes(const struct merge *m)
{
	log_error("--merge %s: no Chrome trace: %s, at byte %" PRIu64, m->path, m->trace.scan.problem, m->trace.scan.at);
	return EXIT_FAILED;
}

static int scan(struct merge *m)
{
	char buf[PIECE];
	ssize_t n;
	int err = 0;

	trace_scan_init(&m->trace.scan);
	while (!err && (n = read_on(m, buf, sizeof(buf))) > 0)
		err = trace_scan_feed(&m->trace.scan, buf, (size_t)n);
	if (!err && n < 0)
		return refuse(m, "cannot be read to its end");
	err = err ?: trace_scan_end(&m->trace.scan);
	if (err == -EINVAL)
		return refuse_bytes(m);
	return err || gzrewind(m->file) ? refuse(m, strerror(err ? -err : EIO)) : EXIT_OK;
}

static int find_clock(struct merge *m, const struct moment *at)
{
	m->base_ns = at->kind == MOMENT_WALL ? at->ns : m->trace.scan.base_ns;
	if (at->kind == MOMENT_WALL || m->trace.scan.has_base)
		return EXIT_OK;
	log_error("--merge %s: it has no clock (baseTimeNanoseconds); say when its ts 0 was by --merge-at TIME", m->path);
	return EXIT_USAGE;
}

int merge_open(struct merge **out, const char *path, const struct moment *at)
{
	struct merge *m = calloc(1, sizeof(*m));
	int status;

	*out = m;
	if (!m) {
		log_error("--merge %s: %s", path, strerror(ENOMEM));
		return EXIT_FAILED;
	}
	m->path = path;
	m->trace.read = read_on;
	m->trace.ctx = m;
	m->file = gzopen(path, "rbe");
	if (!m->file)
		return refuse(m, strerror(errno));
	status = scan(m);
	return status ?: find_clock(m, at);
}
