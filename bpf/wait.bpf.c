// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks asleep in I/O: what a traced task waits for is looked at when it leaves its CPU, the wait ends
 * when it is woken, and is told when it runs again. Which of these waits are for a disk is decided
 * by the analysis, which knows the requests. Everybody else's switches cost two looks at an array.
 */
#include "owner.bpf.h"
#include "wait_file.bpf.h"

/* The low bits of a tid or tgid. */
#define mark_of(id) ((id) & (IOLAT_MARKS - 1))

/* The file that a sleep is for, if that is known. */
static __always_inline void place_wait(const struct found_file *found, struct iolat_wait *w)
{
	struct file_ref r = {};

	if (!found->inode)
		return;
	refer_to(found->inode, &r);
	w->inode = r.inode;
	w->fs_magic = r.fs_magic;
	w->fs_major = r.fs_major;
	w->fs_minor = r.fs_minor;
}

static __always_inline void name_file(const struct found_file *found, const struct iolat_wait *w,
				      struct task_struct *task)
{
	struct file_ref r = {.inode = w->inode,
			     .fs_magic = w->fs_magic,
			     .fs_major = w->fs_major,
			     .fs_minor = w->fs_minor};

	if (found->inode)
		announce_file(found, &r, task);
}

/* What a sleep of `task` in state `state` may be a wait for. False: for no I/O. */
static __always_inline bool is_io_wait(struct task_struct *task, u32 state, struct iolat_wait *w,
				       struct found_file *found, void *regs)
{
	bool deep = (state & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)) == TASK_UNINTERRUPTIBLE;
	u8 call = call_of(registers_call(regs));
	u32 fd = registers_argument(regs, call & IOLAT_CALL_SECOND);

	/* A worker of io_uring has its creator's registers. */
	if (task_get(task, flags) & PF_IO_WORKER)
		call = IOLAT_CALL_OTHER;
	w->call = IOLAT_CALL_WHAT(call);
	w->flags = (deep ? IOLAT_WAIT_DEEP : 0) |
		   (BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait) ? IOLAT_WAIT_IOWAIT : 0);
	if (w->call == IOLAT_CALL_OTHER && !(w->flags & IOLAT_WAIT_IOWAIT))
		return false;
	if (w->call == IOLAT_CALL_NONE && !deep)
		return false;
	if (deep && w->call == IOLAT_CALL_WRITE && writes_through((void *)task, fd))
		w->call = IOLAT_CALL_SYNC;
	find_file((void *)task, call, fd, found);
	place_wait(found, w);
	if (iolat_fs_kind(w->fs_magic) != IOLAT_FS_LOCAL)
		note_sleep((void *)task, found->inode);
	/* Apart from asynchronous I/O and what another machine or process answers, a wait that a signal
	 * may end is for no disk. */
	return deep || w->call == IOLAT_CALL_AIO ||
	       (state & TASK_INTERRUPTIBLE && iolat_fs_kind(w->fs_magic) != IOLAT_FS_LOCAL);
}

static __always_inline void fill(struct iolat_wait *w, struct task_struct *task, u64 cgroup)
{
	w->head.kind = IOLAT_EV_WAIT;
	w->head.size = sizeof(*w);
	w->tid = task_get(task, pid);
	w->tgid = task_get(task, tgid);
	w->start_ns = bpf_ktime_get_ns();
	w->cgroup = IOLAT_CGROUP(knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2, cgroup);
	w->major_faults = task_get(task, maj_flt);
}

/* Starts a sleep; one of the same tid whose end was not seen makes room. */
static __always_inline void sleep_add(const struct iolat_wait *w)
{
	u32 tid = w->tid;

	if (!bpf_map_update_elem(&iolat_sleeps, &tid, w, BPF_NOEXIST))
		__sync_fetch_and_add(&marks.asleep[mark_of(tid)], 1);
	else if (bpf_map_update_elem(&iolat_sleeps, &tid, w, BPF_EXIST))
		count(waits_lost);
}

static __always_inline void sleep_remove(u32 tid)
{
	if (!bpf_map_delete_elem(&iolat_sleeps, &tid))
		__sync_fetch_and_sub(&marks.asleep[mark_of(tid)], 1);
}

static __always_inline void falls_asleep(struct task_struct *task, u32 state)
{
	u32 tgid = task_get(task, tgid);
	struct found_file found = {};
	struct iolat_wait w = {};

	if (!state || (knobs.by_task && !marks.selected[mark_of(tgid)]))
		return;
	if (task_get(task, flags) & PF_KTHREAD ||
	    !is_io_wait(task, state, &w, &found, task_registers(task)) ||
	    !task_selected((void *)task, tgid))
		return;
	fill(&w, task, current_cgroup()); /* it still runs */
	name_file(&found, &w, (void *)task);
	sleep_add(&w);
}

/* Tells of a sleep that is over. */
static __noinline int runs_again(u32 tid)
{
	struct iolat_wait *w = bpf_map_lookup_elem(&iolat_sleeps, &tid), *e;

	if (!w)
		return 0;
	e = record_reserve(sizeof(*e));
	if (e) {
		*e = *w;
		if (!e->end_ns) /* woken without an event, or before the sleep was noted */
			e->end_ns = bpf_ktime_get_ns();
		bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	} else {
		count(waits_lost);
	}
	sleep_remove(tid);
	return 0;
}

HOOK_SEC("sched_switch")
int iolat_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 tid = task_get(next, pid);

	if (!ctx[0]) /* was not preempted */
		falls_asleep(prev, switch_state(ctx, prev));
	if (marks.asleep[mark_of(tid)])
		runs_again(tid);
	return 0;
}

/* The wait is over here; until the task gets a CPU again it waits for that. */
HOOK_SEC("sched_waking")
int iolat_waking(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	u32 tid = task_get(task, pid);
	struct iolat_wait *w;

	if (!marks.asleep[mark_of(tid)])
		return 0;
	w = bpf_map_lookup_elem(&iolat_sleeps, &tid);
	if (w && !w->end_ns)
		w->end_ns = bpf_ktime_get_ns();
	return 0;
}

/* Every task, read by user space once when the hooks are there: who sleeps already is noted. One that wakes up
 * at this very moment is taken out again. */
SEC("iter/task")
int iolat_asleep(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct found_file found = {};
	struct iolat_wait w = {};
	u32 state;

	if (!task || BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return 0;
	state = task_state(task);
	if (!state || !is_io_wait(task, state, &w, &found, task_registers(task)) ||
	    !task_selected(task, BPF_CORE_READ(task, tgid)))
		return 0;
	fill(&w, task, task_cgroup(task));
	w.flags |= IOLAT_WAIT_EARLIER;
	name_file(&found, &w, task);
	if (bpf_map_update_elem(&iolat_sleeps, &w.tid, &w, BPF_NOEXIST))
		return 0;
	__sync_fetch_and_add(&marks.asleep[mark_of(w.tid)], 1);
	if (task_state(task) != state)
		sleep_remove(w.tid);
	return 0;
}

/* --- files that no system call names ------------------------------------------------- */

/* A fault on a mapping whose page may not be there (6.8). */
HOOK_SEC("mm_filemap_fault")
int iolat_file_fault(u64 *ctx)
{
	return note_file((struct address_space *)ctx[0]);
}

/* Before: a page that is to be read, in a fault or not. A folio (5.16) begins like a page. */
HOOK_SEC("mm_filemap_add_to_page_cache")
int iolat_file_read(u64 *ctx)
{
	return note_file(BPF_CORE_READ((struct page *)ctx[0], mapping));
}

/* Waits for pages to be written: fsync(2), close(2) on NFS, msync(2). */
HOOK_SEC("folio_wait_writeback")
int iolat_file_written(u64 *ctx)
{
	return note_file((struct address_space *)ctx[1]);
}

/* The same until 5.15. */
HOOK_SEC("wait_on_page_writeback")
int iolat_file_written_page(u64 *ctx)
{
	return note_file((struct address_space *)ctx[1]);
}
