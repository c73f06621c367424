/* SPDX-License-Identifier: GPL-2.0 */
/* Files and their names (see compat.bpf.h). */
#ifndef IOLAT_COMPAT_FILE_BPF_H
#define IOLAT_COMPAT_FILE_BPF_H

/* The first name of an inode: a dentry's place in inode.i_dentry is d_u.d_alias, from 7.2 a member of the dentry
 * itself. */
struct dentry___7_1 {
	union {
		struct hlist_node d_alias;
	} d_u;
} __attribute__((preserve_access_index));
struct dentry___7_2 {
	struct hlist_node d_alias;
} __attribute__((preserve_access_index));

static __always_inline struct dentry *inode_dentry(struct inode *inode)
{
	void *node = BPF_CORE_READ(inode, i_dentry.first);

	if (!node)
		return NULL;
	if (bpf_core_field_exists(struct dentry___7_2, d_alias))
		return node - bpf_core_field_offset(struct dentry___7_2, d_alias);
	return node - bpf_core_field_offset(struct dentry___7_1, d_u.d_alias);
}

#define OVERLAYFS_MAGIC 0x794c7630

/* The same in 5.10 to 7.2, on every architecture that has compat/task.bpf.h's registers. */
#define O_DSYNC	       00010000
#define S_SYNC	       0x0001 /* of inode.i_flags */
#define SB_SYNCHRONOUS 0x0010 /* of super_block.s_flags */

/* A task's open file, NULL if it has none of that number. */
static __always_inline struct file *file_of(struct task_struct *task, u32 fd)
{
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(fdt, fd), *file = NULL;

	if (fd >= BPF_CORE_READ(fdt, max_fds) || bpf_probe_read_kernel(&file, sizeof(file), &files[fd]))
		return NULL;
	return file;
}

/* The inode of an open file, if that is one: every inode but a disk's node has its own pages. */
static __always_inline struct inode *regular_inode(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	return inode && BPF_CORE_READ(inode, i_mapping, host) == inode ? inode : NULL;
}

/* The inode that holds the data of an overlay's open file, NULL if it cannot be told. file.private_data is the file
 * below until 6.12, from 6.13 a struct (a module's, in no BTF) that begins with it. */
static __always_inline struct inode *overlay_inode(struct file *file)
{
	struct file *below = BPF_CORE_READ(file, private_data);
	struct inode *inode = regular_inode(below);

	if (inode)
		return inode;
	bpf_probe_read_kernel(&below, sizeof(below), below);
	return regular_inode(below);
}

#endif /* IOLAT_COMPAT_FILE_BPF_H */
