// SPDX-License-Identifier: GPL-2.0
/* The completeness line: what always counts, and what only says something where it is not 0. */
#include "render/table_coverage.h"

#include <inttypes.h>

#include "render/columns.h"

enum { DISKS_SHOWN = 4 };

static void put_count(FILE *out, const char *name, uint64_t n)
{
	fprintf(out, "  %s %" PRIu64, name, n);
}

static void put_trouble(FILE *out, const char *name, uint64_t n)
{
	if (n)
		put_count(out, name, n);
}

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
	if (s->type != SNAPSHOT_INTERVAL)
		put_comparison(out, c);
	fputc('\n', out);
}
