/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page is a template (html/page.html) with marks that functions fill: html_parts.c what can be
 * read without scripts, html_table.c the table of rows, html_data.c the data for the charts. Each part
 * has a budget of bytes, so that the page stays small whatever the run; what is left out is said.
 */
#ifndef IOLAT_RENDER_HTML_H
#define IOLAT_RENDER_HTML_H

#include "render/render.h"

struct html_page {
	const struct snapshot *s;
	const struct render_options *o;
	const struct row **rows; /* in order */
};

/* Writes a part; 0 or -ENOMEM. Errors of `out` stay in it. */
typedef int html_part(FILE *out, const struct html_page *p);

html_part html_title, html_made, html_tiles, html_findings, html_coverage, html_disks, html_about;
html_part html_table;
html_part html_phases;
html_part html_data;

/* Text from anywhere, made printable and with the characters that mean something to HTML escaped;
 * good between tags and in quoted attributes. */
void html_text(FILE *out, const char *s);

#endif
