// SPDX-License-Identifier: GPL-2.0
/*
 * io.prometheus.client.MetricFamily, one message a family with its length before it. A histogram is told twice: in the
 * bounds that the text forms have, and as a native one. Field numbers are of prometheus/client_model's
 * metrics.proto.
 */
#include <math.h>

#include "render/prometheus_form.h"

enum family_field { FAMILY_NAME = 1, FAMILY_HELP, FAMILY_TYPE, FAMILY_METRIC };
enum metric_field { METRIC_LABEL = 1, METRIC_GAUGE = 2, METRIC_COUNTER = 3, METRIC_HISTOGRAM = 7 };
enum label_field { PAIR_NAME = 1, PAIR_VALUE };
enum number_field { NUMBER_VALUE = 1 }; /* of a gauge and of a counter */
enum histogram_field {
	HISTOGRAM_COUNT = 1,
	HISTOGRAM_SUM = 2,
	HISTOGRAM_BUCKET = 3,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD = 6,
	HISTOGRAM_ZERO_COUNT = 7,
	HISTOGRAM_SPAN = 12,
	HISTOGRAM_DELTA = 13,
};
enum bucket_field { BUCKET_COUNT = 1, BUCKET_BOUND };
enum span_field { SPAN_OFFSET = 1, SPAN_LENGTH };

/* A power of two of seconds is cut into 2^SCHEMA native buckets. */
#define SCHEMA	       3
#define ZERO_THRESHOLD 0x1p-30 /* s: less than a nanosecond */
#define NATIVE_MAX     (HIST_OCTAVES << SCHEMA)

static double seconds(double ns)
{
	return ns / 1e9;
}

static void proto_begin(struct writer *w, const struct family *f)
{
	static const char *const suffixes[] = {[COUNTER] = "_total", [GAUGE] = "", [HISTOGRAM] = "", [INFO] = "_info"};
	static const unsigned int types[] = {[COUNTER] = 0, [GAUGE] = 1, [HISTOGRAM] = 4, [INFO] = 1};
	char name[128];

	snprintf(name, sizeof(name), "%s%s", f->name, suffixes[f->type]);
	protobuf_text(&w->pb, FAMILY_NAME, name);
	protobuf_text(&w->pb, FAMILY_HELP, f->help);
	protobuf_u64(&w->pb, FAMILY_TYPE, types[f->type]);
}

static void put_pair(struct protobuf *p, const char *name, const char *value)
{
	protobuf_begin(p, METRIC_LABEL);
	protobuf_text(p, PAIR_NAME, name);
	protobuf_text(p, PAIR_VALUE, value);
	protobuf_end(p);
}

static void put_labels(struct protobuf *p, const struct sample *s)
{
	for (int i = 0; s->x && i < LABEL_MAX; i++)
		if (*s->x->label[i])
			put_pair(p, metric_label_name(i), s->x->label[i]);
	if (s->label)
		put_pair(p, s->label, s->value);
}

static void proto_number(struct writer *w, const struct family *f, const struct sample *s, uint64_t v)
{
	double value = f->unit == UNIT_SECONDS ? seconds((double)v) :
		       f->unit == UNIT_RATIO   ? (double)v / 100 :
						 (double)v;

	protobuf_begin(&w->pb, FAMILY_METRIC);
	put_labels(&w->pb, s);
	protobuf_begin(&w->pb, f->type == COUNTER ? METRIC_COUNTER : METRIC_GAUGE);
	protobuf_double(&w->pb, NUMBER_VALUE, value);
	protobuf_end(&w->pb);
	protobuf_end(&w->pb);
}

/* --- histograms ------------------------------------------------------------------- */

static void put_classic(struct protobuf *p, const struct hist *h, const struct bounds *b)
{
	uint64_t count[METRIC_BOUNDS];

	prometheus_cumulate(h, b, count);
	for (int i = 0; i < b->n; i++) {
		protobuf_begin(p, HISTOGRAM_BUCKET);
		protobuf_u64(p, BUCKET_COUNT, count[i]);
		protobuf_double(p, BUCKET_BOUND, seconds((double)prometheus_bound(b, i)));
		protobuf_end(p);
	}
}

struct native {
	uint64_t zero;
	size_t n;
	int number[NATIVE_MAX];	/* bucket i is up to 2^(i / 2^SCHEMA) seconds */
	uint64_t count[NATIVE_MAX];
};

/* Buckets here are of even widths, native ones are not: each counts where its upper bound is, so that no latency
 * looks shorter than it was. */
static void make_native(struct native *v, const struct hist *h)
{
	struct hist_bucket b;

	v->n = v->zero = 0;
	for (size_t at = 0; hist_next(h, &at, &b);) {
		int number = b.hi ? (int)ceil(log2(seconds((double)b.hi)) * (1 << SCHEMA)) : 0;

		if (!b.hi) {
			v->zero += b.count;
		} else if (v->n && v->number[v->n - 1] == number) {
			v->count[v->n - 1] += b.count;
		} else {
			v->number[v->n] = number;
			v->count[v->n++] = b.count;
		}
	}
}

static void put_span(struct protobuf *p, int offset, size_t length)
{
	protobuf_begin(p, HISTOGRAM_SPAN);
	protobuf_s64(p, SPAN_OFFSET, offset);
	protobuf_u64(p, SPAN_LENGTH, length);
	protobuf_end(p);
}

/* Runs of buckets, each told by how far it is from the end of the one before. */
static void put_spans(struct protobuf *p, const struct native *v)
{
	int end = 0;

	for (size_t from = 0, to; from < v->n; from = to) {
		for (to = from + 1; to < v->n && v->number[to] == v->number[to - 1] + 1; to++)
			;
		put_span(p, v->number[from] - end, to - from);
		end = v->number[to - 1] + 1;
	}
}

static void put_native(struct protobuf *p, const struct hist *h)
{
	struct native v;
	uint64_t before = 0;

	make_native(&v, h);
	protobuf_s64(p, HISTOGRAM_SCHEMA, SCHEMA);
	protobuf_double(p, HISTOGRAM_ZERO_THRESHOLD, ZERO_THRESHOLD);
	protobuf_u64(p, HISTOGRAM_ZERO_COUNT, v.zero);
	put_spans(p, &v);
	for (size_t i = 0; i < v.n; i++) {
		protobuf_s64(p, HISTOGRAM_DELTA, (int64_t)(v.count[i] - before));
		before = v.count[i];
	}
}

static void proto_histogram(struct writer *w, const struct family *f, const struct metric *x,
			    const struct hist *h, const struct bounds *b)
{
	struct protobuf *p = &w->pb;

	protobuf_begin(p, FAMILY_METRIC);
	put_labels(p, &(struct sample){.x = x});
	protobuf_begin(p, METRIC_HISTOGRAM);
	protobuf_u64(p, HISTOGRAM_COUNT, h->count);
	protobuf_double(p, HISTOGRAM_SUM, seconds(h->sum));
	put_classic(p, h, b);
	put_native(p, h);
	protobuf_end(p);
	protobuf_end(p);
}

static void proto_end(struct writer *w, const struct family *f)
{
	/* What is cut short is no message: the scraper refuses it. */
	if (protobuf_write(&w->pb, w->out))
		fputc(0xff, w->out);
}

static void proto_finish(struct writer *w)
{
	protobuf_free(&w->pb);
}

const struct prometheus_ops prometheus_protobuf = {
	.type = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
	.begin = proto_begin,
	.number = proto_number,
	.histogram = proto_histogram,
	.end = proto_end,
	.finish = proto_finish,
};
