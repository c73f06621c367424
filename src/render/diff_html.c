// SPDX-License-Identifier: GPL-2.0
/* A comparison as one self-contained page: tables with a bar for each side, in the style of the report's page. */
#include "base/embed.h"
#include "render/diff.h"
#include "render/html.h"

EMBED(diff_style, "src/render/html/page.css");

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n<title>Before and after: who waited on the disk</title>\n"
	"<style>\n";
static const char more_style[] =
	".pair{display:grid;grid-template-columns:auto minmax(3rem,1fr);gap:.1rem .5rem;align-items:center;min-width:9rem;max-width:18rem;margin-left:auto}"
	"main{padding-top:18px!important}.facts td:nth-child(n+3):nth-child(-n+5){white-space:nowrap}"
	".pair .bar{height:.5rem}.pair i{display:block;height:100%;background:var(--c0)}.pair .was i{background:var(--c7)}"
	".change{font-weight:600;font-size:.8rem}td.n.pairs{vertical-align:top}.good::before,.bad::before{margin-right:.3em}"
	"td .good::before{content:\"\\2193\"}td .bad::before{content:\"\\2191\"}\n";

static double share(const struct compare_group *g, enum compare_side side, enum compare_measure m)
{
	double v[COMPARE_SIDES] = {0}, most;

	for (int i = 0; i < COMPARE_SIDES; i++)
		compare_value(&g->sums[i], m, &v[i]);
	most = v[0] > v[1] ? v[0] : v[1];
	return most > 0 ? 100 * v[side] / most : 0;
}

/* Percent as a CSS length, whatever the locale's point. */
static void put_bar(FILE *out, const struct compare_group *g, enum compare_side side, enum compare_measure m)
{
	char value[UNITS_LEN];
	int tenths = (int)(10 * share(g, side, m));

	fprintf(out, "<span>%s</span><span class=\"bar%s\" aria-hidden=\"true\"><i style=\"width:%d.%d%%\"></i></span>",
		diff_value(value, &g->sums[side], m), side == COMPARE_BEFORE ? " was" : "", tenths / 10, tenths % 10);
}

static void put_cell(FILE *out, const struct compare_group *g, enum compare_measure m)
{
	static const char *const classes[] = {"bad", "", "good"};
	char ratio[UNITS_LEN];

	fputs("<td class=\"n pairs\"><span class=\"pair\">", out);
	put_bar(out, g, COMPARE_BEFORE, m);
	put_bar(out, g, COMPARE_AFTER, m);
	fprintf(out, "</span><span class=\"change %s\">%s</span></td>", classes[diff_goodness(g, m) + 1],
		diff_ratio(ratio, g, m));
}

static void put_head(FILE *out, const struct compare_list *l, const enum compare_measure *m, size_t n)
{
	fputs("<div class=\"scroll\"><table><thead><tr>", out);
	for (size_t i = 0; i < l->by.n; i++)
		fprintf(out, "<th scope=\"col\">%s</th>", row_key_name(l->by.keys[i]));
	for (size_t i = 0; i < n; i++)
		fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>", diff_header(m[i]));
	fputs("</tr></thead><tbody>\n", out);
}

#define SHOWN 500

static void put_list(FILE *out, const char *title, const struct compare_list *l, bool tasks)
{
	size_t n, shown = l->n < SHOWN ? l->n : SHOWN;
	const enum compare_measure *m = diff_measures(tasks, &n);

	fprintf(out, "<section><h2>%s</h2>\n", title);
	put_head(out, l, m, n);
	for (size_t r = 0; r < shown; r++) {
		fputs("<tr>", out);
		for (size_t i = 0; i < l->by.n; i++) {
			fputs("<td>", out);
			html_text(out, l->groups[r].names[l->by.keys[i]]);
			fputs("</td>", out);
		}
		for (size_t i = 0; i < n; i++)
			put_cell(out, &l->groups[r], m[i]);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	if (shown < l->n)
		fprintf(out, "<p class=\"note\">%zu more are left out.</p>\n", l->n - shown);
	fputs("</section>\n", out);
}

static void put_run(FILE *out, const struct diff_view *v, enum compare_side side)
{
	const struct snapshot *s = v->comparison->runs[side];
	char stamp[RFC3339_LEN], duration[UNITS_LEN];

	fmt_rfc3339(stamp, s->start_wall_ns);
	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", side == COMPARE_BEFORE ? "before" : "after");
	html_text(out, v->files[side]);
	fputs("</td><td>", out);
	html_text(out, s->host ? s->host : "unknown");
	fprintf(out, "</td><td>%.10s %.8s</td><td>%s</td><td>", stamp, stamp + 11,
		fmt_duration(duration, s->duration_ns));
	html_text(out, s->command ? s->command : "");
	fputs("</td></tr>\n", out);
}

int diff_html(FILE *out, const struct diff_view *v)
{
	const struct comparison *c = v->comparison;

	fputs(head, out);
	fwrite(diff_style, 1, (size_t)(diff_style_end - diff_style), out);
	fputs(more_style, out);
	fputs("</style>\n</head>\n<body>\n<header><div class=\"wrap\"><div class=\"brand\"><h1>Before and after</h1></div>"
	      "</div></header>\n<main class=\"wrap\">\n<section><h2>In short</h2><ol class=\"findings\"><li class=\"finding\"><p>",
	      out);
	diff_sentence(out, c);
	fputs("</p></li></ol><p class=\"note\">The upper bar of each pair is before, the lower one after. \"same\": the "
	      "difference is within what the histograms and the number of requests can tell.</p></section>\n",
	      out);
	put_list(out, "Requests", &c->rows, false);
	if (c->tasks.n)
		put_list(out, "Tasks", &c->tasks, true);
	fputs("<section><h2>What was compared</h2><div class=\"scroll\"><table class=\"facts\"><tbody>\n", out);
	put_run(out, v, COMPARE_BEFORE);
	put_run(out, v, COMPARE_AFTER);
	fputs("</tbody></table></div></section>\n</main>\n</body>\n</html>\n", out);
	return 0;
}
