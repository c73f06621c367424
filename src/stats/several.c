// SPDX-License-Identifier: GPL-2.0
/* Joins lists. What the first summary alone tells (hooks, kernel) is left unknown where the others differ. */
#include "stats/several.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/timeline_join.h"

/* Lists of equal kind, one behind the other. */
#define JOIN(to, count, list, parts, n)                                                            \
	do {                                                                                       \
		size_t total_ = 0;                                                                 \
		for (size_t i_ = 0; i_ < (n); i_++)                                                \
			total_ += (parts)[i_].count;                                               \
		(to) = calloc(total_ + 1, sizeof(*(to)));                                          \
		for (size_t i_ = 0, at_ = 0; (to) && i_ < (n); at_ += (parts)[i_++].count)         \
			if ((parts)[i_].count)                                                     \
				memcpy((to) + at_, (parts)[i_].list, (parts)[i_].count * sizeof(*(to))); \
		s->joined.count = total_;                                                          \
	} while (0)

static int longest_first(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return (x->blocked_ns < y->blocked_ns) - (x->blocked_ns > y->blocked_ns);
}

static int oldest_first(const void *a, const void *b)
{
	const struct stuck *x = a, *y = b;

	return (x->age_ns < y->age_ns) - (x->age_ns > y->age_ns);
}

/* A sentence alone does not tell which host it is about. */
static void name_hosts(struct several *s, const struct snapshot *parts, size_t n)
{
	char subject[sizeof(s->findings[0].subject)];
	struct finding *f = s->findings;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].n_findings; k++, f++) {
			snprintf(subject, sizeof(subject), "%s: %.100s", parts[i].host ? parts[i].host : "?", f->subject);
			memcpy(f->subject, subject, sizeof(subject));
		}
}

static void add_up(struct coverage *sum, const struct coverage *c)
{
	for (size_t i = 0; i < TALLY_NUMBERS; i++)
		sum->tally.all[i] += c->tally.all[i];
	sum->missed_known &= c->missed_known;
}

static const char *if_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b) ? a : NULL;
}

static void span(struct snapshot *all, const struct snapshot *part)
{
	if (part->start_wall_ns < all->start_wall_ns)
		all->start_wall_ns = part->start_wall_ns;
	if (part->end_wall_ns > all->end_wall_ns)
		all->end_wall_ns = part->end_wall_ns;
	all->duration_ns = all->end_wall_ns - all->start_wall_ns;
	all->host = if_equal(all->host, part->host);
	all->kernel = if_equal(all->kernel, part->kernel);
	all->command = if_equal(all->command, part->command);
	all->bio_submission &= part->bio_submission;
	if (part->clock < all->clock)
		all->clock = part->clock;
	all->waits &= part->waits;
	all->stuck_known &= part->stuck_known;
	all->findings_known &= part->findings_known;
	add_up(&all->coverage, &part->coverage);
}

int several_join(struct several *s, const struct snapshot *parts, size_t n)
{
	*s = (struct several){.joined = parts[0]};
	for (size_t i = 1; i < n; i++)
		span(&s->joined, &parts[i]);
	JOIN(s->rows, n_rows, rows, parts, n);
	JOIN(s->tasks, n_tasks, tasks, parts, n);
	JOIN(s->stuck, n_stuck, stuck, parts, n);
	JOIN(s->findings, n_findings, findings, parts, n);
	JOIN(s->disks, coverage.n_disks, coverage.disks, parts, n);
	if (!s->rows || !s->tasks || !s->stuck || !s->findings || !s->disks)
		return -ENOMEM;
	qsort(s->tasks, s->joined.n_tasks, sizeof(*s->tasks), longest_first);
	qsort(s->stuck, s->joined.n_stuck, sizeof(*s->stuck), oldest_first);
	if (n > 1)
		name_hosts(s, parts, n);
	s->joined.rows = s->rows;
	s->joined.tasks = s->tasks;
	s->joined.stuck = s->stuck;
	s->joined.findings = s->findings;
	s->joined.coverage.disks = s->disks;
	if (!parts[0].timeline)
		return 0;
	s->joined.timeline = &s->timeline;
	return timeline_join(&s->timeline, parts, n, s->joined.start_wall_ns, s->joined.end_wall_ns);
}

void several_free(struct several *s)
{
	free(s->rows);
	free(s->tasks);
	free(s->stuck);
	free(s->findings);
	free(s->disks);
	timeline_free(&s->timeline);
}
