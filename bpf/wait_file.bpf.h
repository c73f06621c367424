/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which file a task waits for: what its system call names, what it has just faulted on or waits for to be written, or
 * where it looks up a name. Asked when a traced task falls asleep, not at each call.
 */
#ifndef IOLAT_WAIT_FILE_BPF_H
#define IOLAT_WAIT_FILE_BPF_H

#include "file.bpf.h"

static __always_inline u64 task_switches(struct task_struct *task)
{
	return BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
}

static __always_inline struct noted *noted_slot(u32 tid)
{
	u32 low = tid & (NOTED_FILES - 1);

	return bpf_map_lookup_elem(&iolat_noted, &low);
}

static __always_inline void note(u32 tid, struct inode *inode, u64 switches, bool slept)
{
	struct noted *n = noted_slot(tid);

	if (!n)
		return;
	n->tid = tid;
	n->slept = slept;
	n->inode = (u64)inode;
	n->switches = switches;
}

/* The current task may be about to wait for a page of this file. */
static __always_inline int note_file(struct address_space *mapping)
{
	u64 pid_tgid = bpf_get_current_pid_tgid();

	if (!mapping || (knobs.by_task && !marks.selected[(pid_tgid >> 32) & (IOLAT_MARKS - 1)]))
		return 0;
	note((u32)pid_tgid, BPF_CORE_READ(mapping, host), task_switches((void *)bpf_get_current_task()),
	     false);
	return 0;
}

/* A task falls asleep for this file. */
static __always_inline void note_sleep(struct task_struct *task, struct inode *inode)
{
	note(BPF_CORE_READ(task, pid), inode, task_switches(task), true);
}

/* What was noted last, if the task has not slept since; in a fault it is the fault's anyway. Counted before sched_switch
 * is told, this sleep is one. */
static __always_inline struct inode *noted_file(struct task_struct *task, u8 call, bool slept)
{
	u32 tid = BPF_CORE_READ(task, pid);
	struct noted *n = noted_slot(tid);

	if (!n || n->tid != tid || n->slept != slept ||
	    (call != IOLAT_CALL_NONE && task_switches(task) != n->switches + 1))
		return NULL;
	return (struct inode *)n->inode;
}

/* Where a path is being looked up, or what it has led to. */
static __always_inline void looked_up(struct task_struct *task, struct found_file *found)
{
	struct nameidata *nd = BPF_CORE_READ(task, nameidata);
	struct dentry *dentry = nd ? BPF_CORE_READ(nd, path.dentry) : NULL;

	if (!dentry)
		return;
	found->dentry = dentry;
	found->inode = BPF_CORE_READ(dentry, d_inode);
}

/* Which file a sleep is for, if that can be told. `call` with IOLAT_CALL_HAS_FILE. A server may be asked more behind the
 * lookup of a name (for its attributes), and once more when the file is closed, by when it is in no table any
 * more: then it is what the task has just waited for. */
static __noinline int find_file(struct task_struct *task, u8 call, u32 fd, struct found_file *found)
{
	found->dentry = NULL;
	found->inode = noted_file(task, call, false);
	if (!found->inode && call & IOLAT_CALL_HAS_FILE)
		open_file(task, fd, found);
	if (!found->inode)
		looked_up(task, found);
	if (!found->inode && call == IOLAT_CALL_PATH && !BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait))
		found->inode = noted_file(task, call, true);
	return 0;
}

/* Whether each write(2) to an open file ends with what fsync(2) does: by O_SYNC or O_DSYNC, chattr +S, or a mount
 * with "sync". */
static __noinline int writes_through(struct task_struct *task, u32 fd)
{
	struct file *file = file_of(task, fd);
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	return BPF_CORE_READ(file, f_flags) & O_DSYNC || BPF_CORE_READ(inode, i_flags) & S_SYNC ||
	       BPF_CORE_READ(inode, i_sb, s_flags) & SB_SYNCHRONOUS;
}

#endif /* IOLAT_WAIT_FILE_BPF_H */
