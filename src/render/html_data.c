// SPDX-License-Identifier: GPL-2.0
/*
 * The data of the charts as one JSON object: the run as -f json writes it, but without its rows;
 * the rows that waited the longest, with coarser histograms; the timeline.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "render/columns.h"
#include "render/formats.h"
#include "render/html.h"
#include "render/json_row.h"

#define ROWS_BYTES	 400000 /* of all rows */
#define TIMELINE_NUMBERS 100000
#define MIN_COLUMNS	 100
#define COLUMN_REQUESTS	 20
#define SHOWN_DISKS	 64
#define SHOWN_TASKS	 200 /* tasks, and what is stuck: those that waited the longest */
#define OCTAVE_BITS	 3 /* buckets a power of two, as bits */
#define INERT_LT	 "\\u003c"

/* --- text ---------------------------------------------------------------------- */

/* Takes the next character of a JSON text in a form that does nothing: "<" stands inside strings only, and as an escape
 * it ends no script and opens no comment; what would reorder a line is a "?", as in texts. */
static const char *take_inert(const char **json, char one[TEXT_CHAR])
{
	bool blank = **json == '\n'; /* between values */

	*json += text_printable_char(one, *json);
	return blank ? "\n" : *one == '<' ? INERT_LT : one;
}

static void put_inert(FILE *out, const char *json)
{
	char one[TEXT_CHAR];

	while (*json)
		fputs(take_inert(&json, one), out);
}

/* What put_inert makes of it. */
static size_t inert_size(const char *json)
{
	char one[TEXT_CHAR];
	size_t size = 0;

	while (*json)
		size += strlen(take_inert(&json, one));
	return size;
}

/* --- rows ---------------------------------------------------------------------- */

/* The upper bound of the coarse bucket that a value falls in. */
static uint64_t coarse_le(uint64_t v)
{
	unsigned int bits = v ? 64 - (unsigned int)__builtin_clzll(v) : 0;

	return bits <= OCTAVE_BITS + 1 ? v : v | ((1ULL << (bits - OCTAVE_BITS - 1)) - 1);
}

/* [le_ns, count, le_ns, count, ...]; the fine buckets nest in the coarse ones. */
static void put_coarse(struct json *j, const struct hist *h)
{
	uint64_t le = 0, count = 0;
	struct hist_bucket b;

	json_open(j, '[');
	for (size_t i = 0; hist_next(h, &i, &b);) {
		if (count && coarse_le(b.lo) != le) {
			json_u64(j, le);
			json_u64(j, count);
			count = 0;
		}
		le = coarse_le(b.lo);
		count += b.count;
	}
	if (count) {
		json_u64(j, le);
		json_u64(j, count);
	}
	json_close(j, ']');
}

/* One more row, unless it would be too much: false. */
static bool put_row(struct json *j, const struct html_page *p, size_t i, size_t *left)
{
	char *text = NULL;
	struct json row;
	size_t size = 0;
	FILE *mem = open_memstream(&text, &size);
	bool fits;

	if (!mem)
		return false;
	json_begin(&row, mem);
	json_row(&row, p->s->by, p->rows[i], put_coarse);
	fits = !fclose(mem) && inert_size(text) <= *left;
	if (fits) {
		json_raw(j, text);
		*left -= inert_size(text);
	}
	free(text);
	return fits;
}

static void put_rows(struct json *j, const struct html_page *p)
{
	size_t left = ROWS_BYTES;

	json_ku64(j, "rows_total", p->s->n_rows);
	json_key(j, "rows");
	json_open(j, '[');
	for (size_t i = 0; i < p->s->n_rows && put_row(j, p, i, &left); i++)
		;
	json_close(j, ']');
}

/* --- timeline -------------------------------------------------------------------- */

/* What is written: each `step` buckets as one. */
struct plot {
	const struct timeline *timeline;
	size_t step;
	uint64_t end_ns; /* of the run */
};

static bool first_level(const struct timeline_bucket *b, unsigned int *first, unsigned int *last)
{
	*first = 0;
	while (*first < TIMELINE_LEVELS && !b->levels[*first])
		++*first;
	if (*first == TIMELINE_LEVELS)
		return false;
	*last = TIMELINE_LEVELS - 1;
	while (!b->levels[*last])
		--*last;
	return true;
}

static size_t track_numbers(const struct plot *p, const struct timeline_track *t)
{
	unsigned int first, last;
	struct timeline_bucket b;
	size_t n = 0;

	for (size_t i = 0; t && i < p->timeline->used; i += p->step) {
		timeline_sum(t, i, p->step, &b);
		n += 3;
		if (first_level(&b, &first, &last))
			n += last - first + 2;
	}
	return n;
}

#define N_TRACKS (sizeof(((struct timeline *)0)->tracks) / sizeof(struct timeline_track *))

static struct timeline_track *const *all_tracks(const struct timeline *s)
{
	return &s->tracks[0][0][0];
}

static size_t count_numbers(const struct plot *p)
{
	size_t n = 0;

	for (size_t i = 0; i < N_TRACKS; i++)
		n += track_numbers(p, all_tracks(p->timeline)[i]);
	return n;
}

static uint64_t count_requests(const struct timeline *s)
{
	struct timeline_bucket b;
	uint64_t n = 0;

	for (size_t i = 0; i < N_TRACKS; i++) {
		if (!all_tracks(s)[i])
			continue;
		timeline_sum(all_tracks(s)[i], 0, TIMELINE_BUCKETS, &b);
		n += b.ios;
	}
	return n;
}

/* Columns with hardly a request each show noise. */
static bool too_fine(const struct plot *p)
{
	size_t columns = p->timeline->used / p->step;

	return columns > MIN_COLUMNS && count_requests(p->timeline) / columns < COLUMN_REQUESTS;
}

static void put_counts(struct json *j, const struct plot *p, const struct timeline_track *t,
		       const char *key, size_t field)
{
	struct timeline_bucket b;

	json_key(j, key);
	json_open(j, '[');
	for (size_t i = 0; i < p->timeline->used; i += p->step) {
		timeline_sum(t, i, p->step, &b);
		json_u64(j, *(const uint64_t *)((const char *)&b + field));
	}
	json_close(j, ']');
}

/* The mean number in flight; the last bucket may end with the run. */
static void put_depth(struct json *j, const struct plot *p, const struct timeline_track *t)
{
	uint64_t width = p->timeline->width_ns * p->step, from, covered;
	struct timeline_bucket b;

	json_key(j, "depth");
	json_open(j, '[');
	for (size_t i = 0; i < p->timeline->used; i += p->step) {
		from = p->timeline->start_ns + i * p->timeline->width_ns;
		covered = p->end_ns > from && p->end_ns - from < width ? p->end_ns - from : width;
		timeline_sum(t, i, p->step, &b);
		json_double(j, (double)b.in_flight_ns / (double)covered, 3);
	}
	json_close(j, ']');
}

/* Per bucket [] or [first level, count, count, ...]. */
static void put_levels(struct json *j, const struct plot *p, const struct timeline_track *t)
{
	unsigned int first, last;
	struct timeline_bucket b;

	json_key(j, "levels");
	json_open(j, '[');
	for (size_t i = 0; i < p->timeline->used; i += p->step) {
		timeline_sum(t, i, p->step, &b);
		json_open(j, '[');
		if (first_level(&b, &first, &last)) {
			json_u64(j, first);
			for (; first <= last; first++)
				json_u64(j, b.levels[first]);
		}
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_track(struct json *j, const struct plot *p, size_t index)
{
	const struct timeline_track *t = all_tracks(p->timeline)[index];
	size_t op = index % IOLAT_OP_MAX, rest = index / IOLAT_OP_MAX;
	const struct disk *disk = timeline_disk(p->timeline, rest / TIMELINE_WHOSE_MAX);

	json_open(j, '{');
	json_kstr(j, "device", disk ? disk->name : NULL);
	json_kstr(j, "op", column_op_name((enum iolat_op)op));
	json_key(j, "copy");
	json_bool(j, rest % TIMELINE_WHOSE_MAX == TIMELINE_COPY);
	put_counts(j, p, t, "ios", offsetof(struct timeline_bucket, ios));
	put_counts(j, p, t, "bytes", offsetof(struct timeline_bucket, bytes));
	put_depth(j, p, t);
	put_levels(j, p, t);
	json_close(j, '}');
}

static void put_floors(struct json *j)
{
	json_key(j, "floors");
	json_open(j, '[');
	for (unsigned int i = 0; i < TIMELINE_LEVELS; i++)
		json_u64(j, timeline_level_floor(i));
	json_close(j, ']');
}

static void put_timeline(struct json *j, const struct html_page *page)
{
	const struct timeline *s = page->s->timeline;
	struct plot p = {.timeline = s, .step = 1};

	json_key(j, "timeline");
	if (!s || !count_requests(s)) {
		json_null(j);
		return;
	}
	p.end_ns = s->start_ns + page->s->duration_ns;
	while (count_numbers(&p) > TIMELINE_NUMBERS || too_fine(&p))
		p.step *= 2;
	json_open(j, '{');
	json_ku64(j, "width_ns", s->width_ns * p.step);
	put_floors(j);
	json_key(j, "tracks");
	json_open(j, '[');
	for (size_t i = 0; i < N_TRACKS; i++)
		if (all_tracks(s)[i])
			put_track(j, &p, i);
	json_close(j, ']');
	json_close(j, '}');
}

/* --- the object ---------------------------------------------------------------- */

/* The frame as -f json has it, without what may be long. */
static int put_run(struct json *j, const struct html_page *p)
{
	struct snapshot s = *p->s;
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);
	int err;

	s.n_rows = 0;
	if (s.n_stuck > SHOWN_TASKS)
		s.n_stuck = SHOWN_TASKS;
	if (s.n_tasks > SHOWN_TASKS)
		s.n_tasks = SHOWN_TASKS;
	if (s.coverage.n_disks > SHOWN_DISKS)
		s.coverage.n_disks = SHOWN_DISKS;
	err = mem ? renderer_json.snapshot(mem, &s, p->o) : -ENOMEM;
	if (mem && fclose(mem))
		err = -ENOMEM;
	json_key(j, "run");
	if (!err)
		json_raw(j, text);
	free(text);
	return err;
}

static int put_object(FILE *out, const struct html_page *p)
{
	struct json j;
	int err;

	json_begin(&j, out);
	json_open(&j, '{');
	err = put_run(&j, p);
	put_rows(&j, p);
	put_timeline(&j, p);
	json_close(&j, '}');
	json_end(&j);
	return err;
}

int html_data(FILE *out, const struct html_page *p)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);
	int err = mem ? put_object(mem, p) : -ENOMEM;

	if (mem && fclose(mem))
		err = -ENOMEM;
	if (!err)
		put_inert(out, text);
	free(text);
	return err;
}
