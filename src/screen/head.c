// SPDX-License-Identifier: GPL-2.0
/* The lines around every view: where and when, how much in all, the most important finding; which keys there are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "screen/paint.h"
#include "screen/view.h"

#define LINE_LEN 512

static void by_text(char out[128], const struct by *by)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < by->n && len < 128; i++)
		len += (size_t)snprintf(out + len, 128 - len, "%s%s", i ? "," : "",
					row_key_name(by->keys[i]));
}

static void draw_title(const struct screen *s)
{
	char left[LINE_LEN], right[LINE_LEN], by[128], stamp[RFC3339_LEN];
	int columns = paint_columns(), width;

	fmt_rfc3339(stamp, s->memory.head.end_wall_ns);
	by_text(by, &s->how.by);
	snprintf(left, sizeof(left), " iolat  %s  %.8s%s%s%s", s->memory.host,
		 s->memory.frame ? stamp + strlen("YYYY-MM-DDT") : "", s->paused ? "  PAUSED" : "",
		 s->kept ? "  keeping a " : "", s->kept ?: "");
	snprintf(right, sizeof(right), "by %s  sort %s%s%s%s ", by, rows_sort_name(s),
		 s->how.reverse ? " (reversed)" : "", s->filter[0] ? "  filter " : "", s->filter);
	paint_line(0, INK_REVERSE | INK_BOLD);
	paint_text(0, 0, columns, left, INK_REVERSE | INK_BOLD);
	width = columns - text_columns(left) - 1;
	if (width > text_columns(right))
		width = text_columns(right);
	paint_text(0, columns - width, width, right, INK_REVERSE | INK_BOLD);
}

static void draw_totals(const struct screen *s)
{
	const struct memory *m = &s->memory;
	double seconds = (double)m->head.duration_ns / 1e9;
	char line[LINE_LEN], p50[UNITS_LEN], p99[UNITS_LEN], max[UNITS_LEN], stuck[64] = "";

	if (!m->frame || seconds <= 0) {
		paint_text(1, 0, paint_columns(), " waiting for the first frame", INK_DIM);
		return;
	}
	if (m->head.n_stuck)
		snprintf(stuck, sizeof(stuck), "  STUCK %zu", m->head.n_stuck);
	snprintf(line, sizeof(line), " IOPS %.0f  MiB/s %.2f  p50 %s  p99 %s  max %s  in flight %zu%s",
		 (double)m->total.ios / seconds, (double)m->total.bytes / seconds / 1048576,
		 fmt_duration(p50, hist_percentile(&m->total.total, 0.5)),
		 fmt_duration(p99, hist_percentile(&m->total.total, 0.99)),
		 fmt_duration(max, m->total.total.count ? m->total.total.max : 0), m->head.n_flying, stuck);
	paint_text(1, 0, paint_columns(), line, m->head.n_stuck ? INK_BOLD : INK_PLAIN);
}

/* Whether to believe it. */
static void draw_coverage(const struct screen *s)
{
	const struct memory *m = &s->memory;
	char line[LINE_LEN + 64];

	if (m->left_out)
		snprintf(line, sizeof(line), " %s  not shown %" PRIu64, m->coverage, m->left_out);
	else
		snprintf(line, sizeof(line), " %s", m->coverage);
	paint_text(2, 0, paint_columns(), line, INK_DIM);
}

/* Few terminals are as wide as a finding is long; many have a line to spare. */
static int finding_lines(void)
{
	return paint_columns() < 200 && paint_lines() >= 20 ? 2 : 1;
}

/* What does not fit is in the view of findings. */
static void draw_finding(const struct screen *s)
{
	int width = paint_columns(), left = finding_lines();
	char text[LINE_LEN], line[LINE_LEN];
	const char *rest = text;

	if (!s->memory.n_findings)
		return;
	snprintf(text, sizeof(text), " %s: %s", s->memory.findings[0].f.code, s->memory.findings[0].f.text);
	for (; *rest && left; left--) {
		size_t len = left > 1 ? text_break(rest, width) : strlen(rest);

		snprintf(line, sizeof(line), "%.*s", (int)len, rest);
		paint_text(head_lines() - left, 0, width, line, INK_BOLD | INK_YELLOW);
		rest += len; /* the blank there is the margin of the next line */
	}
}

int head_lines(void)
{
	return 3 + finding_lines();
}

void head_draw(struct screen *s)
{
	draw_title(s);
	draw_totals(s);
	draw_coverage(s);
	draw_finding(s);
}

/* Hints stand apart by two blanks; one that does not fit is left out whole. */
static void put_hints(char line[LINE_LEN], const char *hints)
{
	size_t len;

	snprintf(line, LINE_LEN, " %s  ", hints);
	len = text_fit(line, paint_columns() + 2);
	while (len > 2 && strncmp(line + len - 2, "  ", 2))
		len--;
	line[len] = '\0';
}

void foot_draw(struct screen *s, int y)
{
	char line[LINE_LEN];

	if (s->typing)
		snprintf(line, sizeof(line), " filter: %s_   Enter keeps it, Esc drops it", s->filter);
	else if (s->message[0])
		snprintf(line, sizeof(line), " %s", s->message);
	else
		put_hints(line, s->view->hints);
	paint_line(y, INK_REVERSE);
	paint_text(y, 0, paint_columns(), line, INK_REVERSE);
}
