// SPDX-License-Identifier: GPL-2.0
/*
 * Processes and threads: who is whose child, what they are called, when they end. Keeps
 * the set of selected processes as it grows by fork, and tells user space everything it
 * needs to name an owner, also of those that are gone by then.
 */
#include "owner.bpf.h"

struct iolat_marks marks = {};

static __noinline u32 flags_of_task(struct task_struct *task)
{
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return IOLAT_TASK_KTHREAD;
	return knobs.waits && task_selected(task, BPF_CORE_READ(task, tgid)) ? IOLAT_TASK_TRACED : 0;
}

/* Forked, with a copy of its parent's memory, and no exec since. A child by vfork shares the memory:
 * it is on its way to an exec. (A thread's own flag says nothing: clone sets it, too.) */
static __always_inline bool is_forked(struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	return BPF_CORE_READ(leader, flags) & PF_FORKNOEXEC &&
	       BPF_CORE_READ(leader, mm) != BPF_CORE_READ(leader, real_parent, mm);
}

/* What is common to all task events. `comm` NULL: as the task has it. */
static __always_inline void fill(struct iolat_task *e, struct task_struct *task, u8 what, u8 flags,
				 const char *comm)
{
	struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	u32 level = BPF_CORE_READ(pid, level) & 31;
	u32 tree = knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2;

	e->head.kind = IOLAT_EV_TASK;
	e->head.size = sizeof(*e);
	e->what = what;
	e->flags = flags | flags_of_task(task) | (is_forked(task) ? IOLAT_TASK_FORKED : 0);
	e->reserved = 0;
	e->here = 0;
	e->ts_ns = bpf_ktime_get_ns();
	e->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	e->tid = BPF_CORE_READ(task, pid);
	e->tgid = BPF_CORE_READ(task, tgid);
	e->ppid = BPF_CORE_READ(task, real_parent, tgid);
	e->uid = BPF_CORE_READ(task, cred, uid.val);
	e->begun_ns = BPF_CORE_READ(task, start_time);
	e->cgroup = cgroup_key(tree, task_cgroup_in(task, tree));
	e->ns_pid = 0;
	bpf_probe_read_kernel(&e->ns_pid, sizeof(e->ns_pid), &pid->numbers[level].nr);
	if (bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), comm ?: task->comm) < 0)
		e->comm[0] = 0;
}

static __always_inline int tell(struct task_struct *task, u8 what, u8 flags, const char *comm)
{
	struct iolat_task *e = emit_begin(&iolat_facts, TASK, struct iolat_task);

	if (e) {
		fill(e, task, what, flags, comm);
		emit_end(e);
	}
	return 0;
}

/* Whether the process is selected; a pid may have been another process's before. */
static __always_inline bool is_selected(struct task_struct *task)
{
	u32 tgid = BPF_CORE_READ(task, tgid);
	struct iolat_task_entry *e = bpf_map_lookup_elem(&iolat_tasks, &tgid);

	return e && (!e->start_ns || e->start_ns == BPF_CORE_READ(task, group_leader, start_boottime));
}

static __always_inline void select_task(struct task_struct *task)
{
	struct iolat_task_entry e = {};
	u32 tgid = BPF_CORE_READ(task, tgid);

	e.start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	if (!bpf_map_update_elem(&iolat_tasks, &tgid, &e, BPF_NOEXIST))
		__sync_fetch_and_add(&marks.selected[tgid & (IOLAT_MARKS - 1)], 1);
	else if (bpf_map_update_elem(&iolat_tasks, &tgid, &e, BPF_EXIST))
		count(map_full);
}

static __always_inline void unselect(u32 tgid)
{
	if (!bpf_map_delete_elem(&iolat_tasks, &tgid))
		__sync_fetch_and_sub(&marks.selected[tgid & (IOLAT_MARKS - 1)], 1);
}

HOOK_SEC("sched_process_fork")
int iolat_fork(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	u32 tgid = BPF_CORE_READ(child, tgid);
	bool process = tgid != (u32)BPF_CORE_READ(parent, tgid);
	bool yes = knobs.by_task && is_selected(parent) && !(process && knobs.no_children);

	if (yes && process)
		select_task(child);
	else if (process && knobs.by_task && marks.selected[tgid & (IOLAT_MARKS - 1)])
		unselect(tgid); /* a former process of that pid, whose end was not seen */
	return tell(child, IOLAT_TASK_NEW, yes ? IOLAT_TASK_SELECTED : 0, NULL);
}

HOOK_SEC("task_rename")
int iolat_rename(u64 *ctx)
{
	return tell((void *)ctx[0], IOLAT_TASK_COMM, 0, (const char *)ctx[1]);
}

HOOK_SEC("sched_process_exec")
int iolat_exec(u64 *ctx)
{
	return tell((void *)ctx[0], IOLAT_TASK_EXEC, 0, NULL);
}

/* What the process has read when its last thread ends: what that thread did joins the others' later. Of a traced one's child,
 * too, for it becomes its parent's. */
static __always_inline void tell_called(struct task_struct *task)
{
	bool traced = flags_of_task(task) & IOLAT_TASK_TRACED;
	struct iolat_called *e;

	if (!knobs.waits || !calls_are_counted() ||
	    (!traced && !(flags_of_task(BPF_CORE_READ(task, real_parent)) & IOLAT_TASK_TRACED)))
		return;
	e = emit_begin(&iolat_facts, CALLED, struct iolat_called);
	if (!e)
		return;
	e->tgid = BPF_CORE_READ(task, tgid);
	e->ts_ns = bpf_ktime_get_ns();
	e->read_bytes = BPF_CORE_READ(task, ioac.rchar) + BPF_CORE_READ(task, signal, ioac.rchar);
	e->reads = BPF_CORE_READ(task, ioac.syscr) + BPF_CORE_READ(task, signal, ioac.syscr);
	e->before = 0;
	e->ended = traced ? IOLAT_CALLED_LAST : IOLAT_CALLED_CHILDS_LAST;
	emit_end(e);
}

/* A process ends with its last thread, whichever that is; its leader alone ends nothing. */
HOOK_SEC("sched_process_exit")
int iolat_exit(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	bool leader = BPF_CORE_READ(task, pid) == BPF_CORE_READ(task, tgid);

	if (!leader)
		tell(task, IOLAT_TASK_EXIT, 0, NULL);
	if (BPF_CORE_READ(task, signal, live.counter))
		return 0;
	tell_called(task);
	tell(BPF_CORE_READ(task, group_leader), IOLAT_TASK_EXIT, 0, NULL);
	return 0;
}

/* Closing files comes after sched_process_exit and may still do I/O; this is the end. */
HOOK_SEC("sched_process_free")
int iolat_free(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	u32 tgid = BPF_CORE_READ(task, tgid);

	if (knobs.by_task && (u32)BPF_CORE_READ(task, pid) == tgid && is_selected(task))
		unselect(tgid);
	return 0;
}

/* A process's pid as the task that runs now sees it; 0: not in its namespace. */
static __always_inline u32 pid_for_current(struct task_struct *task)
{
	struct task_struct *reader = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	u32 level = BPF_CORE_READ(reader, group_leader, thread_pid, level) & 31;
	u32 nr = 0;

	if (level <= BPF_CORE_READ(pid, level))
		bpf_probe_read_kernel(&nr, sizeof(nr), &pid->numbers[level].nr);
	return nr;
}

/* Every task there is, read by user space at the start: the same events, as a file. */
SEC("iter/task")
int iolat_seen(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct iolat_task e;

	/* One that has ended and was not waited for yet will tell nothing more. */
	if (!task || !BPF_CORE_READ(task, signal, live.counter))
		return 0;
	fill(&e, task, IOLAT_TASK_SEEN,
	     knobs.by_task && is_selected(task) ? IOLAT_TASK_SELECTED : 0, NULL);
	e.here = pid_for_current(task);
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
