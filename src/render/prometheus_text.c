// SPDX-License-Identifier: GPL-2.0
/* The text forms of Prometheus and OpenMetrics, which differ in the names of counters, in units and in how they end. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "render/prometheus_form.h"

/* --- values ----------------------------------------------------------------------- */

/* Seconds, exactly, in any locale. */
static void put_seconds(FILE *out, uint64_t ns)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
			   ns % 1000000000);

	while (text[len - 1] == '0')
		len--;
	if (text[len - 1] == '.')
		len--;
	fwrite(text, 1, (size_t)len, out);
}

static void put_u64(FILE *out, uint64_t v)
{
	fprintf(out, "%" PRIu64, v);
}

static void put_ratio(FILE *out, uint64_t pct)
{
	fprintf(out, "%" PRIu64 ".%02" PRIu64, pct / 100, pct % 100);
}

/* A label's value: valid UTF-8, with what would end it escaped. */
static void put_value(FILE *out, const char *s)
{
	unsigned int cp;
	int len;

	for (; *s; s += len ? len : 1) {
		len = utf8_next(s, &cp);
		if (!len)
			fputs("\xEF\xBF\xBD", out);
		else if (*s == '\n')
			fputs("\\n", out);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fwrite(s, 1, (size_t)len, out);
	}
}

static void put_label(FILE *out, const char **before, const char *name, const char *value)
{
	fprintf(out, "%s%s=\"", *before, name);
	put_value(out, value);
	fputc('"', out);
	*before = ",";
}

/* A sample up to its value. */
static void put_name(FILE *out, const char *name, const char *suffix, const struct sample *s)
{
	const char *before = "{";

	fprintf(out, "%s%s", name, suffix);
	for (int i = 0; s->x && i < LABEL_MAX; i++)
		if (*s->x->label[i])
			put_label(out, &before, metric_label_name(i), s->x->label[i]);
	if (s->label)
		put_label(out, &before, s->label, s->value);
	if (*before == ',')
		fputc('}', out);
	fputc(' ', out);
}

/* --- samples ---------------------------------------------------------------------- */

static const char *suffix(const struct family *f)
{
	return f->type == COUNTER ? "_total" : f->type == INFO ? "_info" : "";
}

static void text_number(struct writer *w, const struct family *f, const struct sample *s, uint64_t v)
{
	static void (*const put[])(FILE *out, uint64_t v) = {
		[UNIT_NONE] = put_u64, [UNIT_BYTES] = put_u64, [UNIT_SECONDS] = put_seconds, [UNIT_RATIO] = put_ratio};

	put_name(w->out, f->name, suffix(f), s);
	put[f->unit](w->out, v);
	fputc('\n', w->out);
}

static void put_count(struct writer *w, const struct family *f, const char *end, const struct sample *s, uint64_t v)
{
	put_name(w->out, f->name, end, s);
	put_u64(w->out, v);
	fputc('\n', w->out);
}

static void text_histogram(struct writer *w, const struct family *f, const struct metric *x,
			   const struct hist *h, const struct bounds *b)
{
	const struct sample all = {.x = x};
	uint64_t count[METRIC_BOUNDS];

	prometheus_cumulate(h, b, count);
	for (int i = 0; i < b->n; i++) {
		uint64_t bound = prometheus_bound(b, i);
		char le[32];

		snprintf(le, sizeof(le), "%" PRIu64 ".%09" PRIu64, bound / 1000000000, bound % 1000000000);
		put_count(w, f, "_bucket", &(struct sample){x, "le", le}, count[i]);
	}
	put_count(w, f, "_bucket", &(struct sample){x, "le", "+Inf"}, h->count);
	put_name(w->out, f->name, "_sum", &all);
	put_seconds(w->out, (uint64_t)h->sum);
	fputc('\n', w->out);
	put_count(w, f, "_count", &all, h->count);
}

/* --- the forms -------------------------------------------------------------------- */

static const char *const types[] = {
	[COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram", [INFO] = "info"};

static void text_begin(struct writer *w, const struct family *f)
{
	fprintf(w->out, "# HELP %s%s %s\n", f->name, suffix(f), f->help);
	fprintf(w->out, "# TYPE %s%s %s\n", f->name, suffix(f), types[f->type == INFO ? GAUGE : f->type]);
}

static void openmetrics_begin(struct writer *w, const struct family *f)
{
	static const char *const units[] = {
		[UNIT_SECONDS] = "seconds", [UNIT_BYTES] = "bytes", [UNIT_RATIO] = "ratio"};

	fprintf(w->out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, types[f->type]);
	if (f->unit)
		fprintf(w->out, "# UNIT %s %s\n", f->name, units[f->unit]);
}

static void nothing_more(struct writer *w, const struct family *f) {}

static void text_finish(struct writer *w) {}

static void openmetrics_finish(struct writer *w)
{
	fputs("# EOF\n", w->out);
}

const struct prometheus_ops prometheus_text = {
	.type = "text/plain; version=0.0.4; charset=utf-8",
	.begin = text_begin,
	.number = text_number,
	.histogram = text_histogram,
	.end = nothing_more,
	.finish = text_finish,
};

const struct prometheus_ops prometheus_openmetrics = {
	.type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	.begin = openmetrics_begin,
	.number = text_number,
	.histogram = text_histogram,
	.end = nothing_more,
	.finish = openmetrics_finish,
};
