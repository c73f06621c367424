/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOLAT_CLI_DIFF_H
#define IOLAT_CLI_DIFF_H

#include "cli/options.h"

/* `iolat diff BEFORE AFTER`: an exit status. */
int diff_run(const struct options *o);

#endif
