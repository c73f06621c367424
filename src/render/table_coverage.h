/* SPDX-License-Identifier: GPL-2.0 */
/* The line that says how complete a frame is, for people. */
#ifndef IOLAT_RENDER_TABLE_COVERAGE_H
#define IOLAT_RENDER_TABLE_COVERAGE_H

#include <stdio.h>

#include "stats/snapshot.h"

void table_coverage(FILE *out, const struct snapshot *s);

#endif
