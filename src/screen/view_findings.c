// SPDX-License-Identifier: GPL-2.0
/* The findings of the latest frame in full, with the numbers that bear them out, and what is stuck. */
#include <math.h>
#include <stdio.h>

#include "screen/paint.h"
#include "screen/view.h"

static void add_evidence(struct page *p, const struct finding *f)
{
	for (size_t i = 0; i < f->n_evidence; i++) {
		double v = f->evidence[i].value;

		if (f->evidence[i].text)
			page_add(p, INK_DIM, "      %-28s %s", f->evidence[i].key, f->evidence[i].text);
		else
			page_add(p, INK_DIM, v == floor(v) ? "      %-28s %.0f" : "      %-28s %.2f",
				 f->evidence[i].key, v);
	}
}

static void add_finding(struct page *p, const struct finding *f)
{
	char line[FINDING_TEXT + 64];

	snprintf(line, sizeof(line), " %s: %s", f->code, f->text);
	page_wrap(p, INK_BOLD | INK_YELLOW, paint_columns() - 1, 3, line);
	add_evidence(p, f);
	page_add(p, INK_PLAIN, "%s", "");
}

static int draw(struct screen *s, int y, int lines)
{
	const struct memory *m = &s->memory;
	struct page *p = &s->page;

	page_clear(p);
	if (!m->n_findings)
		page_add(p, INK_DIM, " no findings in the latest frame");
	for (size_t i = 0; i < m->n_findings; i++)
		add_finding(p, &m->findings[i].f);
	if (m->head.n_stuck)
		page_add(p, INK_BOLD, " In flight for long");
	for (size_t i = 0; i < m->n_flights && m->flights[i].stuck; i++)
		page_add(p, INK_PLAIN, " %s", m->flights[i].text);
	page_draw(p, y, lines);
	return 0;
}

static bool key(struct screen *s, const struct term_key *k)
{
	return page_key(&s->page, k);
}

const struct view view_findings = {
	.hints = "f back  q quit  arrows scroll  p pause",
	.draw = draw,
	.key = key,
};
