/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Draws the latency of a row as bars of stars, a line a power of two: the fine buckets
 * of stats/hist.h nest in those exactly. The parts, queue and device, get a line with
 * their percentiles where they are known.
 */
#include "render/histogram.h"

#include <inttypes.h>

#include "base/units.h"
#include "render/columns.h"

#define BAR_WIDTH 40
#define LINES	  65 /* 0, and a power of two each */

struct bars {
	uint64_t counts[LINES]; /* [n]: values of n significant bits */
	uint64_t max;
	int first, last;
};

static int bits_of(uint64_t v)
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

static void bars_fill(struct bars *bars, const struct hist *h)
{
	struct hist_bucket b;
	int n;

	bars->first = LINES;
	for (size_t i = 0; hist_next(h, &i, &b);) {
		n = bits_of(b.lo);
		bars->counts[n] += b.count;
		if (bars->counts[n] > bars->max)
			bars->max = bars->counts[n];
		if (n < bars->first)
			bars->first = n;
		bars->last = n;
	}
}

/* Rounded up: the few slow ones are what one looks for. */
static int stars_of(uint64_t count, uint64_t max)
{
	double share = (double)count / max * BAR_WIDTH;
	int stars = share;

	return stars < share ? stars + 1 : stars;
}

static void put_bar(FILE *out, const struct bars *bars, int n)
{
	uint64_t lo = n ? UINT64_C(1) << (n - 1) : 0;
	uint64_t hi = n ? lo + (lo - 1) + (n < 64) : 1;
	int stars = stars_of(bars->counts[n], bars->max);
	char from[UNITS_LEN], to[UNITS_LEN];

	fprintf(out, "  %8s -> %-8s : %-10" PRIu64 " |", fmt_duration(from, lo),
		fmt_duration(to, hi), bars->counts[n]);
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < stars ? '*' : ' ', out);
	fputs("|\n", out);
}

static void put_part(FILE *out, const char *name, const struct hist *h)
{
	char p50[UNITS_LEN], p99[UNITS_LEN], max[UNITS_LEN];

	if (!h->count)
		return;
	fprintf(out, "  %s p50 %s, p99 %s, max %s", name,
		fmt_duration(p50, hist_percentile(h, 0.5)),
		fmt_duration(p99, hist_percentile(h, 0.99)), fmt_duration(max, h->max));
}

static void put_parts(FILE *out, const struct row *row)
{
	if (!row->queue.count && !row->device.count)
		return;
	put_part(out, "queue", &row->queue);
	put_part(out, "device", &row->device);
	fputc('\n', out);
}

void histogram_print_bars(FILE *out, const struct row *row)
{
	struct bars bars = {.max = 0};

	bars_fill(&bars, &row->total);
	for (int n = bars.first; n <= bars.last; n++)
		put_bar(out, &bars, n);
	put_parts(out, row);
}

void histogram_print(FILE *out, const struct snapshot *frame, const struct row *row)
{
	column_print_keys(out, frame, row);
	fputc('\n', out);
	histogram_print_bars(out, row);
}
