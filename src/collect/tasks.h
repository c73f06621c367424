/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks that exist, from /proc: the same events as the kernel's iterator gives. */
#ifndef IOLAT_COLLECT_TASKS_H
#define IOLAT_COLLECT_TASKS_H

#include <stdint.h>

struct sink;

/* Every thread as a SEEN event at `now_ns`, those of a process together. Starts are of a clock tick's
 * grain; none is marked as selected. 0, -errno where there is no /proc, or what the sink returned. */
int tasks_read(uint64_t now_ns, const struct sink *sink);

#endif
