/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests and shares into the current interval: whose they are (attrib), whether they
 * are selected, which row they count in (rows), how they follow one another (random),
 * and what of it is said about completeness (coverage).
 */
#ifndef IOLAT_STATS_ACCOUNT_H
#define IOLAT_STATS_ACCOUNT_H

#include "stats/hot.h"
#include "stats/timeline.h"

struct account {
	struct model *model;
	struct cover *cover;
	const struct by *by;
	struct rows rows; /* of the current interval */
	struct streams streams;
	struct hot hot;
	struct timeline *timeline; /* borrowed; NULL: not wanted */
	uint64_t turns; /* times that rows left */
	bool whole_copies; /* the run's rows have copies, too */
	uint32_t recorder; /* tgid of whom nothing counts; 0: nobody */
	/* gets each request that counts; NULL: nobody does */
	int (*each)(void *ctx, const struct row *row, const char *via, const struct iolat_request *e);
	void *each_ctx;
};

/* `by`: of the interval's rows; with more keys than `whole` of the run's it keeps copies apart. 0 or -ENOMEM. */
int account_init(struct account *a, struct model *m, struct cover *c, const struct by *by,
		 const struct by *whole, size_t max_rows);
void account_free(struct account *a);

/* 0 or -ENOMEM. *counted: it is in a row. */
int account_request(struct account *a, const struct iolat_request *e, bool *counted);
int account_share(struct account *a, const struct iolat_share *e);
int account_wait(struct account *a, const struct iolat_wait *e); /* counts only in rows by file or file system */
int account_aggregate(struct account *a, const struct iolat_aggregate *e, bool *counted);

void account_settle(struct account *a);		/* before rows are looked at */
void account_start_interval(struct account *a); /* after they were taken out of `rows` */

#endif
