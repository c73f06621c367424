/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks that exist at the start, in the order in which they came to be. */
#ifndef IOLAT_COLLECT_SEEN_H
#define IOLAT_COLLECT_SEEN_H

#include "collect/tracer.h"

/* Sends a SEEN event of every task, parents before their children. 0 or -errno (tracer_tasks). */
int seen_tasks(const struct tracer *t, const struct sink *sink);

#endif
