/* SPDX-License-Identifier: GPL-2.0 */
/* The numbers of the column table: false where a row has none. Of a histogram or a count, `c` says which. */
#ifndef IOLAT_RENDER_COLUMN_NUMBERS_H
#define IOLAT_RENDER_COLUMN_NUMBERS_H

#include "render/columns.h"

bool column_number_field(const struct column *c, const struct cell *cell, double *out);
bool column_number_iops(const struct column *c, const struct cell *cell, double *out);
bool column_number_rate(const struct column *c, const struct cell *cell, double *out);
bool column_number_percentile(const struct column *c, const struct cell *cell, double *out);
bool column_number_mean(const struct column *c, const struct cell *cell, double *out);
bool column_number_min(const struct column *c, const struct cell *cell, double *out);
bool column_number_max(const struct column *c, const struct cell *cell, double *out);
bool column_number_sum(const struct column *c, const struct cell *cell, double *out);
bool column_number_queue_pct(const struct column *c, const struct cell *cell, double *out);
bool column_number_random(const struct column *c, const struct cell *cell, double *out);
bool column_number_pid(const struct column *c, const struct cell *cell, double *out);
bool column_number_ns_pid(const struct column *c, const struct cell *cell, double *out);
bool column_number_tid(const struct column *c, const struct cell *cell, double *out);

char *column_format_count(char buf[UNITS_LEN], double v);
char *column_format_tenths(char buf[UNITS_LEN], double v);
char *column_format_iops(char buf[UNITS_LEN], double v);
char *column_format_hundredths(char buf[UNITS_LEN], double v);
char *column_format_duration(char buf[UNITS_LEN], double v);

#endif
