// SPDX-License-Identifier: GPL-2.0
/*
 * Percentile distributions as HdrHistogram prints them, for its plotters: value, percentile, the requests up to
 * it, and how many times rarer it is. A block a row, behind a comment that names it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "render/columns.h"
#include "render/formats.h"
#include "render/order.h"

#define TICKS_PER_HALF 5
#define US	       1000.0

/* Decimals with a point, whatever the locale. */
static void put_real(FILE *out, int width, int decimals, double v)
{
	uint64_t power = 1, scaled;
	char text[64];

	for (int i = 0; i < decimals; i++)
		power *= 10;
	scaled = (uint64_t)llround(v * (double)power);
	snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64, scaled / power, decimals, scaled % power);
	fprintf(out, "%*s", width, text);
}

static void put_line(FILE *out, double value_ns, double percentile, uint64_t count)
{
	put_real(out, 12, 3, value_ns / US);
	fputc(' ', out);
	put_real(out, 14, 12, percentile);
	fprintf(out, " %10" PRIu64, count);
	if (percentile < 1) {
		fputc(' ', out);
		put_real(out, 14, 2, 1 / (1 - percentile));
	}
	fputc('\n', out);
}

/* The next percentile to tell: the closer to 1, the closer together. */
static double next_level(double level)
{
	double halves = floor(log2(1 / (1 - level))) + 1;

	return level + 1 / (TICKS_PER_HALF * exp2(halves));
}

static void put_levels(FILE *out, const struct hist *h)
{
	uint64_t below = 0;
	double level = 0;
	struct hist_bucket b;

	for (size_t i = 0; hist_next(h, &i, &b) && below < h->count;) {
		double value = (double)(b.hi < h->max ? b.hi : h->max);

		below += b.count;
		while (level < 1 && below < h->count && (double)below / (double)h->count >= level) {
			put_line(out, value, level, below);
			level = next_level(level);
		}
	}
	put_line(out, (double)h->max, 1, h->count);
}

/* From the buckets' middles: their width bounds the error. */
static double deviation(const struct hist *h)
{
	double mean = (double)h->sum / (double)h->count, squares = 0;
	struct hist_bucket b;

	for (size_t i = 0; hist_next(h, &i, &b);) {
		double off = ((double)b.lo + (double)b.hi) / 2 - mean;

		squares += (double)b.count * off * off;
	}
	return sqrt(squares / (double)h->count);
}

static void put_footer(FILE *out, const struct hist *h)
{
	fputs("#[Mean    = ", out);
	put_real(out, 12, 3, (double)h->sum / (double)h->count / US);
	fputs(", StdDeviation   = ", out);
	put_real(out, 12, 3, deviation(h) / US);
	fputs("]\n#[Max     = ", out);
	put_real(out, 12, 3, (double)h->max / US);
	fprintf(out, ", Total count    = %12" PRIu64 "]\n", h->count);
}

static int hdr_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	const struct row **rows;

	if (s->type != SNAPSHOT_SUMMARY)
		return 0;
	rows = order_rows(s, o);
	if (!rows)
		return -ENOMEM;
	fputs("#[latency from submission to completion, in microseconds]\n", out);
	for (size_t i = 0; i < s->n_rows; i++) {
		if (!rows[i]->total.count)
			continue;
		fputs("#[", out);
		column_print_keys(out, s, rows[i]);
		fputs("]\n", out);
		fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", out);
		put_levels(out, &rows[i]->total);
		put_footer(out, &rows[i]->total);
	}
	free(rows);
	return 0;
}

const struct renderer renderer_hdr = {.name = "hdr", .snapshot = hdr_snapshot};
