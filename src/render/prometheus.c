// SPDX-License-Identifier: GPL-2.0
/*
 * What scrapers are told. One table of families says what there is; a form says how it is written. Also a renderer, for
 * a recording's whole.
 */
#include "render/prometheus.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "render/formats.h"
#include "render/prometheus_form.h"

#define FINDING_HOLDS_NS 60000000000ull /* so that a scrape a minute sees it */
#define FIRST_BOUND	 15

static const struct prometheus_ops *const forms[PROMETHEUS_FORMS] = {
	[PROMETHEUS_TEXT] = &prometheus_text,
	[PROMETHEUS_OPENMETRICS] = &prometheus_openmetrics,
	[PROMETHEUS_PROTOBUF] = &prometheus_protobuf,
};

/* --- histograms ------------------------------------------------------------------- */

uint64_t prometheus_bound(const struct bounds *b, int i)
{
	return (1ull << (FIRST_BOUND + i * b->step)) - 1;
}

void prometheus_cumulate(const struct hist *h, const struct bounds *bounds, uint64_t to[METRIC_BOUNDS])
{
	struct hist_bucket b = {0};
	size_t at = 0;
	uint64_t sum = 0;
	bool more = hist_next(h, &at, &b);

	for (int i = 0; i < bounds->n; i++) {
		for (; more && b.hi <= prometheus_bound(bounds, i); more = hist_next(h, &at, &b))
			sum += b.count;
		to[i] = sum;
	}
}

/* --- families --------------------------------------------------------------------- */

/* Every set of labels, `other` last. */
static const struct metric *next(const struct metric_set *set, size_t *i)
{
	if (*i < set->n)
		return set->list[(*i)++];
	return (*i)++ == set->n ? set->other : NULL;
}

static void put_number(struct writer *w, const struct family *f, const struct metric *x, uint64_t v)
{
	w->ops->number(w, f, &(struct sample){.x = x}, v);
}

static void put_labelled(struct writer *w, const struct family *f, const char *label, const char *value,
			 uint64_t v)
{
	w->ops->number(w, f, &(struct sample){NULL, label, value}, v);
}

static void put_latency(struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));)
		w->ops->histogram(w, f, x, &x->latency, &(struct bounds){METRIC_BOUNDS, 1});
}

static void put_queue(struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->io, &i));)
		w->ops->histogram(w, f, x, &x->queue, &(struct bounds){METRIC_QUEUE_BOUNDS, 2});
}

#define OF_IO(what, field)                                                                         \
	static void put_##what(struct writer *w, const struct family *f)                           \
	{                                                                                          \
		const struct metric *x;                                                            \
                                                                                                   \
		for (size_t i = 0; (x = next(&w->m->io, &i));)                                     \
			put_number(w, f, x, x->field);                                             \
	}
OF_IO(bytes, bytes)
OF_IO(errors, errors)
OF_IO(in_flight, in_flight)
OF_IO(oldest, oldest_ns)
#undef OF_IO

static void put_blocked(struct writer *w, const struct family *f)
{
	const struct metric *x;

	for (size_t i = 0; (x = next(&w->m->tasks, &i));)
		for (int reason = 0; reason < REASON_MAX; reason++)
			w->ops->number(w, f, &(struct sample){x, "reason", reason_name(reason)},
				       x->reasons[reason]);
}

static void put_findings(struct writer *w, const struct family *f)
{
	for (size_t i = 0; i < w->m->n_codes; i++) {
		uint64_t found = w->m->found_ns[i];

		put_labelled(w, f, "code", finding_code_at(i),
			     found && w->now_ns - found < FINDING_HOLDS_NS);
	}
}

static void put_hooks(struct writer *w, const struct family *f)
{
	for (size_t i = 0; i < w->m->n_hooks; i++)
		put_labelled(w, f, "hook", w->m->hooks[i].name, w->m->hooks[i].attached);
}

static void put_build(struct writer *w, const struct family *f)
{
	put_labelled(w, f, "version", IOLAT_VERSION, 1);
}

/* --- GPUs ------------------------------------------------------------------------- */

static void put_gpu(struct writer *w, const struct family *f, uint32_t number, uint64_t v)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, number);
	put_labelled(w, f, "gpu", text, v);
}

#define OF_GPU(what, known, value)                                                                 \
	static void put_gpu_##what(struct writer *w, const struct family *f)                       \
	{                                                                                          \
		for (size_t i = 0; i < w->m->n_gpus; i++) {                                        \
			const struct metric_gpu *g = &w->m->gpus[i];                               \
                                                                                                   \
			if (known)                                                                 \
				put_gpu(w, f, g->number, value);                                   \
		}                                                                                  \
	}
OF_GPU(busy, g->busy_known, g->busy_pct)
OF_GPU(used, g->memory_total, g->memory_used)
OF_GPU(memory, g->memory_total, g->memory_total)
OF_GPU(compared, true, g->compared_ns)
OF_GPU(idle, true, g->idle_ns)
OF_GPU(starved, true, g->starved_ns)
#undef OF_GPU

/* --- the whole -------------------------------------------------------------------- */

#define NUMBER(what, field)                                                                        \
	static void put_##what(struct writer *w, const struct family *f)                           \
	{                                                                                          \
		put_number(w, f, NULL, w->m->field);                                               \
	}
NUMBER(requests, requests)
NUMBER(lost, lost)
NUMBER(unmatched, unmatched)
NUMBER(unowned, unowned)
NUMBER(limit, max_series)
NUMBER(folded, ended)
#undef NUMBER

static void put_series(struct writer *w, const struct family *f)
{
	const struct metrics *m = w->m;

	put_number(w, f, NULL, (m->io.n + (m->io.other != NULL)) * METRIC_IO_SERIES +
			   (m->tasks.n + (m->tasks.other != NULL)) * REASON_MAX);
}

static const struct family families[] = {
	{"iolat_io_latency_seconds", HISTOGRAM, UNIT_SECONDS,
	 "Time from an I/O's submission to its completion.", put_latency},
	{"iolat_io_queue_seconds", HISTOGRAM, UNIT_SECONDS,
	 "Part of the latency before the driver got the request.", put_queue},
	{"iolat_io_bytes", COUNTER, UNIT_BYTES, "Bytes read, written or discarded.", put_bytes},
	{"iolat_io_errors", COUNTER, UNIT_NONE, "I/Os that failed.", put_errors},
	{"iolat_requests_in_flight", GAUGE, UNIT_NONE, "I/Os that are not complete.", put_in_flight},
	{"iolat_oldest_request_seconds", GAUGE, UNIT_SECONDS,
	 "Age of the oldest I/O in flight, or held back by a limit; 0: none.", put_oldest},
	{"iolat_task_blocked_seconds", COUNTER, UNIT_SECONDS,
	 "Time that tasks slept for I/O, by what for.", put_blocked},
	{"iolat_gpu_busy_ratio", GAUGE, UNIT_RATIO, "How busy a GPU was since the scrape before, or the latest look.",
	 put_gpu_busy},
	{"iolat_gpu_memory_used_bytes", GAUGE, UNIT_BYTES, "A GPU's memory that is in use.", put_gpu_used},
	{"iolat_gpu_memory_bytes", GAUGE, UNIT_BYTES, "A GPU's memory.", put_gpu_memory},
	{"iolat_gpu_compared_seconds", COUNTER, UNIT_SECONDS,
	 "Time in which a GPU was watched together with the processes that use it.", put_gpu_compared},
	{"iolat_gpu_idle_seconds", COUNTER, UNIT_SECONDS, "Part of that in which the GPU was idle.", put_gpu_idle},
	{"iolat_gpu_starved_seconds", COUNTER, UNIT_SECONDS,
	 "Part of that in which the processes' workers waited for I/O.", put_gpu_starved},
	{"iolat_finding", GAUGE, UNIT_NONE, "1 if the finding held within the last minute.", put_findings},
	{"iolat_requests", COUNTER, UNIT_NONE, "I/Os that were counted.", put_requests},
	{"iolat_requests_lost", COUNTER, UNIT_NONE,
	 "I/Os that the kernel side knew of and that are counted nowhere.", put_lost},
	{"iolat_requests_unmatched", COUNTER, UNIT_NONE, "I/Os that were submitted before tracing began.",
	 put_unmatched},
	{"iolat_requests_unowned", COUNTER, UNIT_NONE, "I/Os of which nobody knows whose they were.",
	 put_unowned},
	{"iolat_hook_attached", GAUGE, UNIT_NONE, "1 if the kernel let iolat attach there.", put_hooks},
	{"iolat_series", GAUGE, UNIT_NONE, "Time series under labels of I/O and tasks.", put_series},
	{"iolat_series_limit", GAUGE, UNIT_NONE, "How many there may be; the least active make room.",
	 put_limit},
	{"iolat_series_folded", COUNTER, UNIT_NONE,
	 "Sets of labels that made room; what they did since is counted as \"other\".", put_folded},
	{"iolat_build", INFO, UNIT_NONE, "Of the program.", put_build},
};

/* Whether it was measured at all. */
static bool is_known(const struct metrics *m, const struct family *f)
{
	if (f->put == put_blocked)
		return m->waits;
	if (f->put == put_in_flight || f->put == put_oldest)
		return m->flying_known;
	if (f->put == put_gpu_compared || f->put == put_gpu_idle || f->put == put_gpu_starved)
		return m->n_gpus && m->waits;
	if (f->put == put_gpu_busy || f->put == put_gpu_used || f->put == put_gpu_memory)
		return m->n_gpus;
	return true;
}

const char *prometheus_type(enum prometheus_form form)
{
	return forms[form]->type;
}

void prometheus_write(FILE *out, const struct metrics *m, enum prometheus_form form, uint64_t now_ns)
{
	struct writer w = {.out = out, .m = m, .ops = forms[form], .now_ns = now_ns};

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		const struct family *f = &families[i];

		if (!is_known(m, f))
			continue;
		w.ops->begin(&w, f);
		f->put(&w, f);
		w.ops->end(&w, f);
	}
	w.ops->finish(&w);
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
