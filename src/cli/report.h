/* SPDX-License-Identifier: GPL-2.0 */
/* `iolat report`: the analysis of a recording; needs no privileges and reads nothing but its file. */
#ifndef IOLAT_CLI_REPORT_H
#define IOLAT_CLI_REPORT_H

#include "cli/options.h"

int report_run(const struct options *o);	/* the exit status; what went wrong has been said */

/* The same for more than one FILE (report_several.c). */
int report_several(const struct options *o);

#endif
