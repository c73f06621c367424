/* SPDX-License-Identifier: GPL-2.0 */
/* --fail-on: whether a run's end is one that the user asked to be told of by the exit status. */
#ifndef IOLAT_CLI_VERDICT_H
#define IOLAT_CLI_VERDICT_H

#include <stdbool.h>

#include "cli/options.h"

/* Whether the snapshot has a finding of one of those codes. */
bool verdict_fails(const struct words *codes, const struct snapshot *s);

#endif
