// SPDX-License-Identifier: GPL-2.0
/* The completeness line: what always counts, and what only says something where it is not 0. */
#include "render/table_coverage.h"

#include <inttypes.h>

#include "render/columns.h"

enum { DISKS_SHOWN = 4 };

/* Its own count says that not everything was seen. */
static bool is_short(const struct coverage_disk *c)
{
	return c->kernel_known && c->seen < c->kernel;
}

/* It keeps no count. */
static bool is_silent(const struct coverage_disk *c)
{
	return c->disk->facts_known && !c->disk->accounted && c->seen;
}

static void put_disk(FILE *out, const struct coverage_disk *c)
{
	fputs("  ", out);
	column_print_text(out, c->disk->name);
	if (is_short(c))
		fprintf(out, ": kernel counted %" PRIu64 ", seen %" PRIu64, c->kernel, c->seen);
	else
		fputs(": iostats off", out);
}

/* Up to DISKS_SHOWN in all; how many there are so far. */
static size_t put_disks(FILE *out, const struct coverage *c, bool (*is)(const struct coverage_disk *), size_t n)
{
	for (size_t i = 0; i < c->n_disks; i++)
		if (is(&c->disks[i]) && n++ < DISKS_SHOWN)
			put_disk(out, &c->disks[i]);
	return n;
}

/* The disks' own counts are the whole run's, so they are compared where that is shown. */
static void put_comparison(FILE *out, const struct coverage *c)
{
	size_t n = put_disks(out, c, is_short, 0);

	n = put_disks(out, c, is_silent, n);
	if (n > DISKS_SHOWN)
		fprintf(out, "  and %zu more disks", n - DISKS_SHOWN);
}

void table_coverage(FILE *out, const struct snapshot *s)
{
	const struct coverage *c = &s->coverage;

	fprintf(out, "requests %" PRIu64, c->tally.requests);
	for (size_t i = 1; i < TALLY_NUMBERS; i++)
		if (tally_words[i].always || (c->tally.all[i] && tally_known(c, i)))
			fprintf(out, "  %s %" PRIu64, tally_words[i].word, c->tally.all[i]);
	if (s->type != SNAPSHOT_INTERVAL)
		put_comparison(out, c);
	fputc('\n', out);
}
