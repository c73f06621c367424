// SPDX-License-Identifier: GPL-2.0
/* The completeness line: what always counts, and what only says something where it is not 0. */
#include "render/table_coverage.h"

#include <inttypes.h>

#include "render/columns.h"

static void put_count(FILE *out, const char *name, uint64_t n)
{
	fprintf(out, "  %s %" PRIu64, name, n);
}

static void put_trouble(FILE *out, const char *name, uint64_t n)
{
	if (n)
		put_count(out, name, n);
}

/* A disk whose own count says that not everything was seen, or that keeps none. */
static void put_disk(FILE *out, const struct coverage_disk *c)
{
	const struct disk *d = c->disk;
	bool silent = d->facts_known && !d->accounted && c->seen;
	bool short_of = c->kernel_known && c->seen < c->kernel;

	if (!silent && !short_of)
		return;
	fputs("  ", out);
	column_print_text(out, d->name);
	if (silent)
		fputs(": iostats off", out);
	else
		fprintf(out, ": kernel counted %" PRIu64 ", seen %" PRIu64, c->kernel, c->seen);
}

/* The disks' own counts are the whole run's, so they are compared where that is shown. */
void table_coverage(FILE *out, const struct snapshot *s)
{
	const struct coverage *c = &s->coverage;

	fprintf(out, "requests %" PRIu64, c->requests);
	put_count(out, "lost", c->lost);
	put_count(out, "aggregated", c->aggregated);
	put_count(out, "unmatched", c->unmatched);
	put_trouble(out, "unowned", c->unowned);
	put_trouble(out, "map-full", c->map_full);
	put_trouble(out, "backward", c->backward);
	put_trouble(out, "missed", c->missed_known ? c->missed : 0);
	put_trouble(out, "names-lost", c->names_lost);
	put_trouble(out, "waits-lost", c->waits_lost);
	for (size_t i = 0; i < c->n_disks && s->type != SNAPSHOT_INTERVAL; i++)
		put_disk(out, &c->disks[i]);
	fputc('\n', out);
}
