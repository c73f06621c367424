// SPDX-License-Identifier: GPL-2.0
/* One row in full: what it waits for, its last minute, its latency, where its I/O goes, its tasks and what it has in flight. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/histogram.h"
#include "screen/paint.h"
#include "screen/view.h"

#define PARTS_MAX 16 /* lines of a section */
#define BAR_MOST  100

static void add_title(struct page *p, const char *title)
{
	page_add(p, INK_PLAIN, "%s", "");
	page_add(p, INK_BOLD, " %s", title);
}

/* --- waits ------------------------------------------------------------------------------ */

static double pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_reasons(struct page *p, const struct task *t)
{
	for (int r = 0; r < REASON_MAX; r++)
		if (t->reasons[r])
			page_add(p, INK_PLAIN, "   %s %-12s %5.1f %%", stroke_of(r, paint_utf8()),
				 reason_name(r), pct(t->reasons[r], t->wall_ns));
}

static void add_blocked(struct screen *s, const struct group *g)
{
	int room = paint_columns() - 24;
	char bar[STROKES_SIZE];

	stroke_bar(bar, room < BAR_MOST ? room : BAR_MOST, g->blocked_pct, g->sleeper ? g->sleeper->times.reasons : NULL,
		   paint_utf8());
	page_add(&s->page, INK_BLUE, " %s %s %.0f %%", s->board.waits ? "blocked" : "of all wait", bar,
		 g->blocked_pct);
	if (g->sleeper)
		add_reasons(&s->page, &g->sleeper->times);
}

static int minute_width(void)
{
	int width = paint_columns() - 12;

	return width < MEMORY_SECONDS ? width : MEMORY_SECONDS;
}

static void add_minute(struct screen *s, const struct group *g)
{
	char line[STROKES_SIZE];

	add_title(&s->page, "Last minute");
	for (int what = 0; what < LINE_MAX; what++) {
		stroke_line(line, minute_width(), g, what, paint_utf8());
		page_add(&s->page, INK_CYAN, " %-8s %s", line_name(what), line);
	}
}

/* --- latency ------------------------------------------------------------------------------ */

static int add_text(struct page *p, void (*print)(FILE *out, const struct row *row), const struct row *row)
{
	AUTO_FREE char *text = NULL;
	char *at, *line;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	if (!mem)
		return -ENOMEM;
	print(mem, row);
	if (fclose(mem))
		return -ENOMEM;
	for (at = text; (line = strsep(&at, "\n")) && at;)
		page_wrap(p, INK_PLAIN, paint_columns(), 2, line);
	return 0;
}

static int add_latency(struct screen *s, const struct group *g)
{
	char title[80];

	if (!g->all.total.count)
		return 0;
	snprintf(title, sizeof(title), "Latency of its %" PRIu64 " requests since it came into view", g->all.ios);
	add_title(&s->page, title);
	return add_text(&s->page, histogram_print_bars, &g->all);
}

/* --- parts -------------------------------------------------------------------------------- */

static void add_part(struct page *p, const struct memory *m, const struct group *g)
{
	static const char *const names[] = {"p50", "p99", "max", "iops", "rate"};
	char line[160], buf[UNITS_LEN];
	size_t len = 0;
	double v;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct column *c = column_find(names[i]);

		len += (size_t)snprintf(line + len, sizeof(line) - len, " %8s",
					board_value(m, g, c, &v) ? c->format(buf, v) : "-");
	}
	page_add(p, INK_PLAIN, "%s %10" PRIu64 "  %s", line, g->all.ios, g->label);
}

/* The row's I/O by other keys. */
static int add_parts(struct screen *s, const struct group *g, const char *title, const struct by *by)
{
	const struct board_view how = {
		.by = *by,
		.sort = column_find("wait"),
		.filter = "",
		.within = g->id,
		.within_keys = s->how.by.mask,
	};
	struct board parts = {.n = 0};
	int err = board_make(&parts, &s->memory, &how);

	if (parts.n) {
		add_title(&s->page, title);
		page_add(&s->page, INK_DIM, " %8s %8s %8s %8s %8s %10s", "P50", "P99", "MAX", "IOPS", "MiB/s",
			 "REQUESTS");
	}
	for (size_t i = 0; i < parts.n && i < PARTS_MAX; i++)
		add_part(&s->page, &s->memory, parts.groups[i]);
	if (parts.n > PARTS_MAX)
		page_add(&s->page, INK_DIM, " ... and %zu more", parts.n - PARTS_MAX);
	board_free(&parts);
	return err;
}

/* --- tasks -------------------------------------------------------------------------------- */

static int longest_first(const void *a, const void *b)
{
	const struct item *x = *(const struct item *const *)a, *y = *(const struct item *const *)b;

	return (x->times.blocked_ns < y->times.blocked_ns) - (x->times.blocked_ns > y->times.blocked_ns);
}

static bool is_its_task(const struct screen *s, const struct group *g, const struct item *item)
{
	struct identity id = identity_masked(&item->id, s->how.by.mask);

	return item->task && memory_fresh(&s->memory, item) && identity_same(&id, &g->id);
}

static void add_task(struct page *p, const struct item *item)
{
	char bar[STROKES_SIZE];
	double blocked = pct(item->times.blocked_ns, item->times.wall_ns);

	stroke_bar(bar, 10, blocked, item->times.reasons, paint_utf8());
	page_add(p, INK_PLAIN, " %s %5.1f %%  %s  %s", bar, blocked, item->text[BY_THREAD],
		 item->text[BY_PROCESS]);
}

static int add_tasks(struct screen *s, const struct group *g)
{
	const struct item **list = calloc(s->memory.items.count + 1, sizeof(*list)), *item;
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; (item = memory_next(&s->memory, &i));)
		if (is_its_task(s, g, item))
			list[n++] = item;
	qsort(list, n, sizeof(*list), longest_first);
	if (n)
		add_title(&s->page, "Tasks, the longest blocked first");
	for (size_t i = 0; i < n && i < PARTS_MAX; i++)
		add_task(&s->page, list[i]);
	if (n > PARTS_MAX)
		page_add(&s->page, INK_DIM, " ... and %zu more", n - PARTS_MAX);
	free(list);
	return 0;
}

/* --- in flight ---------------------------------------------------------------------------- */

static bool is_its_flight(const struct screen *s, const struct group *g, const struct flight *f)
{
	struct identity id = identity_masked(&f->id, s->how.by.mask);

	return !(s->how.by.mask & ~MEMORY_FLIGHT_KEYS) && identity_same(&id, &g->id);
}

static void add_flights(struct screen *s, const struct group *g)
{
	const struct memory *m = &s->memory;
	size_t n = 0;

	for (size_t i = 0; i < m->n_flights; i++) {
		if (!is_its_flight(s, g, &m->flights[i]) || ++n > PARTS_MAX)
			continue;
		if (n == 1)
			add_title(&s->page, "In flight when the latest frame was made, the oldest first");
		page_add(&s->page, m->flights[i].stuck ? INK_BOLD : INK_PLAIN, " %s", m->flights[i].text);
	}
	if (n > PARTS_MAX)
		page_add(&s->page, INK_DIM, " ... and %zu more", n - PARTS_MAX);
}

/* --- the view ------------------------------------------------------------------------------ */

static int fill(struct screen *s, const struct group *g)
{
	static const struct by devices = {.keys = {BY_DEVICE, BY_OP}, .n = 2, .mask = 1u << BY_DEVICE | 1u << BY_OP};
	static const struct by files = {.keys = {BY_FILE}, .n = 1, .mask = 1u << BY_FILE};
	static const struct by processes = {.keys = {BY_PROCESS}, .n = 1, .mask = 1u << BY_PROCESS};
	int err;

	page_add(&s->page, INK_BOLD, " %s", g->label);
	add_blocked(s, g);
	add_minute(s, g);
	err = add_latency(s, g) ?: add_parts(s, g, "Devices and operations", &devices);
	if (!err && by_has(&s->memory.by, BY_FILE))
		err = add_parts(s, g, "Files", &files);
	if (!err && !by_has(&s->how.by, BY_PROCESS))
		err = add_parts(s, g, "Processes", &processes);
	err = err ?: add_tasks(s, g);
	add_flights(s, g);
	return err;
}

static int draw(struct screen *s, int y, int lines)
{
	const struct group *g = board_find(&s->board, &s->chosen);
	int err = 0;

	page_clear(&s->page);
	if (g)
		err = fill(s, g);
	else
		page_add(&s->page, INK_DIM, " gone: nothing of it in the last minute");
	page_draw(&s->page, y, lines);
	return err;
}

static bool key(struct screen *s, const struct term_key *k)
{
	return page_key(&s->page, k);
}

const struct view view_detail = {
	.hints = "Esc back  q quit  ? help  arrows scroll  p pause  f findings",
	.draw = draw,
	.key = key,
};
