// SPDX-License-Identifier: GPL-2.0
/* The findings of the latest frame in full, with the numbers that bear them out, and what is stuck. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "screen/paint.h"
#include "screen/view.h"

#define KEY_LEN 64

/* The value in its unit, which ends its key; the rest of the key in words. */
static void put_evidence(char words[KEY_LEN], char value[UNITS_LEN], const char *key, double v)
{
	const char *unit = strrchr(key, '_') ?: "";

	snprintf(words, KEY_LEN, "%s", key);
	for (char *c = words; (c = strchr(c, '_'));)
		*c = ' ';
	if (!strcmp(unit, "_ns"))
		fmt_duration(value, (uint64_t)v);
	else if (!strcmp(unit, "_bytes"))
		fmt_bytes(value, v);
	else if (!strcmp(unit, "_pct"))
		snprintf(value, UNITS_LEN, "%.1f %%", v);
	else
		snprintf(value, UNITS_LEN, v == floor(v) ? "%.0f" : "%.2f", v);
	if (!strcmp(unit, "_ns") || !strcmp(unit, "_pct"))
		words[unit - key] = '\0';
}

static void add_evidence(struct page *p, const struct finding *f)
{
	char key[KEY_LEN], value[UNITS_LEN];

	for (size_t i = 0; i < f->n_evidence; i++) {
		put_evidence(key, value, f->evidence[i].key, f->evidence[i].value);
		page_add(p, INK_DIM, "      %-28s %s", key, f->evidence[i].text ?: value);
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
