// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of the page that stand there in plain HTML: what it is about, the main numbers,
 * findings, how complete the data are, how they were made.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "render/columns.h"
#include "render/html.h"

#define SHOWN_DISKS 64
#define THOUSANDS   32 /* room for a number with separators */

/* --- text ---------------------------------------------------------------------- */

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void html_text(FILE *out, const char *s)
{
	char clean[TEXT_CHAR];

	while (*s) {
		s += text_printable_char(clean, s);
		fputs(entity_of(*clean) ?: clean, out);
	}
}

static const char *or_unknown(const char *s)
{
	return s && *s ? s : "unknown";
}

static const char *host_of(const struct snapshot *s)
{
	return s->host || !by_has(s->by, BY_HOST) ? or_unknown(s->host) : "several hosts";
}

/* "27,301" */
static char *thousands(char buf[THOUSANDS], uint64_t v)
{
	char *at = buf + THOUSANDS - 1;
	int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + v % 10);
		digits++;
	} while (v /= 10);
	return at;
}

/* "2.0GiB" */
static char *full_bytes(char buf[UNITS_LEN], uint64_t bytes)
{
	size_t len = strlen(fmt_bytes(buf, (double)bytes));

	if (buf[len - 1] != 'B')
		snprintf(buf + len, UNITS_LEN - len, "iB");
	return buf;
}

/* To the second; the zone stands behind. */
static void put_time(FILE *out, uint64_t wall_ns)
{
	char buf[RFC3339_LEN];

	fmt_rfc3339(buf, wall_ns);
	fprintf(out, "<time datetime=\"%s\">%.10s %.8s</time>", buf, buf, buf + 11);
}

/* --- head ---------------------------------------------------------------------- */

int html_title(FILE *out, const struct html_page *p)
{
	html_text(out, host_of(p->s));
	return 0;
}

int html_made(FILE *out, const struct html_page *p)
{
	char duration[UNITS_LEN];

	fputs("<strong>", out);
	html_text(out, host_of(p->s));
	fputs("</strong>, ", out);
	put_time(out, p->s->start_wall_ns);
	fprintf(out, ", %s", fmt_duration(duration, p->s->duration_ns));
	return 0;
}

static int sum_latency(struct hist *sum, const struct html_page *p)
{
	int err = 0;

	hist_init(sum);
	for (size_t i = 0; !err && i < p->s->n_rows; i++)
		err = hist_merge(sum, &p->rows[i]->total);
	return err;
}

static void put_tile(FILE *out, const char *name, const char *value, const char *note)
{
	fprintf(out, "<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value, note);
}

static void put_latency_tiles(FILE *out, const struct hist *h)
{
	char buf[UNITS_LEN];

	put_tile(out, "Waited in all", fmt_duration(buf, (uint64_t)h->sum), "summed over requests");
	put_tile(out, "Median latency", fmt_duration(buf, hist_percentile(h, 0.5)), "p50");
	put_tile(out, "Slowest 1%", fmt_duration(buf, hist_percentile(h, 0.99)), "p99 or more");
	put_tile(out, "Slowest", fmt_duration(buf, h->count ? h->max : 0), "one request");
}

int html_tiles(FILE *out, const struct html_page *p)
{
	char buf[UNITS_LEN], number[THOUSANDS];
	uint64_t bytes = 0, errors = 0;
	struct hist sum;
	int err = sum_latency(&sum, p);

	for (size_t i = 0; i < p->s->n_rows; i++) {
		bytes += p->rows[i]->bytes;
		errors += p->rows[i]->errors;
	}
	if (!err) {
		put_tile(out, "Requests", thousands(number, p->s->coverage.tally.requests), "counted");
		put_tile(out, "Data", full_bytes(buf, bytes), "read and written");
		put_latency_tiles(out, &sum);
		if (errors)
			put_tile(out, "Errors", thousands(number, errors), "failed requests");
	}
	hist_free(&sum);
	return err;
}

static void put_finding(FILE *out, const struct finding *f)
{
	fputs("<li class=\"finding\"><p>", out);
	html_text(out, f->text);
	fputs("</p><code>", out);
	html_text(out, f->code);
	fputs(": ", out);
	html_text(out, f->subject);
	fputs("</code></li>\n", out);
}

/* The scripts put the same list with its evidence in the place of this. */
int html_findings(FILE *out, const struct html_page *p)
{
	const struct snapshot *s = p->s;

	if (!s->findings_known) {
		fputs("<p class=\"note\" id=\"plain-findings\">Findings were not collected.</p>\n",
		      out);
		return 0;
	}
	if (!s->n_findings) {
		fputs("<p id=\"plain-findings\">Nothing stands out in these numbers.</p>\n", out);
		return 0;
	}
	fputs("<ol class=\"findings\" id=\"plain-findings\">\n", out);
	for (size_t i = 0; i < s->n_findings; i++)
		put_finding(out, &s->findings[i]);
	fputs("</ol>\n", out);
	return 0;
}

/* --- completeness -------------------------------------------------------------- */

static void put_count(FILE *out, const struct coverage *c, size_t i)
{
	const struct tally_word *w = &tally_words[i];
	uint64_t n = c->tally.all[i];
	char buf[THOUSANDS];

	fprintf(out, "<tr%s><th scope=\"row\">%s</th><td class=\"n\">%s</td><td>%s</td></tr>\n",
		w->trouble && n ? " class=\"trouble\"" : "", w->word, tally_known(c, i) ? thousands(buf, n) : "not told", w->what);
}

static void put_verdict(FILE *out, const struct tally *t)
{
	uint64_t gone = t->lost + t->unmatched + t->map_full;
	double all = (double)t->requests + (double)gone;
	char buf[THOUSANDS];

	if (!gone)
		fputs("<p class=\"verdict good\">Complete: every request that was seen is in the "
		      "rows.</p>\n",
		      out);
	else
		fprintf(out,
			"<p class=\"verdict %s\">%s request%s (%.2g%%) in no row; the table says why.</p>\n",
			(double)gone > all / 100 ? "bad" : "fair", thousands(buf, gone),
			gone == 1 ? "" : "s", 100 * (double)gone / all);
}

int html_coverage(FILE *out, const struct html_page *p)
{
	const struct coverage *c = &p->s->coverage;

	put_verdict(out, &c->tally);
	fputs("<div class=\"scroll\"><table class=\"facts\"><tbody>\n", out);
	for (size_t i = 0; i < TALLY_NUMBERS; i++)
		put_count(out, c, i);
	fputs("</tbody></table></div>\n", out);
	return 0;
}

static const char *rotational_word(const struct disk *d)
{
	if (!d->facts_known || d->rotational < 0)
		return "unknown";
	return d->rotational ? "rotating" : "solid state";
}

static void put_disk(FILE *out, const struct coverage_disk *c)
{
	const struct disk *d = c->disk;
	char buf[THOUSANDS];

	fputs("<tr><th scope=\"row\">", out);
	html_text(out, d->name);
	fputs("</th><td>", out);
	html_text(out, d->facts_known ? or_unknown(d->model) : "unknown");
	fprintf(out, "</td><td>%s</td><td>", rotational_word(d));
	html_text(out, d->facts_known ? or_unknown(d->scheduler) : "unknown");
	if (d->facts_known && d->nr_requests)
		fprintf(out, "</td><td class=\"n\">%" PRIu32, d->nr_requests);
	else
		fputs("</td><td class=\"n\">unknown", out);
	fprintf(out, "</td><td class=\"n\">%s",
		c->kernel_known ? thousands(buf, c->kernel) : "not told");
	fprintf(out, "</td><td class=\"n\">%s</td></tr>\n", thousands(buf, c->seen));
}

int html_disks(FILE *out, const struct html_page *p)
{
	const struct coverage *c = &p->s->coverage;
	size_t n = c->n_disks < SHOWN_DISKS ? c->n_disks : SHOWN_DISKS;

	fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">device</th><th "
	      "scope=\"col\">model</th>"
	      "<th scope=\"col\">kind</th><th scope=\"col\">scheduler</th>"
	      "<th scope=\"col\" class=\"n\">queue size</th><th scope=\"col\" class=\"n\">kernel "
	      "counted</th>"
	      "<th scope=\"col\" class=\"n\">seen</th></tr></thead><tbody>\n",
	      out);
	for (size_t i = 0; i < n; i++)
		put_disk(out, &c->disks[i]);
	fputs("</tbody></table></div>\n", out);
	if (n < c->n_disks)
		fprintf(out, "<p class=\"note\">%zu more devices are left out.</p>\n",
			c->n_disks - n);
	return 0;
}

/* --- how it was made ----------------------------------------------------------- */

static void put_fact(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", name);
	html_text(out, value);
	fputs("</td></tr>\n", out);
}

static void put_when(FILE *out, const char *name, uint64_t wall_ns)
{
	char buf[RFC3339_LEN];

	put_fact(out, name, fmt_rfc3339(buf, wall_ns));
}

static void put_by(FILE *out, const struct by *by)
{
	fputs("<tr><th scope=\"row\">rows by</th><td>", out);
	for (size_t i = 0; i < by->n; i++)
		fprintf(out, "%s%s", i ? ", " : "", row_key_name(by->keys[i]));
	fputs("</td></tr>\n", out);
}

static void put_hooks(FILE *out, const struct snapshot *s, bool attached, const char *title)
{
	const char *before = "";

	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", title);
	for (size_t i = 0; i < s->n_hooks; i++) {
		if (s->hooks[i].attached != attached)
			continue;
		fputs(before, out);
		html_text(out, s->hooks[i].name);
		before = ", ";
	}
	fprintf(out, "%s</td></tr>\n", *before ? "" : "none");
}

int html_about(FILE *out, const struct html_page *p)
{
	const struct snapshot *s = p->s;
	char duration[UNITS_LEN];

	fputs("<div class=\"scroll\"><table class=\"facts\"><tbody>\n", out);
	put_fact(out, "command", or_unknown(s->command));
	put_fact(out, "host", host_of(s));
	put_fact(out, "kernel", or_unknown(s->kernel));
	put_when(out, "start", s->start_wall_ns);
	put_when(out, "end", s->end_wall_ns);
	put_fact(out, "duration", fmt_duration(duration, s->duration_ns));
	put_by(out, s->by);
	put_fact(out, "latency starts",
		 s->bio_submission
			 ? "when the I/O enters the block layer"
			 : "when the request is made, so that waiting for one is not seen");
	put_hooks(out, s, true, "hooks");
	put_hooks(out, s, false, "hooks missing");
	put_fact(out, "written by", "iolat " IOLAT_VERSION);
	fputs("</tbody></table></div>\n", out);
	return 0;
}
