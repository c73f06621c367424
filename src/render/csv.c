/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CSV with one header line and a line a row. Columns are the paths of the row's JSON
 * fields (record.c) joined by "_", behind the frame's start and type; what is null there
 * is empty here, and histograms, which are no scalars, are left out. With a training log, phases are lines behind the
 * rows, with columns of their own. Quoting by RFC 4180.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "render/formats.h"
#include "render/frame.h"
#include "render/order.h"
#include "render/record.h"

#define CSV_DEPTH 4

struct csv_record {
	struct record record;
	FILE *out;
	bool header;		     /* write names, not values */
	const char *path[CSV_DEPTH]; /* of the open objects */
	size_t depth;
};

static void put_cleaned(FILE *out, const char *s)
{
	unsigned int cp;
	int len;

	for (; *s; s += len) {
		len = utf8_next(s, &cp);
		if (len)
			fwrite(s, 1, len, out);
		else
			fputs("\xEF\xBF\xBD", out);
		if (*s == '"')
			fputc('"', out);
		if (!len)
			len = 1;
	}
}

static void put_field(FILE *out, const char *s)
{
	bool quoted = s[strcspn(s, ",\"\r\n")];

	if (quoted)
		fputc('"', out);
	put_cleaned(out, s);
	if (quoted)
		fputc('"', out);
}

static struct csv_record *csv_of(struct record *r)
{
	return (struct csv_record *)r;
}

static void put_name(const struct csv_record *c, const char *key)
{
	for (size_t i = 0; i < c->depth; i++)
		fprintf(c->out, "%s_", c->path[i]);
	fputs(key, c->out);
}

/* Begins the next field; true if a value is to follow. */
static bool next_field(const struct csv_record *c, const char *key, bool known)
{
	fputc(',', c->out);
	if (c->header)
		put_name(c, key);
	return !c->header && known && !c->record.absent;
}

static void csv_open(struct record *r, const char *key, bool known)
{
	struct csv_record *c = csv_of(r);

	record_enter(r, known);
	c->path[c->depth++] = key;
}

static void csv_close(struct record *r)
{
	record_leave(r);
	csv_of(r)->depth--;
}

static void csv_u64(struct record *r, const char *key, bool known, uint64_t v)
{
	struct csv_record *c = csv_of(r);

	if (next_field(c, key, known))
		fprintf(c->out, "%" PRIu64, v);
}

static void csv_real(struct record *r, const char *key, bool known, double v)
{
	struct csv_record *c = csv_of(r);
	struct json j;

	if (!next_field(c, key, known))
		return;
	json_begin(&j, c->out);
	json_double(&j, v, 2); /* the C locale's point, whatever the locale */
}

static void csv_str(struct record *r, const char *key, const char *s)
{
	struct csv_record *c = csv_of(r);

	if (next_field(c, key, s))
		put_field(c->out, s);
}

static void csv_hist(struct record *r, const char *key, const struct hist *h)
{
}

static const struct record_ops csv_ops = {
	.open = csv_open,
	.close = csv_close,
	.u64 = csv_u64,
	.real = csv_real,
	.str = csv_str,
	.hist = csv_hist,
};

/* --- phases: lines of their own, of type "phase" ------------------------------------- */

#define PHASE_COLUMNS                                                                              \
	",phases_name,phases_end,phases_duration_ns,phases_ios,phases_bytes,phases_reread_bytes,"  \
	"phases_p50_ns,phases_p99_ns,phases_blocked_pct"
#define NO_PHASE ",,,,,,,,,"

static void put_u64(FILE *out, bool known, uint64_t v)
{
	fputc(',', out);
	if (known)
		fprintf(out, "%" PRIu64, v);
}

static void put_phase(FILE *out, const struct by *by, const struct phase *p)
{
	struct csv_record c = {.record.ops = &csv_ops, .record.absent = 1, .out = out};
	char stamp[RFC3339_LEN];
	static const struct row empty;
	struct json j;

	fprintf(out, "%s,phase", fmt_rfc3339(stamp, p->start_wall_ns));
	record_row(&c.record, by, &empty);
	fputc(',', out);
	put_field(out, p->name);
	fprintf(out, ",%s", fmt_rfc3339(stamp, p->end_wall_ns));
	put_u64(out, true, p->duration_ns);
	put_u64(out, true, p->ios);
	put_u64(out, true, p->bytes);
	put_u64(out, p->reread_known, p->reread_bytes);
	put_u64(out, p->ios, p->p50_ns);
	put_u64(out, p->ios, p->p99_ns);
	fputc(',', out);
	json_begin(&j, out);
	if (p->blocked_known)
		json_double(&j, p->blocked_pct, 2); /* the C locale's point */
	fputc('\n', out);
}

/* Whole ones only: a frame would tell of the same one again and again. */
static void put_phases(FILE *out, const struct snapshot *s)
{
	for (size_t i = 0; s->type != SNAPSHOT_INTERVAL && i < s->n_phases; i++)
		put_phase(out, s->by, &s->phases[i]);
}

/* --- frames --------------------------------------------------------------------------- */

static int csv_start(FILE *out, const struct by *by, const struct render_options *o)
{
	struct csv_record c = {.record.ops = &csv_ops, .out = out, .header = true};
	static const struct row empty;

	fputs("start,type", out);
	record_row(&c.record, by, &empty);
	if (o->phases)
		fputs(PHASE_COLUMNS, out);
	fputc('\n', out);
	return 0;
}

static void put_row(FILE *out, const struct snapshot *s, const struct row *row,
		    const struct render_options *o)
{
	struct csv_record c = {.record.ops = &csv_ops, .out = out};
	char start[RFC3339_LEN];

	fprintf(out, "%s,%s", fmt_rfc3339(start, s->start_wall_ns), frame_type(s));
	record_row(&c.record, s->by, row);
	if (o->phases)
		fputs(NO_PHASE, out);
	fputc('\n', out);
}

static int csv_snapshot(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	const struct row **rows = order_rows(s, o);

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_rows; i++)
		put_row(out, s, rows[i], o);
	if (o->phases)
		put_phases(out, s);
	free(rows);
	return 0;
}

/* --- requests ------------------------------------------------------------------- */

static int csv_start_requests(FILE *out, const struct by *by, const struct render_options *o)
{
	struct csv_record c = {.record.ops = &csv_ops, .out = out, .header = true};
	static const struct request empty;

	fputs("start", out);
	record_request(&c.record, by, &empty);
	fputc('\n', out);
	return 0;
}

static int csv_request(FILE *out, const struct request *q, const struct by *by, const struct render_options *o)
{
	struct csv_record c = {.record.ops = &csv_ops, .out = out};
	char start[RFC3339_LEN];

	fputs(fmt_rfc3339(start, q->start_wall_ns), out);
	record_request(&c.record, by, q);
	fputc('\n', out);
	return 0;
}

const struct renderer renderer_csv = {
	.name = "csv",
	.snapshot = csv_snapshot,
	.start = csv_start,
	.request = csv_request,
	.start_requests = csv_start_requests,
};
