/* SPDX-License-Identifier: GPL-2.0 */
/* `iolat serve`: counters for Prometheus, until a signal comes. */
#ifndef IOLAT_CLI_SERVE_H
#define IOLAT_CLI_SERVE_H

#include "cli/options.h"

int serve_run(const struct options *o); /* exit status */

#endif
