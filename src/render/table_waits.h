/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of a table below its rows: who waits for what, what is stuck, and what it all means. */
#ifndef IOLAT_RENDER_TABLE_WAITS_H
#define IOLAT_RENDER_TABLE_WAITS_H

#include <stdio.h>

#include "render/render.h"

/* The title of a reason's column. */
const char *table_reason_header(enum wait_reason r);

/* Each prints nothing where there is nothing to say. */
void table_tasks(FILE *out, const struct snapshot *s, const struct render_options *o);
void table_stuck(FILE *out, const struct snapshot *s, const struct render_options *o);
void table_gpus(FILE *out, const struct snapshot *s);
void table_phases(FILE *out, const struct snapshot *s, const struct render_options *o);

/* The first one in a frame, all of them in a summary. */
void table_findings(FILE *out, const struct snapshot *s);

#endif
