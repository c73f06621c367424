// SPDX-License-Identifier: GPL-2.0
/* Puts each bucket into the one that has its beginning; buckets are as wide as the widest of all, or wider. */
#include "stats/timeline_join.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "attrib/model.h"

static void choose_width(struct timeline *out, const struct snapshot *parts, size_t n, uint64_t span_ns)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].timeline && parts[i].timeline->width_ns > out->width_ns)
			out->width_ns = parts[i].timeline->width_ns;
	while (span_ns / out->width_ns >= TIMELINE_BUCKETS)
		out->width_ns *= 2;
}

/* The place of a host's disk; disks that find none share the last. */
static int add_disk(struct timeline *out, const struct disk *disk, const char *host, size_t *place)
{
	struct known_disk *d;

	*place = TIMELINE_DISKS;
	if (!disk || out->n_disks == TIMELINE_DISKS)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->refs = 1;
	snprintf(d->pub.name, sizeof(d->pub.name), "%.15s: %.13s", host ? host : "?", disk->name);
	*place = out->n_disks;
	out->disks[out->n_disks++] = d;
	return 0;
}

struct joining {
	struct timeline *out;
	const struct timeline *from;
	uint64_t ahead_ns; /* how much later it begins */
};

static int add_track(const struct joining *g, struct timeline_track **to, const struct timeline_track *from)
{
	struct timeline_bucket b;

	if (!from)
		return 0;
	if (!*to)
		*to = calloc(1, sizeof(**to));
	if (!*to)
		return -ENOMEM;
	for (size_t i = 0; i < g->from->used; i++) {
		size_t at = (g->ahead_ns + i * g->from->width_ns) / g->out->width_ns;

		timeline_sum(from, i, 1, &b);
		timeline_add_bucket(&(*to)->buckets[at < TIMELINE_BUCKETS ? at : TIMELINE_BUCKETS - 1], &b);
	}
	return 0;
}

static int add_part(const struct joining *g, const char *host)
{
	size_t place;
	int err = 0;

	for (size_t i = 0; !err && i <= TIMELINE_DISKS; i++) {
		if (i < TIMELINE_DISKS && i >= g->from->n_disks)
			continue;
		err = add_disk(g->out, timeline_disk(g->from, i), host, &place);
		for (int whose = 0; !err && whose < TIMELINE_WHOSE_MAX; whose++)
			for (int op = 0; !err && op < IOLAT_OP_MAX; op++)
				err = add_track(g, &g->out->tracks[place][whose][op], g->from->tracks[i][whose][op]);
	}
	return err;
}

int timeline_join(struct timeline *out, const struct snapshot *parts, size_t n, uint64_t start_wall_ns,
		  uint64_t end_wall_ns)
{
	int err = 0;

	timeline_init(out);
	timeline_start(out, start_wall_ns);
	choose_width(out, parts, n, end_wall_ns - start_wall_ns);
	for (size_t i = 0; !err && i < n; i++) {
		const struct joining g = {out, parts[i].timeline, parts[i].start_wall_ns - start_wall_ns};

		if (g.from)
			err = add_part(&g, parts[i].host);
	}
	timeline_reach(out, end_wall_ns);
	return err;
}
