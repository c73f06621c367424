// SPDX-License-Identifier: GPL-2.0
/*
 * The text forms of Prometheus and OpenMetrics. One table of families says what there is; the forms differ in
 * the names of counters, in units and in how it ends. Also a renderer, for a recording's whole.
 */
#include "render/prometheus.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "render/formats.h"

#define FINDING_HOLDS_NS 60000000000ull /* so that a scrape a minute sees it */

struct writer {
	FILE *out;
	const struct metrics *m;
	enum prometheus_form form;
	uint64_t now_ns;
};

enum family_type { COUNTER, GAUGE, HISTOGRAM, INFO };

struct family {
	const char *name;	/* without _total and _info */
	enum family_type type;
	const char *unit;	/* NULL: none; the name ends in it */
	const char *help;
	void (*put)(const struct writer *w, const struct family *f);
};

const char *prometheus_type(enum prometheus_form form)
{
	return form == PROMETHEUS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

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

/* A sample up to its value: labels of `x` (NULL: none), and one more. */
static void put_name(const struct writer *w, const char *name, const char *suffix,
		     const struct metric *x, const char *label, const char *value)
{
	const char *before = "{";

	fprintf(w->out, "%s%s", name, suffix);
	for (int i = 0; x && i < LABEL_MAX; i++)
		if (*x->label[i])
			put_label(w->out, &before, metric_label_name(i), x->label[i]);
	if (label)
		put_label(w->out, &before, label, value);
	if (*before == ',')
		fputc('}', w->out);
	fputc(' ', w->out);
}

static void put_u64(const struct writer *w, uint64_t v)
{
	fprintf(w->out, "%" PRIu64 "\n", v);
}

/* --- histograms ------------------------------------------------------------------- */

/* Upper bounds are those of this program's own buckets, powers of two of nanoseconds less one, so that no
 * value is counted on the wrong side: from 33 us to 8.6 s, each `step` times the one before. */
#define FIRST_BOUND 15

static void put_bucket(const struct writer *w, const struct family *f, const struct metric *x,
		       const char *le, uint64_t count)
{
	put_name(w, f->name, "_bucket", x, "le", le);
	put_u64(w, count);
}

static void put_buckets(const struct writer *w, const struct family *f, const struct metric *x,
			const struct hist *h, int bounds, int step)
{
	struct hist_bucket b = {0};
	size_t at = 0;
	uint64_t sum = 0;
	bool more = hist_next(h, &at, &b);

	for (int i = 0; i < bounds; i++) {
		uint64_t bound = (1ull << (FIRST_BOUND + i * step)) - 1;
		char le[32];

		for (; more && b.hi <= bound; more = hist_next(h, &at, &b))
			sum += b.count;
		snprintf(le, sizeof(le), "%" PRIu64 ".%09" PRIu64, bound / 1000000000,
			 bound % 1000000000);
		put_bucket(w, f, x, le, sum);
	}
	put_bucket(w, f, x, "+Inf", h->count);
}

static void put_histogram(const struct writer *w, const struct family *f, const struct metric *x,
			  const struct hist *h, int bounds, int step)
{
	put_buckets(w, f, x, h, bounds, step);
	put_name(w, f->name, "_sum", x, NULL, NULL);
	put_seconds(w->out, (uint64_t)h->sum);
	fputc('\n', w->out);
	put_name(w, f->name, "_count", x, NULL, NULL);
	put_u64(w, h->count);
}

/* --- families --------------------------------------------------------------------- */

/* Every set of labels, `other` last. */
static const struct metric *next(const struct metric_set *set, size_t *i)
{
	if (*i < set->n)
		return set->list[(*i)++];
	return (*i)++ == set->n ? set->other : NULL;
}

static const char *total(const struct family *f)
{
	return f->type == COUNTER ? "_total" : "";
}

static void put_latency(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));)
		put_histogram(w, f, x, &x->latency, METRIC_BOUNDS, 1);
}

static void put_queue(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));)
		put_histogram(w, f, x, &x->queue, METRIC_QUEUE_BOUNDS, 2);
}

static void put_bytes(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));) {
		put_name(w, f->name, total(f), x, NULL, NULL);
		put_u64(w, x->bytes);
	}
}

static void put_errors(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));) {
		put_name(w, f->name, total(f), x, NULL, NULL);
		put_u64(w, x->errors);
	}
}

static void put_blocked(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->tasks, &i));)
		for (int reason = 0; reason < REASON_MAX; reason++) {
			put_name(w, f->name, total(f), x, "reason", reason_name(reason));
			put_seconds(w->out, x->reasons[reason]);
			fputc('\n', w->out);
		}
}

static void put_in_flight(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));) {
		put_name(w, f->name, "", x, NULL, NULL);
		put_u64(w, x->in_flight);
	}
}

static void put_oldest(const struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));) {
		put_name(w, f->name, "", x, NULL, NULL);
		put_seconds(w->out, x->oldest_ns);
		fputc('\n', w->out);
	}
}

static void put_findings(const struct writer *w, const struct family *f)
{
	for (size_t i = 0; i < w->m->n_codes; i++) {
		uint64_t found = w->m->found_ns[i];

		put_name(w, f->name, "", NULL, "code", finding_code_at(i));
		put_u64(w, found && w->now_ns - found < FINDING_HOLDS_NS);
	}
}

static void put_hooks(const struct writer *w, const struct family *f)
{
	for (size_t i = 0; i < w->m->n_hooks; i++) {
		put_name(w, f->name, "", NULL, "hook", w->m->hooks[i].name);
		put_u64(w, w->m->hooks[i].attached);
	}
}

static void put_build(const struct writer *w, const struct family *f)
{
	put_name(w, f->name, "_info", NULL, "version", IOLAT_VERSION);
	put_u64(w, 1);
}

#define NUMBER(what, field)                                                                        \
	static void put_##what(const struct writer *w, const struct family *f)                     \
	{                                                                                          \
		put_name(w, f->name, total(f), NULL, NULL, NULL);                                  \
		put_u64(w, w->m->field);                                                           \
	}
NUMBER(requests, requests)
NUMBER(lost, lost)
NUMBER(unmatched, unmatched)
NUMBER(unowned, unowned)
NUMBER(limit, max_series)
NUMBER(folded, ended)
#undef NUMBER

static void put_series(const struct writer *w, const struct family *f)
{
	const struct metrics *m = w->m;

	put_name(w, f->name, "", NULL, NULL, NULL);
	put_u64(w, (m->io.n + (m->io.other != NULL)) * METRIC_IO_SERIES +
			   (m->tasks.n + (m->tasks.other != NULL)) * REASON_MAX);
}

static const struct family families[] = {
	{"iolat_io_latency_seconds", HISTOGRAM, "seconds",
	 "Time from an I/O's submission to its completion.", put_latency},
	{"iolat_io_queue_seconds", HISTOGRAM, "seconds",
	 "Part of the latency before the driver got the request.", put_queue},
	{"iolat_io_bytes", COUNTER, "bytes", "Bytes read, written or discarded.", put_bytes},
	{"iolat_io_errors", COUNTER, NULL, "I/Os that failed.", put_errors},
	{"iolat_requests_in_flight", GAUGE, NULL, "I/Os that are not complete.", put_in_flight},
	{"iolat_oldest_request_seconds", GAUGE, "seconds",
	 "Age of the oldest I/O in flight, or held back by a limit; 0: none.", put_oldest},
	{"iolat_task_blocked_seconds", COUNTER, "seconds",
	 "Time that tasks slept for I/O, by what for.", put_blocked},
	{"iolat_finding", GAUGE, NULL, "1 if the finding held within the last minute.", put_findings},
	{"iolat_requests", COUNTER, NULL, "I/Os that were counted.", put_requests},
	{"iolat_requests_lost", COUNTER, NULL,
	 "I/Os that the kernel side knew of and that are counted nowhere.", put_lost},
	{"iolat_requests_unmatched", COUNTER, NULL, "I/Os that were submitted before tracing began.",
	 put_unmatched},
	{"iolat_requests_unowned", COUNTER, NULL, "I/Os of which nobody knows whose they were.",
	 put_unowned},
	{"iolat_hook_attached", GAUGE, NULL, "1 if the kernel let iolat attach there.", put_hooks},
	{"iolat_series", GAUGE, NULL, "Time series under labels of I/O and tasks.", put_series},
	{"iolat_series_limit", GAUGE, NULL, "How many there may be; the least active make room.",
	 put_limit},
	{"iolat_series_folded", COUNTER, NULL,
	 "Sets of labels that made room; what they did since is counted as \"other\".", put_folded},
	{"iolat_build", INFO, NULL, "Of the program.", put_build},
};

/* Whether it was measured at all. */
static bool is_known(const struct metrics *m, const struct family *f)
{
	if (f->put == put_blocked)
		return m->waits;
	if (f->put == put_in_flight || f->put == put_oldest)
		return m->flying_known;
	return true;
}

static void put_head(const struct writer *w, const struct family *f)
{
	static const char *const types[] = {
		[COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram", [INFO] = "info"};
	bool open = w->form == PROMETHEUS_OPENMETRICS;
	const char *suffix = open ? "" : f->type == INFO ? "_info" : total(f);

	fprintf(w->out, "# HELP %s%s %s\n", f->name, suffix, f->help);
	fprintf(w->out, "# TYPE %s%s %s\n", f->name, suffix,
		types[f->type == INFO && !open ? GAUGE : f->type]);
	if (open && f->unit)
		fprintf(w->out, "# UNIT %s %s\n", f->name, f->unit);
}

void prometheus_write(FILE *out, const struct metrics *m, enum prometheus_form form, uint64_t now_ns)
{
	const struct writer w = {out, m, form, now_ns};

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (!is_known(m, &families[i]))
			continue;
		put_head(&w, &families[i]);
		families[i].put(&w, &families[i]);
	}
	if (form == PROMETHEUS_OPENMETRICS)
		fputs("# EOF\n", out);
}

/* --- as an output format ------------------------------------------------------------ */

/* Everything there is, as a file for a textfile collector; without a limit, as rows have theirs. */
static int prometheus_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	struct metrics m;
	int err = metrics_init(&m, SIZE_MAX);

	err = err ?: metrics_take(&m, s, 1);
	if (!err)
		prometheus_write(out, &m, PROMETHEUS_TEXT, 1);
	metrics_free(&m);
	return err;
}

const struct renderer renderer_prometheus = {.name = "prometheus", .snapshot = prometheus_snapshot};
