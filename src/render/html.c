// SPDX-License-Identifier: GPL-2.0
/*
 * One self-contained page about a whole run: a template, style and scripts from html/, embedded
 * here, and what html_*.c put in. It opens from disk and asks nobody for anything.
 */
#include "render/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "render/formats.h"
#include "render/order.h"

EMBED(page_template, "src/render/html/page.html");
EMBED(page_style, "src/render/html/page.css");
EMBED(page_core, "src/render/html/core.js");
EMBED(page_bars, "src/render/html/bars.js");
EMBED(page_time, "src/render/html/time.js");
EMBED(page_heat, "src/render/html/heat.js");
EMBED(page_lines, "src/render/html/lines.js");
EMBED(page_histograms, "src/render/html/histograms.js");
EMBED(page_table, "src/render/html/table.js");

#define MARK_OPEN  "<!--["
#define MARK_CLOSE "]-->"

struct mark {
	const char *name;
	html_part *put; /* or the text between: */
	const char *text, *end;
};

#define PART(word)                                                                                 \
	{                                                                                          \
		.name = #word, .put = html_##word                                                  \
	}
#define PIECE(word, symbol)                                                                        \
	{                                                                                          \
		.name = word, .text = symbol, .end = symbol##_end                                  \
	}

static const struct mark marks[] = {
	PART(title),
	PART(made),
	PART(tiles),
	PART(findings),
	PART(phases),
	PART(table),
	PART(coverage),
	PART(disks),
	PART(about),
	PART(data),
	PIECE("style", page_style),
	PIECE("core", page_core),
	PIECE("bars", page_bars),
	PIECE("time", page_time),
	PIECE("heat", page_heat),
	PIECE("lines", page_lines),
	PIECE("histograms", page_histograms),
	PIECE("sorting", page_table),
};

/* Returns the text from `at` on that starts with `what`, or the end. */
static const char *find(const char *at, const char *end, const char *what)
{
	const char *found = memmem(at, (size_t)(end - at), what, strlen(what));

	return found ? found : end;
}

static int fill(FILE *out, const struct html_page *p, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const struct mark *m = &marks[i];

		if (strlen(m->name) != len || strncmp(m->name, name, len))
			continue;
		if (m->put)
			return m->put(out, p);
		fwrite(m->text, 1, (size_t)(m->end - m->text), out);
	}
	return 0;
}

static int put_page(FILE *out, const struct html_page *p)
{
	const char *at = page_template, *mark, *close;
	int err = 0;

	while (!err && at < page_template_end) {
		mark = find(at, page_template_end, MARK_OPEN);
		fwrite(at, 1, (size_t)(mark - at), out);
		if (mark == page_template_end)
			break;
		mark += strlen(MARK_OPEN);
		close = find(mark, page_template_end, MARK_CLOSE);
		err = fill(out, p, mark, (size_t)(close - mark));
		at = close == page_template_end ? close : close + strlen(MARK_CLOSE);
	}
	return err;
}

/* A page is about a whole run: frames have none. */
static int html_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	struct html_page page = {.s = s, .o = o};
	int err;

	if (s->type != SNAPSHOT_SUMMARY)
		return 0;
	page.rows = order_rows(s, o);
	err = page.rows ? put_page(out, &page) : -ENOMEM;
	free(page.rows);
	return err;
}

const struct renderer renderer_html = {.name = "html", .snapshot = html_snapshot, .timeline = true};
