/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Findings: short sentences that a person can act on, each with the numbers that bear it out, the most
 * important first. Made from what the rest of this folder has summed up; thresholds.h says from when on.
 */
#ifndef IOLAT_STATS_FINDINGS_H
#define IOLAT_STATS_FINDINGS_H

#include "stats/asked.h"
#include "stats/flying.h"
#include "stats/gpus.h"
#include "stats/phases.h"
#include "stats/random.h"
#include "stats/served.h"
#include "stats/usage.h"
#include "stats/waiters.h"

#define FINDINGS_MAX 12 /* more than a screen helps nobody */

struct findings {
	struct finding list[FINDINGS_MAX];
	double importance[FINDINGS_MAX];
	size_t n;
};

/* What is known. `tasks`, `flying`: as viewed for the same frame. */
struct known {
	bool whole;		/* the run, not the interval */
	uint64_t duration_ns;
	struct model *model;
	const struct tasks *tasks;
	const struct flying *flying;
	struct usages *usages;
	const struct asked *asked;
	const struct served *served;
	const struct streams *streams;
	const struct phases *phases;	/* as viewed */
	const struct gpus_known *gpus;	/* as viewed */
	struct waiters waiters;		/* made by findings_find() of the tasks */
};

void findings_find(struct findings *f, struct known *k);

/* The codes, in the order of their importance; NULL behind the last. */
const char *finding_code_at(size_t i);
const char *finding_says_at(size_t i); /* in general; an instance has its own text */

/* For the rules: a new finding with its evidence. `magnitude` in 0..1 orders those of one code. NULL when the list
 * is full of more important ones. */
struct finding *findings_add(struct findings *f, const char *code, double magnitude);
void finding_say(struct finding *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_about(struct finding *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_evidence(struct finding *g, const char *key, double value);
void finding_words(struct finding *g, const char *key, const char *text); /* borrowed; NULL: not known */
void finding_files(struct finding *g, const struct known *k, const struct waited_search *s); /* the top ones */
double finding_pct(double part, double whole); /* 0 of nothing */

/* Words for people. "pid 4242 (dd)", "[writeback]", "an unknown process": */
void finding_owner(char *out, size_t size, const struct process *p, const char *via);
const char *finding_container(const struct container *c); /* what it goes by */

/* `before` and "container etl-7" or "cgroup /job"; "" of the root, and where it is not known. */
#define PLACE_WORDS 112
void finding_place(char out[PLACE_WORDS], const struct known *k, uint64_t cgroup, const char *before);

/* What was asked for by system calls, and what of it disks had to read; for a process, or (NULL) for all. */
struct cache_use {
	bool known;
	uint64_t read_bytes;	/* asked for */
	uint64_t device_bytes;	/* read from disks */
	uint64_t ios;
	bool pct_known;		/* calls, not mappings, did most of the reading */
	double pct;		/* of what was asked for came from memory */
	bool again_known;
	double again_pct;	/* of what disks read they had read before in the run */
};
struct cache_use finding_cache_use(const struct known *k, const struct proc *p);
void finding_cache(struct finding *g, const struct cache_use *c); /* as evidence */

/* The end of a sentence that says that more memory would help; "": it need not. */
const char *finding_advice(const struct cache_use *c);

/* Where was waited for disks, read or mapped. */
#define WAITED_DISK (1u << REASON_DISK | 1u << REASON_PAGE_FAULT)

/* The rules, by what they look at. */
void findings_of_tasks(struct findings *f, const struct known *k);	/* findings_tasks.c */
void findings_of_devices(struct findings *f, const struct known *k);	/* findings_devices.c */
void findings_of_neighbours(struct findings *f, const struct known *k);	/* findings_neighbours.c */
void findings_of_files(struct findings *f, const struct known *k);	/* findings_files.c */
void findings_of_phases(struct findings *f, const struct known *k);	/* findings_phases.c */
void findings_of_gpus(struct findings *f, const struct known *k);	/* findings_gpus.c */

#endif
