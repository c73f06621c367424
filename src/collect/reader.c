// SPDX-License-Identifier: GPL-2.0
/*
 * The table of such programs and the reading of them. A walk over a map is a link of its own (5.9), made
 * once; each reading of it is a fresh descriptor.
 */
#include "collect/reader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "collect/tracer.h"

#define SLEEPS_BATCH 1024u

#define ONE_ENTRY "iolat_once"

/* What is in flight is looked for by FLYING and all behind it. */
enum { NOTE_SLEEPERS, FIND_EARLIER, FLYING };

static const struct reader {
	const char *program;
	const char *map; /* NULL: all tasks */
	bool waits;	 /* only where waits are traced */
} readers[] = {
	[NOTE_SLEEPERS] = {"iolat_asleep", NULL, true},
	[FIND_EARLIER] = {"iolat_find_earlier", ONE_ENTRY, false},
	[FLYING] = {"iolat_flying_earlier", "iolat_earlier", false},
	{"iolat_inflight", ONE_ENTRY, false}, /* in the newest form; the others in older ones */
	{"iolat_flying", "iolat_flights2", false},
	{"iolat_bio_flying", "iolat_bflights2", false},
	{"iolat_arriving", "iolat_bios2", false},
};
#define N_READERS (sizeof(readers) / sizeof(readers[0]))
_Static_assert(N_READERS <= READERS_MAX, "raise READERS_MAX");

bool reader_wanted(const char *program, bool waits)
{
	for (size_t i = 0; i < N_READERS; i++)
		if (!strcmp(readers[i].program, program))
			return waits || !readers[i].waits;
	return false;
}

static struct bpf_link *open_reader(const struct reader *r, struct bpf_object *obj)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, r->program);
	union bpf_iter_link_info what = {};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &what, .link_info_len = sizeof(what));

	if (!prog || bpf_program__fd(prog) < 0)
		return NULL;
	if (!r->map)
		return bpf_program__attach_iter(prog, NULL);
	what.map.map_fd = bpf_object__find_map_fd_by_name(obj, r->map);
	return bpf_program__attach_iter(prog, &opts);
}

void readers_open(struct readers *r, struct bpf_object *obj)
{
	for (size_t i = 0; i < N_READERS; i++)
		r->links[i] = open_reader(&readers[i], obj);
}

void readers_close(struct readers *r)
{
	for (size_t i = 0; i < N_READERS; i++) {
		bpf_link__destroy(r->links[i]);
		r->links[i] = NULL;
	}
}

static int start(const struct bpf_link *link)
{
	int fd = bpf_iter_create(bpf_link__fd(link));

	return fd < 0 ? -errno : fd;
}

int reader_events(const struct bpf_link *link, size_t size, const struct sink *sink)
{
	AUTO_CLOSE int fd = start(link);
	uint64_t room[512];
	char *buf = (char *)room;
	size_t have = 0, whole;
	ssize_t n = 0;
	int err = 0;

	if (fd < 0)
		return fd;
	while (!err && (n = read(fd, buf + have, sizeof(room) - have)) > 0) {
		have += n;
		whole = have - have % size;
		for (size_t at = 0; !err && at < whole; at += size)
			err = sink->event(sink->ctx, buf + at, size);
		memmove(buf, buf + whole, have - whole);
		have -= whole;
	}
	return !err && n < 0 ? -errno : err;
}

static int ignore(void *ctx, const void *data, size_t size)
{
	return 0;
}

int readers_note_sleepers(const struct readers *r)
{
	const struct sink nowhere = {ignore, NULL};

	return r->links[NOTE_SLEEPERS] ? reader_events(r->links[NOTE_SLEEPERS], 1, &nowhere) : -ENOTSUP;
}

int readers_find_earlier(const struct readers *r, const struct bpf_object *obj, int folder)
{
	const struct sink nowhere = {ignore, NULL};
	uint32_t first = 0, fd = folder;

	if (!r->links[FIND_EARLIER])
		return -ENOTSUP;
	if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(obj, ONE_ENTRY), &first, &fd, BPF_ANY))
		return -errno;
	return reader_events(r->links[FIND_EARLIER], 1, &nowhere);
}

int readers_inflight(const struct readers *r)
{
	const struct sink nowhere = {ignore, NULL};
	int err = 0, n = 0;

	for (size_t i = FLYING; !err && i < N_READERS; i++) {
		if (!r->links[i])
			continue;
		err = reader_events(r->links[i], 1, &nowhere);
		n++;
	}
	return err ? err : n ? 0 : -ENOTSUP;
}

/* As of `now`: what began later is left out. */
static size_t keep_sleeps(struct iolat_wait *waits, size_t n, uint64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (waits[i].start_ns >= now)
			continue;
		waits[i].flags |= IOLAT_WAIT_OPEN;
		if (!waits[i].end_ns || waits[i].end_ns > now)
			waits[i].end_ns = now;
		waits[kept++] = waits[i];
	}
	return kept;
}

/* A few buckets of the table at a time (5.6). */
int reader_sleeps(int fd, uint64_t now, struct iolat_wait **out, size_t *count)
{
	uint32_t tids[SLEEPS_BATCH], from, next, n, *start = NULL;
	struct iolat_wait *waits = NULL, *more;
	int last;

	*count = 0;
	do {
		more = reallocarray(waits, *count + SLEEPS_BATCH, sizeof(*waits));
		if (!more) {
			free(waits);
			return -ENOMEM;
		}
		waits = more;
		n = SLEEPS_BATCH;
		last = bpf_map_lookup_batch(fd, start, &next, tids, waits + *count, &n, NULL);
		if (last && last != -ENOENT) {
			free(waits);
			return last;
		}
		*count += keep_sleeps(waits + *count, n, now);
		from = next;
		start = &from;
	} while (!last);
	*out = waits;
	return 0;
}
