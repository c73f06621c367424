/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison in the formats of `iolat diff`. */
#ifndef IOLAT_RENDER_DIFF_H
#define IOLAT_RENDER_DIFF_H

#include "base/units.h"
#include "render/render.h"
#include "stats/compare.h"

struct diff_view {
	const struct comparison *comparison;
	const char *files[COMPARE_SIDES];
	const struct render_options *o;
};

/* 0 or -ENOMEM; errors of `out` stay in it. */
typedef int diff_render(FILE *out, const struct diff_view *v);
diff_render *diff_find(const char *format);	/* NULL: no such format */

/* diff_text.c: words that the formats for people share. */

/* "21.0ms", "1204", "97.3%"; "-": not known. Returns buf. */
char *diff_value(char buf[UNITS_LEN], const struct compare_sums *s, enum compare_measure m);
/* " /163", " x2.50", " same"; "" where nothing is to be said. Returns buf. */
char *diff_ratio(char buf[UNITS_LEN], const struct compare_group *g, enum compare_measure m);
const char *diff_header(enum compare_measure m);
/* Which measures a list has: requests' or tasks'. */
const enum compare_measure *diff_measures(bool tasks, size_t *n);
/* Whether a change is for the better (+1), the worse (-1) or neither (0). */
int diff_goodness(const struct compare_group *g, enum compare_measure m);
/* The answer in a sentence. */
void diff_sentence(FILE *out, const struct comparison *c);

diff_render diff_table, diff_json, diff_html;

#endif
