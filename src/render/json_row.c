// SPDX-License-Identifier: GPL-2.0
/* The fields of record.c as keys of JSON objects. */
#include "render/json_row.h"

#include "render/record.h"

struct json_record {
	struct record record;
	struct json *json;
	json_hist *hist;
};

static struct json *json_of(struct record *r)
{
	return ((struct json_record *)r)->json;
}

static void field_open(struct record *r, const char *key, bool known)
{
	bool inside = r->absent;

	if (!record_enter(r, known)) {
		json_key(json_of(r), key);
		json_open(json_of(r), '{');
	} else if (!inside) {
		json_key(json_of(r), key);
		json_null(json_of(r));
	}
}

static void field_close(struct record *r)
{
	if (!record_leave(r))
		json_close(json_of(r), '}');
}

static void field_u64(struct record *r, const char *key, bool known, uint64_t v)
{
	if (r->absent)
		return;
	json_key(json_of(r), key);
	if (known)
		json_u64(json_of(r), v);
	else
		json_null(json_of(r));
}

static void field_real(struct record *r, const char *key, bool known, double v)
{
	if (r->absent)
		return;
	json_key(json_of(r), key);
	if (known)
		json_double(json_of(r), v, 2);
	else
		json_null(json_of(r));
}

static void field_str(struct record *r, const char *key, const char *s)
{
	if (!r->absent)
		json_kstr(json_of(r), key, s);
}

static void field_hist(struct record *r, const char *key, const struct hist *h)
{
	if (r->absent)
		return;
	json_key(json_of(r), key);
	((struct json_record *)r)->hist(json_of(r), h);
}

static const struct record_ops record_ops = {
	.open = field_open,
	.close = field_close,
	.u64 = field_u64,
	.real = field_real,
	.str = field_str,
	.hist = field_hist,
};

void json_row(struct json *j, const struct by *by, const struct row *row, json_hist *hist)
{
	struct json_record r = {.record.ops = &record_ops, .json = j, .hist = hist};

	json_open(j, '{');
	record_row(&r.record, by, row);
	json_close(j, '}');
}

void json_subject(struct json *j, enum row_key key, const struct row_subject *s)
{
	struct json_record r = {.record.ops = &record_ops, .json = j};

	record_subject(&r.record, key, s);
}

void json_request_fields(struct json *j, const struct by *by, const struct request *q)
{
	struct json_record r = {.record.ops = &record_ops, .json = j};

	record_request(&r.record, by, q);
}
