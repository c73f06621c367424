/* SPDX-License-Identifier: GPL-2.0 */
/* `iolat doctor --explain-cgroup PATH`: what iolat makes of a cgroup's path. */
#ifndef IOLAT_CLI_EXPLAIN_H
#define IOLAT_CLI_EXPLAIN_H

#include "cli/options.h"

int explain_run(const struct options *o); /* an exit status */

#endif
