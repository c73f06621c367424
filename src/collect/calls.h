/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which system calls wait for files: the kernel side knows numbers only, and those are
 * the architecture's that this was built for.
 */
#ifndef IOLAT_COLLECT_CALLS_H
#define IOLAT_COLLECT_CALLS_H

#include "iolat/wire.h"

void calls_fill(struct iolat_calls *c);

#endif
