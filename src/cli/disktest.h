/* SPDX-License-Identifier: GPL-2.0 */
/* `doctor --disk PATH`: what the disk below a path can do, beside what a recorded run got from it. */
#ifndef IOLAT_CLI_DISKTEST_H
#define IOLAT_CLI_DISKTEST_H

#include "cli/options.h"

int disktest_run(const struct options *o); /* the exit status */

#endif
