// SPDX-License-Identifier: GPL-2.0
/* The list of findings: what codes there are, and the order. The rules are in findings_*.c. */
#include "stats/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The most important first: what stands still, what is broken, whom it hits, why, and at the end what it is not. */
static const struct {
	const char *code, *says;
} codes[] = {
	{"hung-request", "a request has been in flight for longer than --stuck: where, whose"},
	{"io-errors", "the device returned errors"},
	{"swap", "waits for swapped memory, not for the data set"},
	{"cgroup-throttled", "waits come from the cgroup's own I/O limit, not from the disk"},
	{"network-filesystem", "the waits are for this network mount; says so where no local disk is involved"},
	{"fuse-filesystem", "the same for a FUSE mount"},
	{"worker-stuck", "this worker or process waits for I/O far more than its siblings, on this device"},
	{"noisy-neighbour", "while the traced ones waited, the device served this other process or cgroup"},
	{"writeback-stall", "writers wait for dirty pages to be written"},
	{"sync-stall", "much time goes by in fsync and its like, as for a checkpoint"},
	{"page-fault-io", "the waits come from page faults on mapped files, on these"},
	{"iops-ceiling", "a flat rate after a step in latency: a provisioned or burst limit of the volume"},
	{"larger-than-memory", "every epoch reads the same data again (needs --log)"},
	{"cold-cache", "only the first epoch waits for the disk: the data set fits into memory (needs --log)"},
	{"all-workers-io-bound", "the workers together wait for I/O most of the time: it sets the pace, not their CPU time"},
	{"gpu-starved", "a GPU idles, and in the same intervals the workers that feed it wait for I/O"},
	{"device-saturated", "requests wait longer for their turn than they take"},
	{"small-random-reads", "most reads are small and jump: pack the files, or cache them"},
	{"not-the-disk", "the traced processes hardly wait for I/O: look elsewhere"},
	{"unattributed", "more than a tenth of the bytes have no owner, and why"},
};
#define N_CODES (sizeof(codes) / sizeof(codes[0]))

const char *finding_code_at(size_t i)
{
	return i < N_CODES ? codes[i].code : NULL;
}

const char *finding_says_at(size_t i)
{
	return i < N_CODES ? codes[i].says : NULL;
}

static double rank(const char *code)
{
	size_t i = 0;

	while (i < N_CODES && strcmp(codes[i].code, code))
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

double finding_pct(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

void finding_owner(char *out, size_t size, const struct process *p, const char *via)
{
	if (p)
		snprintf(out, size, "pid %u (%s)", p->pid, p->comm_known ? p->comm : "?");
	else if (via)
		snprintf(out, size, "[%s]", via);
	else
		snprintf(out, size, "an unknown process");
}

const char *finding_container(const struct container *c)
{
	return c->name ? c->name : c->label;
}

void finding_place(char out[PLACE_WORDS], const struct known *k, uint64_t cgroup, const char *before)
{
	const struct container *in = cgroup ? cgroups_container_of(&k->model->cgroups, cgroup) : NULL;
	const struct known_cgroup *c = cgroup ? cgroups_find(&k->model->cgroups, cgroup) : NULL;
	const char *path = c && c->pub.path && strcmp(c->pub.path, "/") ? c->pub.path : NULL;

	out[0] = '\0';
	if (in)
		snprintf(out, PLACE_WORDS, "%scontainer %s", before, finding_container(in));
	else if (path)
		snprintf(out, PLACE_WORDS, "%scgroup %s", before, path);
}

void finding_files(struct finding *g, const struct known *k, const struct waited_search *s)
{
	const struct waited_place *top[FINDING_FILES];
	size_t n = waited_longest(&k->tasks->waited.files, s, top, FINDING_FILES);

	for (size_t i = 0; i < n; i++) {
		g->files[i].file = &top[i]->file->pub;
		g->files[i].wait_ns = waited_time(top[i], s);
	}
	g->n_files = n;
}

void findings_find(struct findings *f, struct known *k)
{
	f->n = 0;
	if (!k->tasks->on || waiters_collect(&k->waiters, k->tasks, k->whole, k->duration_ns))
		k->waiters = (struct waiters){.tasks = k->tasks};
	findings_of_tasks(f, k);
	findings_of_devices(f, k);
	findings_of_neighbours(f, k);
	findings_of_files(f, k);
	findings_of_phases(f, k);
	findings_of_gpus(f, k);
	waiters_free(&k->waiters);
}
