/* SPDX-License-Identifier: GPL-2.0 */
/* `iolat`: traces until something ends the run, a frame an interval, then the summary. */
#ifndef IOLAT_CLI_LIVE_H
#define IOLAT_CLI_LIVE_H

#include "cli/options.h"

/* Returns the exit status; whatever went wrong has been said. */
int live_run(const struct options *o);

#endif
