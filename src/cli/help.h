/* SPDX-License-Identifier: GPL-2.0 */
/* The text of --help, one for each command, from the option table. */
#ifndef IOLAT_CLI_HELP_H
#define IOLAT_CLI_HELP_H

#include <stdio.h>

#include "cli/options.h"

void help_print(FILE *out, enum command command);

#endif
