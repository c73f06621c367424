// SPDX-License-Identifier: GPL-2.0
/*
 * Sorts requests into buckets of time. A request counts in the bucket in which it completed; its
 * time in flight is spread over all buckets that it touches.
 */
#include "stats/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attrib/model.h"

#define FIRST_BITS 10 /* level 1 begins at 1 << FIRST_BITS ns */
#define SUB_BITS   2
#define SUBS	   (1u << SUB_BITS)

void timeline_init(struct timeline *s)
{
	*s = (struct timeline){.width_ns = TIMELINE_WIDTH_NS};
}

static void free_tracks(struct timeline_track *tracks[TIMELINE_WHOSE_MAX][IOLAT_OP_MAX])
{
	for (int whose = 0; whose < TIMELINE_WHOSE_MAX; whose++)
		for (int op = 0; op < IOLAT_OP_MAX; op++)
			free(tracks[whose][op]);
}

void timeline_free(struct timeline *s)
{
	for (size_t i = 0; i <= TIMELINE_DISKS; i++)
		free_tracks(s->tracks[i]);
	for (size_t i = 0; i < s->n_disks; i++)
		known_disk_unref(s->disks[i]);
	timeline_init(s);
}

void timeline_start(struct timeline *s, uint64_t start_ns)
{
	if (!s->started)
		s->start_ns = start_ns;
	s->started = true;
}

/* --- latency levels --------------------------------------------------------------- */

unsigned int timeline_level(uint64_t latency_ns)
{
	unsigned int octave, level;

	if (latency_ns < 1u << FIRST_BITS)
		return 0;
	octave = 63 - FIRST_BITS - (unsigned int)__builtin_clzll(latency_ns);
	level = 1 + octave * SUBS;
	level += (unsigned int)(latency_ns >> (octave + FIRST_BITS - SUB_BITS)) & (SUBS - 1);
	return level < TIMELINE_LEVELS ? level : TIMELINE_LEVELS - 1;
}

uint64_t timeline_level_floor(unsigned int level)
{
	unsigned int octave = (level - 1) / SUBS, sub = (level - 1) % SUBS;

	return level ? (uint64_t)(SUBS + sub) << (octave + FIRST_BITS - SUB_BITS) : 0;
}

/* --- buckets ---------------------------------------------------------------------- */

void timeline_add_bucket(struct timeline_bucket *into, const struct timeline_bucket *from)
{
	into->ios += from->ios;
	into->bytes += from->bytes;
	into->in_flight_ns += from->in_flight_ns;
	for (int i = 0; i < TIMELINE_LEVELS; i++)
		into->levels[i] += from->levels[i];
}

const struct disk *timeline_disk(const struct timeline *s, size_t i)
{
	return i < s->n_disks ? &s->disks[i]->pub : NULL;
}

void timeline_sum(const struct timeline_track *t, size_t first, size_t n,
		  struct timeline_bucket *out)
{
	*out = (struct timeline_bucket){0};
	for (size_t i = first; i < first + n && i < TIMELINE_BUCKETS; i++)
		timeline_add_bucket(out, &t->buckets[i]);
}

static void halve_track(struct timeline_track *t)
{
	struct timeline_bucket *b = t->buckets;

	for (size_t i = 0; i < TIMELINE_BUCKETS / 2; i++) {
		b[i] = b[2 * i];
		timeline_add_bucket(&b[i], &b[2 * i + 1]);
	}
	memset(&b[TIMELINE_BUCKETS / 2], 0, sizeof(*b) * TIMELINE_BUCKETS / 2);
}

static void halve(struct timeline *s)
{
	struct timeline_track **t = &s->tracks[0][0][0];

	for (size_t i = 0; i < sizeof(s->tracks) / sizeof(*t); i++)
		if (t[i])
			halve_track(t[i]);
	s->width_ns *= 2;
	s->used = (s->used + 1) / 2;
}

/* The bucket of a time, which must not lie behind the last one. */
static size_t bucket_of(const struct timeline *s, uint64_t t)
{
	return t > s->start_ns ? (t - s->start_ns) / s->width_ns : 0;
}

/* Makes buckets wide enough for a time; ends, since 400 times 2^57 ns are all there is. */
static void make_room(struct timeline *s, uint64_t t)
{
	while (bucket_of(s, t) >= TIMELINE_BUCKETS)
		halve(s);
	if (bucket_of(s, t) >= s->used)
		s->used = bucket_of(s, t) + 1;
}

void timeline_reach(struct timeline *s, uint64_t end_ns)
{
	if (s->started && end_ns > s->start_ns)
		make_room(s, end_ns - 1);
}

/* --- requests --------------------------------------------------------------------- */

static size_t disk_index(struct timeline *s, struct known_disk *disk)
{
	if (!disk)
		return TIMELINE_DISKS;
	for (size_t i = 0; i < s->n_disks; i++)
		if (s->disks[i]->pub.number == disk->pub.number)
			return i;
	if (s->n_disks == TIMELINE_DISKS)
		return TIMELINE_DISKS;
	disk->refs++;
	s->disks[s->n_disks] = disk;
	return s->n_disks++;
}

static struct timeline_track *track_of(struct timeline *s, struct known_disk *disk,
				       const struct iolat_request *e)
{
	bool copy = e->flags & IOLAT_RQ_COPY;
	struct timeline_track **t = &s->tracks[disk_index(s, disk)][copy][e->op];

	if (!*t)
		*t = calloc(1, sizeof(**t));
	return *t;
}

static uint64_t latency_of(const struct iolat_request *e)
{
	uint64_t sum = e->queue_ns + e->device_ns;

	return sum < e->queue_ns ? UINT64_MAX : sum;
}

static void add_in_flight(const struct timeline *s, struct timeline_track *t, uint64_t from,
			  uint64_t to)
{
	uint64_t end;

	if (from < s->start_ns)
		from = s->start_ns;
	for (size_t i = bucket_of(s, from); from < to; i++) {
		end = s->start_ns + (i + 1) * s->width_ns;
		if (end > to || end < from) /* or beyond what a number holds */
			end = to;
		t->buckets[i].in_flight_ns += end - from;
		from = end;
	}
}

int timeline_add(struct timeline *s, struct known_disk *disk, const struct iolat_request *e)
{
	uint64_t latency = latency_of(e), from = latency < e->end_ns ? e->end_ns - latency : 0;
	struct timeline_track *t = track_of(s, disk, e);
	struct timeline_bucket *b;

	if (!t)
		return -ENOMEM;
	timeline_start(s, from);
	make_room(s, e->end_ns);
	b = &t->buckets[bucket_of(s, e->end_ns)];
	b->ios++;
	b->bytes += e->bytes;
	b->levels[timeline_level(latency)]++;
	add_in_flight(s, t, from, e->end_ns);
	return 0;
}
