/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose I/O it is, by the ladder: a user task's own; else the bio's block cgroup unless
 * that is the root's; else the cgroup its data is charged to; else nobody's. Asked once,
 * in the context that submits. Also which selection the owner is in.
 */
#ifndef IOLAT_OWNER_BPF_H
#define IOLAT_OWNER_BPF_H

#include "emit.bpf.h"

static __always_inline u64 cgroup_key(u32 tree, struct cgroup *cgrp)
{
	u64 id = BPF_CORE_READ(cgrp, kn, id);

	return id ? IOLAT_CGROUP(tree, id) : 0;
}

static __always_inline bool cgroup_is_root(struct cgroup *cgrp)
{
	return !cgrp || BPF_CORE_READ(cgrp, level) == 0;
}

static __always_inline bool filter_matches(u32 i, struct cgroup *cgrp)
{
	return cgrp && cgroup_ancestor(cgrp, knobs.cgroups[i].level) == knobs.cgroups[i].id;
}

/* Whether a cgroup of `tree` is at or below a selected one. */
static __noinline int cgroup_selected(struct cgroup *cgrp, u32 tree)
{
	for (u32 i = 0; i < IOLAT_MAX_FILTERS; i++) {
		if (i >= knobs.n_cgroups)
			break;
		if (knobs.cgroups[i].tree == tree && filter_matches(i, cgrp))
			return true;
	}
	return false;
}

/* Whether a task is, in any tree. */
static __noinline int task_cgroup_selected(struct task_struct *task)
{
	return cgroup_selected(task_cgroup_in(task, IOLAT_TREE_V2), IOLAT_TREE_V2) ||
	       (knobs.blkio_v1 &&
		cgroup_selected(task_cgroup_in(task, IOLAT_TREE_BLKIO), IOLAT_TREE_BLKIO)) ||
	       (knobs.memory_v1 &&
		cgroup_selected(task_cgroup_in(task, IOLAT_TREE_MEMORY), IOLAT_TREE_MEMORY));
}

/* Step 2: the block cgroup, which writeback and most re-submitters carry along. */
static __always_inline struct cgroup *bio_cgroup(struct bio *bio)
{
	return BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup);
}

/* Step 3: the memory cgroup of the data: the inode's writeback owner, else the first page's. */
static __always_inline struct cgroup *data_cgroup(struct bio *bio)
{
	struct page *page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
	struct cgroup_subsys_state *css;
	struct mem_cgroup *memcg;
	struct cgroup *cgrp;
	u64 mapping;

	if (!page)
		return NULL;
	page = page_head(page);
	mapping = (u64)BPF_CORE_READ(page, mapping);
	if (mapping && !(mapping & 3)) { /* the low bits mark anonymous and movable pages */
		css = BPF_CORE_READ((struct address_space *)mapping, host, i_wb, memcg_css);
		cgrp = BPF_CORE_READ(css, cgroup);
		if (!cgroup_is_root(cgrp))
			return cgrp;
	}
	memcg = page_memcg(page);
	return memcg ? BPF_CORE_READ(memcg, css.cgroup) : NULL;
}

/* The work queue that a kernel worker runs for, announced; 0 for other kernel threads. */
static __always_inline void find_work_queue(struct task_struct *task, struct owner *o)
{
	char name[IOLAT_NAME_LEN] __attribute__((aligned(8))) = {};
	struct workqueue_struct *wq;
	struct worker *worker;

	if (BPF_CORE_READ(task, flags) & PF_WQ_WORKER) {
		worker = BPF_CORE_READ(task_kthread(task), data);
		wq = BPF_CORE_READ(worker, current_pwq, wq);
		if (!wq)
			return;
		bpf_probe_read_kernel(name, sizeof(name), &wq->name);
		o->via = (u32)((u64)wq >> 6) | 1;
		announce_name(o->via, name);
	} else {
		bpf_probe_read_kernel(name, IOLAT_COMM_LEN, &task->comm);
	}
	/* What a loop device's worker submits is a copy of what came to the loop device:
	 * the work queue "loopN", before 5.14 the thread "loopN". */
	o->copy = name[0] == 'l' && name[1] == 'o' && name[2] == 'o' && name[3] == 'p' &&
		  name[4] >= '0' && name[4] <= '9';
	/* The work queue "kthrotld" submits what a cgroup's limit has held back. */
	o->throttled = name[0] == 'k' && name[1] == 't' && name[2] == 'h' && name[3] == 'r' &&
		       name[4] == 'o' && name[5] == 't';
}

static __always_inline bool cgroup_is_below(struct cgroup *cgrp, struct cgroup *above)
{
	u32 level = BPF_CORE_READ(above, level);

	return cgrp && (u32)BPF_CORE_READ(cgrp, level) > level &&
	       cgroup_ancestor(cgrp, level) == BPF_CORE_READ(above, kn, id);
}

/* Whether the data says more than the bio. A bio whose cgroup has no io controller carries the
 * nearest ancestor that has it (bio_associate_blkg()): the root's, or with io delegated but not
 * all the way, one that merely holds the owner. */
static __always_inline bool data_knows(struct cgroup *data, struct cgroup *of_bio, bool one_tree)
{
	return cgroup_is_root(of_bio) || (one_tree && cgroup_is_below(data, of_bio));
}

/* Steps 2 to 4, and whether that cgroup is selected. */
static __noinline int owner_of_data(struct bio *bio, struct owner *o)
{
	u32 tree = knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2;
	u32 data_tree = knobs.memory_v1 ? IOLAT_TREE_MEMORY : IOLAT_TREE_V2;
	struct cgroup *cgrp = bio ? bio_cgroup(bio) : NULL;
	struct cgroup *data = bio ? data_cgroup(bio) : NULL;

	o->from = IOLAT_OWNER_BIO;
	if (data_knows(data, cgrp, tree == data_tree)) {
		cgrp = data;
		o->from = IOLAT_OWNER_PAGE;
		tree = data_tree;
	}
	if (cgroup_is_root(cgrp)) {
		o->from = IOLAT_OWNER_NONE;
		o->cgroup = 0;
	} else {
		o->cgroup = cgroup_key(tree, cgrp);
	}
	o->selected = !knobs.n_cgroups || (o->from != IOLAT_OWNER_NONE && cgroup_selected(cgrp, tree));
	return 0;
}

static __noinline int owner_of_kernel(struct bio *bio, struct owner *o)
{
	owner_of_data(bio, o);
	find_work_queue((void *)bpf_get_current_task(), o);
	o->selected &= !knobs.by_task;
	return 0;
}

/* Few of the processes that are not selected need the look into the map. */
static __always_inline bool task_selected(struct task_struct *task, u32 tgid)
{
	if (knobs.by_task && (!marks.selected[tgid & (IOLAT_MARKS - 1)] ||
			      !bpf_map_lookup_elem(&iolat_tasks, &tgid)))
		return false;
	return !knobs.n_cgroups || task_cgroup_selected(task);
}

/* Who submits `bio` (NULL for commands) right now. */
static __always_inline void owner_now(struct bio *bio, struct owner *o)
{
	struct task_struct *task = current_task();

	o->pid_tgid = task_pid_tgid(task);
	o->via = 0;
	o->copy = 0;
	o->throttled = 0;
	if (task_get(task, flags) & PF_KTHREAD) {
		owner_of_kernel(bio, o);
		return;
	}
	o->from = IOLAT_OWNER_TASK;
	o->cgroup = IOLAT_CGROUP(knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2, current_cgroup());
	o->selected = task_selected(task, o->pid_tgid >> 32);
}

#endif /* IOLAT_OWNER_BPF_H */
