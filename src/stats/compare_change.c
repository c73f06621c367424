// SPDX-License-Identifier: GPL-2.0
/*
 * What is a change and what is chance. A percentile of n requests lies, nearly always, between those of the ranks
 * two standard deviations of the binomial distribution below and above; where these spans of two runs meet,
 * nothing has been shown. The same for counts, which scatter by their square root.
 */
#include <math.h>

#include "stats/compare.h"

#define DEVIATIONS   2.0
#define RESOLUTION   (1.0 / 16) /* two buckets of a histogram */
#define BLOCKED_LEAST 1.0	/* points of a hundred */

struct span {
	double lo, hi;
};

static double share_of(enum compare_measure m)
{
	return m == COMPARE_P50 ? 0.5 : m == COMPARE_P90 ? 0.9 : 0.99;
}

bool compare_value(const struct compare_sums *s, enum compare_measure m, double *out)
{
	if (!s->there)
		return false;
	switch (m) {
	case COMPARE_IOS:
		*out = (double)s->ios;
		return true;
	case COMPARE_BYTES:
		*out = (double)s->bytes;
		return true;
	case COMPARE_MAX:
		*out = (double)s->total.max;
		return s->total.count;
	case COMPARE_BLOCKED:
		*out = s->wall_ns ? 100.0 * (double)s->blocked_ns / (double)s->wall_ns : 0;
		return s->wall_ns;
	default:
		*out = (double)hist_percentile(&s->total, share_of(m));
		return s->total.count;
	}
}

static struct span percentile_span(const struct hist *h, double p)
{
	double n = (double)h->count, off = DEVIATIONS * sqrt(n * p * (1 - p)) / n;

	return (struct span){
		.lo = p > off ? (double)hist_percentile(h, p - off) : 0,
		.hi = p + off < 1 ? (double)hist_percentile(h, p + off) : INFINITY,
	};
}

/* The resolution widens either span; both were upper bounds already. */
static bool apart(struct span a, struct span b)
{
	return a.hi * (1 + RESOLUTION) < b.lo || b.hi * (1 + RESOLUTION) < a.lo;
}

static bool count_differs(double a, double b)
{
	return fabs(a - b) > DEVIATIONS * sqrt(a + b);
}

/* Bytes scatter as their requests do. */
static bool bytes_differ(const struct compare_sums *a, const struct compare_sums *b, double before, double after)
{
	double size_a = a->ios ? before / (double)a->ios : 0, size_b = b->ios ? after / (double)b->ios : 0;

	return fabs(before - after) > DEVIATIONS * sqrt(size_a * before + size_b * after);
}

/* One request shows nothing, unless it took what the other did. */
static enum compare_change change_of_max(double before, double after)
{
	return fabs(before - after) <= RESOLUTION * fmax(before, after) ? CHANGE_SAME : CHANGE_UNKNOWN;
}

static bool differs(const struct compare_sums *a, const struct compare_sums *b, enum compare_measure m, double before,
		    double after)
{
	switch (m) {
	case COMPARE_IOS:
		return count_differs(before, after);
	case COMPARE_BYTES:
		return bytes_differ(a, b, before, after);
	case COMPARE_BLOCKED:
		return fabs(before - after) > BLOCKED_LEAST && fabs(before - after) > RESOLUTION * fmax(before, after);
	default:
		return apart(percentile_span(&a->total, share_of(m)), percentile_span(&b->total, share_of(m)));
	}
}

enum compare_change compare_change(const struct compare_group *g, enum compare_measure m)
{
	const struct compare_sums *a = &g->sums[COMPARE_BEFORE], *b = &g->sums[COMPARE_AFTER];
	double before, after;

	if (!compare_value(a, m, &before) || !compare_value(b, m, &after))
		return CHANGE_UNKNOWN;
	if (m == COMPARE_MAX)
		return change_of_max(before, after);
	if (!differs(a, b, m, before, after))
		return CHANGE_SAME;
	return after < before ? CHANGE_LESS : CHANGE_MORE;
}
