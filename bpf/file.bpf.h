/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files: which one a task waits for (what its system call names, what it has just faulted on, where it looks up a
 * name), and what it is called. Read when a traced task falls asleep, not at each call.
 */
#ifndef IOLAT_FILE_BPF_H
#define IOLAT_FILE_BPF_H

#include "emit.bpf.h"

#define S_IFMT	0170000
#define S_IFBLK 0060000

struct found_file {
	struct inode *inode;	/* NULL: none */
	struct dentry *dentry;	/* by which it was opened; NULL: not known */
};

static __always_inline u64 task_switches(struct task_struct *task)
{
	return BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
}

static __always_inline struct noted *noted_slot(u32 tid)
{
	u32 low = tid & (NOTED_FILES - 1);

	return bpf_map_lookup_elem(&iolat_noted, &low);
}

/* The current task may be about to wait for a page of this file. */
static __always_inline int note_file(struct address_space *mapping)
{
	u64 pid_tgid = bpf_get_current_pid_tgid();
	struct noted *n;

	if (!mapping || (knobs.by_task && !marks.selected[(pid_tgid >> 32) & (IOLAT_MARKS - 1)]))
		return 0;
	n = noted_slot((u32)pid_tgid);
	if (!n)
		return 0;
	n->tid = (u32)pid_tgid;
	n->inode = (u64)BPF_CORE_READ(mapping, host);
	n->switches = task_switches((void *)bpf_get_current_task());
	return 0;
}

/* What was noted last, if the task has not slept since; in a fault it is the fault's anyway. Counted before sched_switch
 * is told, this sleep is one. */
static __always_inline struct inode *noted_file(struct task_struct *task, u8 call)
{
	u32 tid = BPF_CORE_READ(task, pid);
	struct noted *n = noted_slot(tid);

	if (!n || n->tid != tid ||
	    (call != IOLAT_CALL_NONE && task_switches(task) != n->switches + 1))
		return NULL;
	return (struct inode *)n->inode;
}

static __always_inline void open_file(struct task_struct *task, u32 fd, struct found_file *found)
{
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(fdt, fd), *file = NULL;

	if (fd >= BPF_CORE_READ(fdt, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), &files[fd]) || !file)
		return;
	found->inode = BPF_CORE_READ(file, f_inode);
	found->dentry = BPF_CORE_READ(file, f_path.dentry);
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

/* Which file a sleep is for, if that can be told. `call` with IOLAT_CALL_HAS_FILE. */
static __noinline int find_file(struct task_struct *task, u8 call, u32 fd, struct found_file *found)
{
	found->dentry = NULL;
	found->inode = noted_file(task, call);
	if (!found->inode && call & IOLAT_CALL_HAS_FILE)
		open_file(task, fd, found);
	if (!found->inode)
		looked_up(task, found);
	return 0;
}

/* A disk that is open as a file stands for itself. */
static __always_inline void place_file(const struct found_file *found, struct iolat_wait *w)
{
	struct inode *inode = found->inode;
	u32 dev;

	if (!inode)
		return;
	w->inode = BPF_CORE_READ(inode, i_ino);
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK) {
		dev = BPF_CORE_READ(inode, i_rdev);
	} else {
		dev = BPF_CORE_READ(inode, i_sb, s_dev);
		w->fs_magic = BPF_CORE_READ(inode, i_sb, s_magic);
	}
	w->fs_major = dev >> 20;
	w->fs_minor = dev & 0xfffff;
}

/* The names of a file, from its own upwards. */
static __always_inline void fill_names(struct iolat_dentry *e, struct dentry *dentry)
{
	u32 n = 0;

	for (u32 i = 0; i < IOLAT_DENTRY_NAMES; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		e->names[i][0] = 0;
		if (!parent || e->rooted)
			continue;
		if (parent == dentry) {
			e->rooted = 1;
			continue;
		}
		bpf_probe_read_kernel_str(e->names[i], IOLAT_DENTRY_LEN,
					  BPF_CORE_READ(dentry, d_name.name));
		n++;
		dentry = parent;
	}
	e->n_names = n;
	if (dentry && BPF_CORE_READ(dentry, d_parent) == dentry)
		e->rooted = 1;
}

static __always_inline u64 file_mixed(u64 inode, u32 major, u32 minor)
{
	return ((inode ^ (u64)major << 52 ^ (u64)minor << 32) * 0x9E3779B97F4A7C15ULL) | 1;
}

/* Tells what a file is called when it is new, or its place in the table was another's meanwhile. Where there is no room
 * now, there may be the next time. */
static __noinline int announce_file(const struct found_file *found, const struct iolat_wait *w)
{
	struct dentry *dentry = found->dentry ?: inode_dentry(found->inode);
	u64 mixed = file_mixed(w->inode, w->fs_major, w->fs_minor);
	u32 place = mixed >> (64 - TOLD_BITS);
	u64 *told = bpf_map_lookup_elem(&iolat_told, &place);
	struct iolat_dentry *e;

	if (!dentry || !told || *told == mixed)
		return 0;
	e = bpf_ringbuf_reserve(&iolat_facts, sizeof(*e), 0);
	if (!e)
		return 0;
	emit_head(e, DENTRY, struct iolat_dentry);
	e->tgid = w->tgid;
	e->inode = w->inode;
	e->fs_magic = w->fs_magic;
	e->fs_major = w->fs_major;
	e->fs_minor = w->fs_minor;
	e->rooted = 0;
	e->reserved = 0;
	fill_names(e, dentry);
	emit_end(e);
	*told = mixed;
	return 0;
}

#endif /* IOLAT_FILE_BPF_H */
