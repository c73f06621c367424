// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps roles and ranks as words on them arrive. The rules for roles are role.c's, the
 * places of workers batch.c's.
 */
#include "attrib/identity.h"

static bool is_python(const struct proc *p)
{
	return p->facts & IOLAT_FACT_PYTHON ||
	       (p->pub.comm_known && role_comm_is_python(p->pub.comm));
}

static const char *comm_of(const struct proc *p)
{
	return p && p->pub.comm_known ? p->pub.comm : NULL;
}

static enum role role_now(const struct proc *p, const struct proc *parent)
{
	struct role_clues clues = {
		.comm = comm_of(p),
		.parent_comm = comm_of(parent),
		.parent_role = parent ? parent->pub.role : ROLE_NONE,
		.parent_python = parent && is_python(parent),
		.forked = p->forked,
		.flags = p->facts,
	};

	return p->kthread || p->fresh ? ROLE_NONE : role_of_process(&clues);
}

static void set_role(struct proc_table *t, struct proc *p, struct proc *parent)
{
	enum role role = role_now(p, parent);

	if (role == p->pub.role)
		return;
	if (p->brood.counted && !role_is_worker(role))
		brood_displace(t, p);
	p->pub.role = role;
	if (role == ROLE_MP_FORKSERVER && parent)
		parent->brood.server = p->pub.pid;
	t->generation += p->asked;
}

static void set_rank(struct proc_table *t, struct proc *p, uint32_t rank, uint32_t world_size)
{
	if (p->pub.rank_known && p->pub.rank == rank && p->pub.world_size == world_size)
		return;
	p->pub.rank_known = true;
	p->pub.rank = rank;
	p->pub.world_size = world_size;
	t->generation += p->asked;
}

/* A fork runs its parent's program in its parent's environment. */
static void inherit(struct proc_table *t, struct proc *p, const struct proc *parent)
{
	if (!p->forked || !parent)
		return;
	p->facts |= parent->facts;
	if (parent->pub.rank_known && !p->pub.rank_known)
		set_rank(t, p, parent->pub.rank, parent->pub.world_size);
}

void identity_settle(struct proc_table *t, struct proc *p)
{
	struct proc *parent = proc_parent(t, p);

	inherit(t, p, parent);
	set_role(t, p, parent);
}

static void learn_birth(struct proc *p, const struct iolat_task *e)
{
	if (p->brood.adopted) /* told before */
		return;
	p->forked = e->flags & IOLAT_TASK_FORKED;
	p->fresh = e->what == IOLAT_TASK_NEW && !p->forked;
}

static void learn_exec(struct proc_table *t, struct proc *p)
{
	t->generation += p->asked;
	p->forked = p->fresh = false;
	p->facts = 0;
	p->pub.rank_known = false;
	p->pub.rank = p->pub.world_size = 0;
}

void identity_event(struct proc_table *t, struct proc *p, const struct iolat_task *e)
{
	bool leader = e->tid == e->tgid;

	if (leader && (e->what == IOLAT_TASK_NEW || e->what == IOLAT_TASK_SEEN))
		learn_birth(p, e);
	else if (e->what == IOLAT_TASK_EXEC)
		learn_exec(t, p);
	if (leader && e->what != IOLAT_TASK_EXIT)
		identity_settle(t, p);
	brood_event(t, p, e);
}

/* Lightning's rank 0 starts the others and gives them LOCAL_RANK; it is the one without. */
static void crown_parent(struct proc_table *t, const struct proc *p,
			 const struct iolat_process_facts *e)
{
	struct proc *parent = proc_parent(t, p);

	if (!(e->flags & IOLAT_FACT_LOCAL_RANK) || e->rank < 1 || p->forked)
		return;
	if (!parent || parent->pub.rank_known || !is_python(parent))
		return;
	set_rank(t, parent, 0, e->world_size);
	t->generation++; /* its forks may have been asked for */
}

void identity_facts(struct proc_table *t, const struct iolat_process_facts *e)
{
	struct proc *p = proc_by_start(t, e->tgid, e->start_ns);

	if (!p)
		return;
	p->facts = e->flags;
	if (e->rank >= 0)
		set_rank(t, p, e->rank, e->world_size);
	crown_parent(t, p, e);
	identity_settle(t, p);
}
