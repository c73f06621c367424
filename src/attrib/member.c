// SPDX-License-Identifier: GPL-2.0
/*
 * Who is selected. Each membership has a time, and a child inherits what its parent was
 * when the child was born, however late either of them became known.
 */
#include "attrib/member.h"

#define DEPTH_LIMIT 64 /* generations that are asked */
#define ALL_BITS    ((1u << SELECT_KINDS) - 1)

static void join(struct proc_table *t, struct proc *p, unsigned int kind, uint64_t since_ns)
{
	if (p->bits & 1u << kind)
		return;
	p->bits |= 1u << kind;
	t->hits |= 1u << kind;
	p->since[kind] = since_ns;
	if (p->asked)
		t->generation++;
}

static void join_all(struct proc_table *t, struct proc *p, unsigned int bits, uint64_t since_ns)
{
	for (unsigned int kind = 0; kind < SELECT_KINDS; kind++)
		if (bits & 1u << kind)
			join(t, p, kind, since_ns);
}

/* Brings a process's membership up to date with its ancestors'. */
static void inherit(struct proc_table *t, struct proc *p, unsigned int depth)
{
	unsigned int own = select_not_inherited(t->selection);
	struct proc *parent;

	join_all(t, p, select_match_pid(t->selection, p->pub.pid), 0);
	if (p->bits == ALL_BITS || depth == DEPTH_LIMIT)
		return;
	parent = proc_parent(t, p);
	if (!parent)
		return;
	inherit(t, parent, depth + 1);
	for (unsigned int kind = 0; kind < SELECT_KINDS; kind++)
		if (parent->bits & ~own & 1u << kind && parent->since[kind] <= p->born_ns)
			join(t, p, kind, parent->since[kind]);
}

/* A process that was there at the start was a member at the start. */
static void earn(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	const char *comm = p->pub.comm_known ? p->pub.comm : NULL;
	unsigned int bits = select_match(t->selection, comm, p->pub.uid);

	if (bits && e->what == IOLAT_TASK_SEEN)
		t->generation++; /* children may be known already */
	join_all(t, p, bits, e->what == IOLAT_TASK_SEEN ? 0 : e->ts_ns);
}

void member_event(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	if (!select_has_processes(t->selection) || e->what == IOLAT_TASK_EXIT)
		return;
	earn(t, p, e);
	inherit(t, p, 0);
}

static bool wanted(struct proc_table *t, struct proc *p)
{
	if (!select_has_processes(t->selection))
		return true;
	if (!select_wants(t->selection, p->bits))
		inherit(t, p, 0);
	return select_wants(t->selection, p->bits);
}

bool proc_wanted(struct proc_table *t, struct proc *p)
{
	if (!p)
		return !select_has_processes(t->selection);
	p->asked = true;
	return wanted(t, p);
}

size_t proc_selected_alive(struct proc_table *t, bool kernel_too)
{
	size_t n = 0;

	for (struct list *l = t->live.items.next; l != &t->live.items; l = l->next) {
		struct proc *p = list_entry(l, struct proc, order);

		if ((!kernel_too || p->selected) && wanted(t, p))
			n++;
	}
	return n;
}
