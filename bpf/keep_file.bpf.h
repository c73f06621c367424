/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which file an I/O is for, asked at its start where files are asked for at all: the file whose page it moves first,
 * and in the submitter's context what its system call names.
 */
#ifndef IOLAT_KEEP_FILE_BPF_H
#define IOLAT_KEEP_FILE_BPF_H

#include "file.bpf.h"
#include "kind.bpf.h"

/* The inode whose page the bio's first one is, NULL if it is no file's. */
static __always_inline struct inode *page_inode(struct page *page)
{
	u64 mapping = (u64)BPF_CORE_READ(page, mapping);

	if (!mapping || mapping & 3 || !page_on_its_way(page))
		return NULL;
	return BPF_CORE_READ((struct address_space *)mapping, host);
}

/* The file that the current task's system call names. */
static __always_inline void called_file(struct found_file *found)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	void *regs = task_registers(current_task());
	u8 call = call_of(registers_call(regs));

	if (call & IOLAT_CALL_HAS_FILE && !(BPF_CORE_READ(task, flags) & (PF_KTHREAD | PF_IO_WORKER)))
		open_file(task, registers_argument(regs, call & IOLAT_CALL_SECOND), found);
}

static __always_inline void refer_to_disk(struct bio *bio, u8 of, struct file_ref *r)
{
	u32 dev = bio_dev(bio);

	r->of = of;
	r->fs_major = dev >> 20;
	r->fs_minor = dev & 0xfffff;
}

/* What is no page of a file: direct I/O, unless the file system does it for itself. */
static __always_inline bool is_metadata(struct bio *bio, struct inode *of_page, struct found_file *called)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (of_page) /* a disk's */
		return !called->inode || !is_disk(called->inode);
	return get(bio, bi_opf) & (1u << __REQ_META) || BPF_CORE_READ(task, flags) & PF_KTHREAD;
}

static __noinline int find_request_file(struct bio *bio, struct page *page, struct file_ref *r)
{
	struct inode *of_page = page_inode(page);
	struct found_file found = {};

	called_file(&found);
	if (of_page && !is_disk(of_page)) {
		found.dentry = found.inode == of_page ? found.dentry : NULL;
		found.inode = of_page;
	} else if (is_metadata(bio, of_page, &found)) {
		refer_to_disk(bio, IOLAT_OF_METADATA, r);
		return 0;
	} else if (!found.inode) {
		refer_to_disk(bio, IOLAT_OF_DIRECT, r);
		return 0;
	}
	refer_to(found.inode, r);
	announce_file(&found, r, (void *)bpf_get_current_task());
	return 0;
}

/* At the start of an I/O, which `key` stands for: what its first bio tells. */
static __noinline int file_keep(struct bio *bio, u64 key)
{
	struct file_ref r = {};
	struct page *page;

	if (!bio)
		return 0;
	page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
	if (page && BPF_CORE_READ(bio, bi_iter.bi_size)) {
		page = page_head(page);
		if (page_is_swap(page))
			r.of = IOLAT_OF_SWAP;
		else
			find_request_file(bio, page, &r);
	}
	bpf_map_update_elem(&iolat_files, &key, &r, BPF_ANY);
	return 0;
}

#endif /* IOLAT_KEEP_FILE_BPF_H */
