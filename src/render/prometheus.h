/* SPDX-License-Identifier: GPL-2.0 */
/* Counters in the forms that scrapers read, one after the other; see stats/metrics.h. */
#ifndef IOLAT_RENDER_PROMETHEUS_H
#define IOLAT_RENDER_PROMETHEUS_H

#include <stdio.h>

#include "stats/metrics.h"

enum prometheus_form {
	PROMETHEUS_TEXT,	/* 0.0.4 */
	PROMETHEUS_OPENMETRICS,	/* 1.0.0 */
	PROMETHEUS_PROTOBUF,	/* with native histograms */
	PROMETHEUS_FORMS
};

/* Media type for HTTP. */
const char *prometheus_type(enum prometheus_form form);

/* Writes all of it; errors stay in the stream. `now_ns`: the clock of metrics_take(). */
void prometheus_write(FILE *out, const struct metrics *m, enum prometheus_form form, uint64_t now_ns);

#endif
