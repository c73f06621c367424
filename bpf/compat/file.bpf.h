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

#endif /* IOLAT_COMPAT_FILE_BPF_H */
