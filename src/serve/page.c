// SPDX-License-Identifier: GPL-2.0
/* The page at /: where the metrics are, and what iolat has to say at the moment. */
#include "serve/page.h"

#include <inttypes.h>

#include "render/html.h"

static void put_findings(FILE *out, const struct metrics *m)
{
	fputs("<h2>Findings</h2>\n", out);
	if (!m->n_findings) {
		fputs("<p>None at the moment.</p>\n", out);
		return;
	}
	fputs("<dl>\n", out);
	for (size_t i = 0; i < m->n_findings; i++) {
		fputs("<dt>", out);
		html_text(out, m->findings[i].code);
		fputs("</dt><dd>", out);
		html_text(out, m->findings[i].text);
		fputs("</dd>\n", out);
	}
	fputs("</dl>\n", out);
}

void page_index(FILE *out, const struct metrics *m, const char *host)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>iolat on ", out);
	html_text(out, host);
	fputs("</title>\n<style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
	      "dt{font-weight:bold}</style></head>\n<body>\n<h1>iolat on ",
	      out);
	html_text(out, host);
	fputs("</h1>\n<p><a href=\"metrics\">Metrics</a> for Prometheus, <a href=\"healthz\">health</a></p>\n",
	      out);
	put_findings(out, m);
	fprintf(out, "<p>%" PRIu64 " I/Os counted, %" PRIu64 " lost.</p>\n</body>\n</html>\n",
		m->requests, m->lost);
}
