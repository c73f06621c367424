/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Membership of processes in a selection: earned by name or owner (select.h), inherited
 * at fork. Events of a family may arrive in any order (a scan of /proc sees children
 * before parents), so ancestors are asked again whenever it matters.
 */
#ifndef IOLAT_ATTRIB_MEMBER_H
#define IOLAT_ATTRIB_MEMBER_H

#include "attrib/proc.h"

/* Takes what an event that was just learnt earns its process. */
void member_event(struct proc_table *t, struct proc *p, const struct iolat_task *e);

#endif
