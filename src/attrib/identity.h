/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process is: its role, its rank in a distributed job, and whether it still runs
 * its parent's program. Told by TASK and PROCESS_FACTS events and, for what a fork
 * inherits, by its ancestors.
 */
#ifndef IOLAT_ATTRIB_IDENTITY_H
#define IOLAT_ATTRIB_IDENTITY_H

#include "attrib/proc.h"

/* After the event has described the process. */
void identity_event(struct proc_table *t, struct proc *p, const struct iolat_task *e);

/* Of a process that is not known any more: ignored. */
void identity_facts(struct proc_table *t, const struct iolat_process_facts *e);

/* Brings role and rank up to what is known by now of the process and its parent. */
void identity_settle(struct proc_table *t, struct proc *p);

#endif
