// SPDX-License-Identifier: GPL-2.0
/* The list of findings: what codes there are, and the order. The rules are in findings_*.c. */
#include "stats/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The most important first: what stands still, what is broken, whom it hits, why, and at the end what it is not. */
static const char *const codes[] = {
	"hung-request",	   "io-errors",		   "swap",	       "cgroup-throttled",
	"network-filesystem", "fuse-filesystem",
	"worker-stuck",	   "noisy-neighbour",	   "writeback-stall",  "sync-stall",
	"page-fault-io",
	"iops-ceiling",	   "larger-than-memory",   "cold-cache",       "all-workers-io-bound",
	"gpu-starved",
	"device-saturated",	   "small-random-reads",
	"not-the-disk",	   "unattributed",
};
#define N_CODES (sizeof(codes) / sizeof(codes[0]))

const char *finding_code_at(size_t i)
{
	return i < N_CODES ? codes[i] : NULL;
}

static double rank(const char *code)
{
	size_t i = 0;

	while (i < N_CODES && strcmp(codes[i], code))
		i++;
	return (double)(N_CODES - i);
}

/* Makes room at `i`; the last one falls off a full list. */
static void shift(struct findings *f, size_t i)
{
	size_t n = f->n < FINDINGS_MAX ? f->n : FINDINGS_MAX - 1;

	for (size_t at = n; at > i; at--) {
		f->list[at] = f->list[at - 1];
		f->importance[at] = f->importance[at - 1];
	}
	f->n = n + 1;
}

struct finding *findings_add(struct findings *f, const char *code, double magnitude)
{
	double importance = rank(code) + (magnitude > 0.99 ? 0.99 : magnitude);
	size_t i = 0;

	while (i < f->n && f->importance[i] >= importance)
		i++;
	if (i == FINDINGS_MAX)
		return NULL;
	shift(f, i);
	f->importance[i] = importance;
	f->list[i] = (struct finding){.code = code};
	return &f->list[i];
}

void finding_say(struct finding *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->text, sizeof(g->text), fmt, ap);
	va_end(ap);
}

void finding_about(struct finding *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->subject, sizeof(g->subject), fmt, ap);
	va_end(ap);
}

void finding_evidence(struct finding *g, const char *key, double value)
{
	if (g->n_evidence == FINDING_EVIDENCE)
		return;
	g->evidence[g->n_evidence].key = key;
	g->evidence[g->n_evidence].value = value;
	g->n_evidence++;
}

void finding_words(struct finding *g, const char *key, const char *text)
{
	if (!text || g->n_evidence == FINDING_EVIDENCE)
		return;
	g->evidence[g->n_evidence].text = text;
	finding_evidence(g, key, 0);
}

void finding_files(struct finding *g, const struct known *k, const struct waited_search *s)
{
	const struct waited_place *top[FINDING_FILES];
	size_t n = waited_longest(&k->tasks->waited.files, s, top, FINDING_FILES);

	for (size_t i = 0; i < n; i++) {
		g->files[i].file = &top[i]->file->pub;
		g->files[i].wait_ns = waited_sums(top[i], s->whole).ns[s->reason];
	}
	g->n_files = n;
}

void findings_find(struct findings *f, const struct known *k)
{
	f->n = 0;
	findings_of_tasks(f, k);
	findings_of_devices(f, k);
	findings_of_files(f, k);
	findings_of_phases(f, k);
	findings_of_gpus(f, k);
}
