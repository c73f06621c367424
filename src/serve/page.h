/* SPDX-License-Identifier: GPL-2.0 */
/* The page at /, for a person who looks what is served here. */
#ifndef IOLAT_SERVE_PAGE_H
#define IOLAT_SERVE_PAGE_H

#include <stdio.h>

#include "stats/metrics.h"

void page_index(FILE *out, const struct metrics *m, const char *host);

#endif
