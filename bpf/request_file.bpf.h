/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of an I/O between its start (keep_file.bpf.h) and its end: beside the in-flight tables, and only where files
 * are asked for.
 */
#ifndef IOLAT_REQUEST_FILE_BPF_H
#define IOLAT_REQUEST_FILE_BPF_H

#include "maps.bpf.h"

/* The file goes from a bio to its request. */
static __always_inline void file_move(u64 from, u64 to)
{
	struct file_ref *r = bpf_map_lookup_elem(&iolat_files, &from);

	if (!r)
		return;
	bpf_map_update_elem(&iolat_files, &to, r, BPF_ANY);
	bpf_map_delete_elem(&iolat_files, &from);
}

/* At its end. */
static __always_inline void file_tell(u64 key, struct iolat_request_file *e)
{
	struct file_ref *r = bpf_map_lookup_elem(&iolat_files, &key);

	e->request.head.size = sizeof(*e);
	__builtin_memset(&e->inode, 0, sizeof(*e) - sizeof(e->request));
	if (!r)
		return;
	e->inode = r->inode;
	e->fs_magic = r->fs_magic;
	e->fs_major = r->fs_major;
	e->fs_minor = r->fs_minor;
	e->of = r->of;
	bpf_map_delete_elem(&iolat_files, &key);
}

#endif /* IOLAT_REQUEST_FILE_BPF_H */
