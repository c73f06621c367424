/* SPDX-License-Identifier: GPL-2.0 */
/* Latency histograms as bars, for people (-H). */
#ifndef IOLAT_RENDER_HISTOGRAM_H
#define IOLAT_RENDER_HISTOGRAM_H

#include <stdio.h>

#include "stats/snapshot.h"

/* One row's, with a line about its parts. */
void histogram_print_bars(FILE *out, const struct row *row);

/* The same under a title that names the row. */
void histogram_print(FILE *out, const struct snapshot *frame, const struct row *row);

#endif
