/* SPDX-License-Identifier: GPL-2.0 */
/* A row as the JSON object that the interface promises, for formats that hold such objects. */
#ifndef IOLAT_RENDER_JSON_ROW_H
#define IOLAT_RENDER_JSON_ROW_H

#include "base/json.h"
#include "stats/snapshot.h"

/* Writes the buckets of a histogram, as one value. */
typedef void json_hist(struct json *j, const struct hist *h);

void json_row(struct json *j, const struct by *by, const struct row *row, json_hist *hist);

/* One key of a subject, into the object that is open. */
void json_subject(struct json *j, enum row_key key, const struct row_subject *s);

/* What a request has, into the object that is open. */
void json_request_fields(struct json *j, const struct by *by, const struct request *q);

#endif
