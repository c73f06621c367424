/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files: which one a system call names, by which numbers it goes, and what it is called. wait_file.bpf.h and
 * keep_file.bpf.h say which file something is for.
 */
#ifndef IOLAT_FILE_BPF_H
#define IOLAT_FILE_BPF_H

#include "emit.bpf.h"

static __always_inline u8 call_of(s32 number)
{
	if (number < 0)
		return IOLAT_CALL_NONE;
	return number < IOLAT_CALLS ? calls.call[number & (IOLAT_CALLS - 1)] : IOLAT_CALL_OTHER;
}

#define S_IFMT	0170000
#define S_IFBLK 0060000

struct found_file {
	struct inode *inode;	/* NULL: none */
	struct dentry *dentry;	/* by which it was opened; NULL: not known */
};

/* An overlay's file is the one below it that holds the data, by the name that its user knows. */
static __noinline int open_file(struct task_struct *task, u32 fd, struct found_file *found)
{
	struct file *file = file_of(task, fd);
	struct inode *inode;

	if (!file)
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	if (BPF_CORE_READ(inode, i_sb, s_magic) == OVERLAYFS_MAGIC)
		inode = overlay_inode(file) ?: inode;
	found->inode = inode;
	found->dentry = BPF_CORE_READ(file, f_path.dentry);
	return 0;
}

static __always_inline bool is_disk(struct inode *inode)
{
	return (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK;
}

/* Which of the file systems that get the same device one after the other: what is on none of its own, but does I/O (FUSE,
 * NFS, btrfs), has a number that is not given twice (backing_dev_info.id, 5.4). */
static __always_inline u32 which_system(struct super_block *sb, u32 dev)
{
	return dev >> 20 ? 0 : (u32)BPF_CORE_READ(sb, s_bdi, id);
}

/* A disk that is open as a file stands for itself. */
static __always_inline void refer_to(struct inode *inode, struct file_ref *r)
{
	struct super_block *sb = BPF_CORE_READ(inode, i_sb);
	u32 dev;

	r->inode = BPF_CORE_READ(inode, i_ino);
	r->of = IOLAT_OF_FILE;
	if (is_disk(inode)) {
		dev = BPF_CORE_READ(inode, i_rdev);
		r->fs_magic = 0;
	} else {
		dev = BPF_CORE_READ(sb, s_dev);
		r->fs_magic = BPF_CORE_READ(sb, s_magic);
	}
	r->fs_major = which_system(sb, dev) << IOLAT_FS_MAJOR_BITS | dev >> 20;
	r->fs_minor = dev & 0xfffff;
}

/* How many names lead from the file system's root to a file, as far as there is room for them. */
static __always_inline u32 count_names(struct dentry *dentry)
{
	u32 n = 0;

	for (u32 i = 0; i < IOLAT_DENTRY_NAMES; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		if (!parent || parent == dentry)
			break;
		dentry = parent;
		n++;
	}
	return n;
}

/* The names of a file, from its own upwards, into room for so many. */
static __always_inline void fill_names(struct iolat_dentry *e, struct dentry *dentry, const u32 room)
{
	u32 n = 0;

	for (u32 i = 0; i < room; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		e->names[i][0] = 0;
		if (!parent || parent == dentry)
			continue;
		bpf_probe_read_kernel_str(e->names[i], IOLAT_DENTRY_LEN,
					  BPF_CORE_READ(dentry, d_name.name));
		n++;
		dentry = parent;
	}
	e->n_names = n;
	e->rooted = BPF_CORE_READ(dentry, d_parent) == dentry;
}

static __always_inline void fill_dentry(struct iolat_dentry *e, const struct found_file *found,
					struct dentry *dentry, const struct file_ref *r,
					struct task_struct *task)
{
	struct mnt_namespace *space = BPF_CORE_READ(task, nsproxy, mnt_ns);
	u32 in = BPF_CORE_READ(dentry, d_sb, s_dev);

	e->head.kind = IOLAT_EV_DENTRY;
	e->tgid = BPF_CORE_READ(task, tgid);
	e->inode = r->inode;
	e->fs_magic = r->fs_magic;
	e->fs_major = r->fs_major;
	e->fs_minor = r->fs_minor;
	e->in_major = in >> 20;
	e->in_minor = in & 0xfffff;
	e->space = BPF_CORE_READ(space, ns.inum);
	e->mounts = BPF_CORE_READ(space, event);
	e->by_inode = !found->dentry;
}

/* Most files lie a few folders deep, and there may be many of them. False: there is no room. */
#define tell_names(found, dentry, r, task, room)                                                   \
	({                                                                                         \
		const u32 size_ = sizeof(struct iolat_dentry) + (room) * IOLAT_DENTRY_LEN;         \
		struct iolat_dentry *e_ = bpf_ringbuf_reserve(&iolat_facts, size_, 0);             \
		if (e_) {                                                                          \
			e_->head.size = size_;                                                     \
			fill_dentry(e_, found, dentry, r, task);                                   \
			fill_names(e_, dentry, room);                                              \
			emit_end(e_);                                                              \
		}                                                                                  \
		e_ != NULL;                                                                        \
	})

static __always_inline u64 mixed(u64 a, u64 b)
{
	return ((a * 0x9E3779B97F4A7C15ULL) ^ b) * 0xC2B2AE3D27D4EB4FULL;
}

/* Numbers of inodes are used again, and files and their folders renamed (a checkpoint that is whole): then a name is
 * told anew. */
static __always_inline u64 told_of(struct inode *inode, struct dentry *dentry, u64 numbers)
{
	u64 folder = BPF_CORE_READ(dentry, d_parent, d_name.hash_len);
	u64 file = mixed((u64)inode ^ BPF_CORE_READ(inode, i_generation), numbers + marks.telling);
	u64 name = mixed(BPF_CORE_READ(dentry, d_name.hash_len), (u64)dentry ^ folder << 16);

	return (name >> 32 << 32 | file >> 32) ?: 1;
}

/* Tells what a file is called when it is new, or its place in the table was another's meanwhile. Where there is no room
 * now, there may be the next time. The name by which a file was opened is better than another of its names. */
static __noinline int announce_file(const struct found_file *found, const struct file_ref *r,
				    struct task_struct *task)
{
	struct inode *inode = found->inode;
	struct dentry *dentry = found->dentry ?: inode_dentry(inode);
	u64 numbers = mixed(r->inode, (u64)r->fs_major << 32 | r->fs_minor);
	u32 place = numbers >> (64 - TOLD_BITS);
	u64 *told = bpf_map_lookup_elem(&iolat_told, &place);
	u32 names;
	u64 now;
	bool done;

	if (!dentry || !told)
		return 0;
	now = told_of(inode, dentry, numbers);
	if (*told == now || (!found->dentry && (u32)*told == (u32)now))
		return 0;
	names = count_names(dentry);
	if (names <= 2)
		done = tell_names(found, dentry, r, task, 2);
	else if (names <= 8)
		done = tell_names(found, dentry, r, task, 8);
	else
		done = tell_names(found, dentry, r, task, IOLAT_DENTRY_NAMES);
	if (done)
		*told = now;
	return 0;
}

#endif /* IOLAT_FILE_BPF_H */
