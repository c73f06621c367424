// SPDX-License-Identifier: GPL-2.0
/*
 * A recording from anywhere, through everything that a report does with it: as a file, whose checksums stop most of
 * it, or (first byte 1) as what a block holds, played into the analysis and rendered in every format.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/anonymize.h"
#include "capture/decoder.h"
#include "capture/reader.h"
#include "capture/window.h"
#include "render/render.h"
#include "stats/compare.h"
#include "stats/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct player {
	struct window window;
	struct anonymizer *names; /* NULL: they stay */
	struct run *run;
	uint64_t last_ns;
	unsigned int requests;
};

static int take(void *ctx, const void *data, size_t size)
{
	struct player *p = ctx;
	const struct iolat_head *head = window_take(&p->window, data, size);
	uint64_t now;
	int err;

	if (head && p->names)
		head = anonymize(p->names, head, head == data ? size : head->size, &err);
	if (!head)
		return 0;
	now = window_time_of(head, head == data ? size : head->size);
	if (now > p->last_ns)
		p->last_ns = now;
	run_event(p->run, head, head == data ? size : head->size);
	return 0;
}

static int count(void *ctx, const struct request *q)
{
	struct player *p = ctx;

	p->requests += q->total_ns >= q->queue_ns;
	return 0;
}

static void read_file(struct player *p, const uint8_t *data, size_t size)
{
	int fd = memfd_create("recording", 0);
	struct capture_reader *r;
	enum capture_end end;
	uint32_t version;
	char path[32];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!capture_open(&r, path, &version))
		capture_read(r, take, p, &end);
	capture_reader_close(r);
	close(fd);
}

static void decode(struct player *p, const uint8_t *data, size_t size)
{
	struct decoder *d = decoder_new();

	if (!d)
		abort();
	decoder_block(d, data, size, take, p);
	decoder_free(d);
}

static void render_all(const struct snapshot *s)
{
	static const char *const formats[] = {"table", "json", "csv", "html", "prometheus", "hdr"};
	struct render_options o = {.histogram = true};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		FILE *out = fopen("/dev/null", "w");

		if (out && renderer_find(formats[i])->snapshot(out, s, &o))
			abort();
		fclose(out);
	}
}

static void conclude(struct player *p)
{
	struct comparison c;
	struct snapshot s;
	uint64_t now = run_end(p->run) ? run_end(p->run) : p->last_ns;

	if (run_interval(p->run, now / 2, &s) || run_whole(p->run, now, SNAPSHOT_SUMMARY, &s))
		abort();
	render_all(&s);
	if (compare_runs(&c, &s, &s))
		abort();
	for (size_t i = 0; i < c.rows.n; i++)
		if (compare_change(&c.rows.groups[i], COMPARE_P99) > CHANGE_SAME)
			abort();
	compare_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct moment none, later = {MOMENT_OFFSET, 1000};
	static struct anonymizer names = {.salt = 1};
	struct player p = {.names = size && *data & 4 ? &names : NULL};
	struct run_options o = {.by.mask = (1u << BY_MAX) - 1, .timeline = true, .request = count, .request_ctx = &p};

	if (!size)
		return 0;
	for (int key = 0; key < BY_MAX; key++)
		o.by.keys[o.by.n++] = key;
	window_init(&p.window, *data & 2 ? &later : &none, &none);
	if (run_new(&p.run, &o))
		abort();
	if (*data & 1)
		decode(&p, data + 1, size - 1);
	else
		read_file(&p, data + 1, size - 1);
	conclude(&p);
	run_free(p.run);
	return 0;
}
