/* SPDX-License-Identifier: GPL-2.0 */
/* `iolat doctor`: what this kernel and these privileges let iolat see, and what to do. */
#ifndef IOLAT_CLI_DOCTOR_H
#define IOLAT_CLI_DOCTOR_H

#include "cli/options.h"

/* Prints the report. EXIT_OK when iolat can run here, else what a run would exit with. */
int doctor_run(const struct options *o);

#endif
