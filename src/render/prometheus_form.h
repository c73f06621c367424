/* SPDX-License-Identifier: GPL-2.0 */
/* What prometheus.c's families are written through: one implementation a form. */
#ifndef IOLAT_RENDER_PROMETHEUS_FORM_H
#define IOLAT_RENDER_PROMETHEUS_FORM_H

#include "base/protobuf.h"
#include "stats/metrics.h"

enum family_type { COUNTER, GAUGE, HISTOGRAM, INFO };

/* Of what the values are, as they are given here; names end in the unit. */
enum family_unit {
	UNIT_NONE,
	UNIT_SECONDS,	/* given in ns */
	UNIT_BYTES,
	UNIT_RATIO,	/* given in percent */
};

struct writer;

struct family {
	const char *name;	/* without _total and _info */
	enum family_type type;
	enum family_unit unit;
	const char *help;
	void (*put)(struct writer *w, const struct family *f);
};

/* Which sample of a family: labels of `x` (NULL: none), and one more (NULL: none). */
struct sample {
	const struct metric *x;
	const char *label, *value;
};

/* Upper bounds of a histogram's buckets: those of this program's own, powers of two of nanoseconds less one, so that no
 * value is counted on the wrong side: from 33 us to 8.6 s, each `step` times the one before. */
struct bounds {
	int n, step;
};

struct prometheus_ops {
	const char *type;	/* media type for HTTP */
	void (*begin)(struct writer *w, const struct family *f);
	void (*number)(struct writer *w, const struct family *f, const struct sample *s, uint64_t v);
	void (*histogram)(struct writer *w, const struct family *f, const struct metric *x,
			  const struct hist *h, const struct bounds *b);
	void (*end)(struct writer *w, const struct family *f);
	void (*finish)(struct writer *w);
};

struct writer {
	FILE *out;
	const struct metrics *m;
	const struct prometheus_ops *ops;
	uint64_t now_ns;
	struct protobuf pb;	/* for the form that needs it */
};

extern const struct prometheus_ops prometheus_text, prometheus_openmetrics, prometheus_protobuf;

/* In ns. */
uint64_t prometheus_bound(const struct bounds *b, int i);

/* How many values are at most each bound. */
void prometheus_cumulate(const struct hist *h, const struct bounds *b, uint64_t to[METRIC_BOUNDS]);

#endif
