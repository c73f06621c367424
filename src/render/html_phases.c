// SPDX-License-Identifier: GPL-2.0
/* The page's table of phases, where the training's log cut the run. */
#include <inttypes.h>

#include "base/units.h"
#include "render/html.h"

static void put_bytes(FILE *out, bool known, uint64_t bytes)
{
	char size[UNITS_LEN];

	fprintf(out, "<td class=\"n\">%s</td>", known ? fmt_bytes(size, (double)bytes) : "unknown");
}

static void put_time(FILE *out, bool known, uint64_t ns)
{
	char time[UNITS_LEN];

	fprintf(out, "<td class=\"n\">%s</td>", known ? fmt_duration(time, ns) : "–");
}

static void put_phase(FILE *out, const struct phase *p)
{
	fputs("<tr><th scope=\"row\">", out);
	html_text(out, p->name);
	fputs(p->open ? " (goes on)</th>" : "</th>", out);
	put_time(out, true, p->duration_ns);
	fprintf(out, "<td class=\"n\">%" PRIu64 "</td>", p->ios);
	put_bytes(out, true, p->bytes);
	put_bytes(out, p->reread_known, p->reread_bytes);
	put_time(out, p->ios, p->p50_ns);
	put_time(out, p->ios, p->p99_ns);
	if (p->blocked_known)
		fprintf(out, "<td class=\"n\">%.1f %%</td></tr>\n", p->blocked_pct);
	else
		fputs("<td class=\"n\">–</td></tr>\n", out);
}

int html_phases(FILE *out, const struct html_page *p)
{
	if (!p->s->n_phases)
		return 0;
	fputs("<section id=\"phases\" aria-labelledby=\"phases-h\">\n<h2 id=\"phases-h\">Phases of the training</h2>\n"
	      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Phase</th><th scope=\"col\" class=\"n\">Took</th><th scope=\"col\" class=\"n\">I/Os</th>"
	      "<th scope=\"col\" class=\"n\">Bytes</th><th scope=\"col\" class=\"n\">Read before</th><th scope=\"col\" class=\"n\">P50</th><th scope=\"col\" class=\"n\">P99</th>"
	      "<th scope=\"col\" class=\"n\">Workers blocked</th></tr></thead><tbody>\n", out);
	for (size_t i = 0; i < p->s->n_phases; i++)
		put_phase(out, &p->s->phases[i]);
	fputs("</tbody></table></div>\n</section>\n", out);
	return 0;
}
