/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one file that knows how kernels differ. Each accessor hides one difference, asks
 * the running kernel's BTF (never its version), and says since when the newer form is
 * there, so that a branch can go when its kernels do. Facts are from the releases' BTF
 * and source unless another source is named. What iolat cannot do without is read by the
 * last branch unasked: where a kernel has it under no known name, the programs do not
 * load, instead of showing nothing (tests/unit/test_relocate.c).
 */
#ifndef IOLAT_COMPAT_BPF_H
#define IOLAT_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "iolat/event.h"
#include "iolat/knobs.h"

/* One instance for all object files of a variant. */
const volatile struct iolat_knobs knobs __weak = {};

/*
 * How a program reads kernel memory. With BTF tracing it follows typed pointers with
 * plain loads; a raw tracepoint has to copy through a helper. get() is for the hot path
 * and for pointers that came typed from the context; everything else uses BPF_CORE_READ.
 */
#ifdef IOLAT_BTF
#define HOOK_SEC(name) SEC("tp_btf/" name)
#define get(p, member) ((p)->member)
#else
#define HOOK_SEC(name) SEC("raw_tp/" name)
#define get(p, member) BPF_CORE_READ(p, member)
#endif

/* Fetching atomics and typed current: with bpf_loop all there from 5.17 on. */
#ifdef IOLAT_MODERN
#define current_task() bpf_get_current_task_btf()
#define task_get(t, member) ((t)->member)
#else
#define current_task() ((struct task_struct *)bpf_get_current_task())
#define task_get(t, member) BPF_CORE_READ(t, member)
#endif

/* An address as a number, for hashing and comparing. The verifier refuses arithmetic on a typed
 * pointer; overwriting one byte of its spilled copy makes it forget the type. The byte is the top
 * one, which all kernel addresses have alike. */
static __always_inline u64 address_of(const void *p)
{
#ifdef IOLAT_BTF
	volatile union {
		const void *pointer;
		u64 number;
		u8 bytes[8];
	} u;

	u.pointer = p;
	u.bytes[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 7 : 0] = 0xff;
	return u.number;
#else
	return (u64)p;
#endif
}

#define EEXIST 17

/* The same in 5.10 to 7.2. */
#define PF_IO_WORKER  0x00000010 /* kernel threads too before 5.12 */
#define PF_WQ_WORKER  0x00000020
#define PF_FORKNOEXEC 0x00000040
#define PF_KTHREAD    0x00200000

/* Keeps clang from merging two loads from the context into one at a computed offset, which
 * the verifier refuses. */
#define opaque(x) asm volatile("" : "+r"(x))

/* The request or bio of a tracepoint; a request_queue stood before it until 5.11 and
 * 5.10.137 (a54895fa057c). Its place was found in BTF. */
static __always_inline struct request *ctx_request(u64 *ctx)
{
	struct request *rq;

	if (knobs.arg_rq) {
		rq = (struct request *)ctx[1];
		opaque(rq);
		return rq;
	}
	rq = (struct request *)ctx[0];
	opaque(rq);
	return rq;
}

static __always_inline struct bio *ctx_bio(u64 *ctx)
{
	struct bio *bio;

	if (knobs.arg_bio) {
		bio = (struct bio *)ctx[1];
		opaque(bio);
		return bio;
	}
	bio = (struct bio *)ctx[0];
	opaque(bio);
	return bio;
}

/* request.rq_disk until 5.16, request.q->disk from 5.17. NULL for commands to a controller. */
struct request___5_16 {
	struct gendisk *rq_disk;
} __attribute__((preserve_access_index));
struct request_queue___5_17 {
	struct gendisk *disk;
} __attribute__((preserve_access_index));

static __always_inline struct gendisk *request_disk(struct request *rq)
{
	if (bpf_core_field_exists(struct request_queue___5_17, disk)) {
		struct request_queue___5_17 *q = (void *)get(rq, q);

		return get(q, disk);
	}
	struct request___5_16 *old = (void *)rq;

	return get(old, rq_disk);
}

/* A partition's number (0: the whole disk): bd_partno until 6.9, the low byte of __bd_flags from 6.10. */
struct block_device___6_9 {
	u8 bd_partno;
} __attribute__((preserve_access_index));
struct block_device___6_10 {
	atomic_t __bd_flags;
} __attribute__((preserve_access_index));
static __always_inline u32 bdev_part(struct block_device *bdev)
{
	if (bpf_core_field_exists(struct block_device___6_10, __bd_flags)) {
		struct block_device___6_10 *new = (void *)bdev;

		return (u8)get(new, __bd_flags.counter);
	}
	struct block_device___6_9 *old = (void *)bdev;

	return get(old, bd_partno);
}

/* The partition that a request was mapped from: request.part is a block_device from 5.11, before
 * an hd_struct. */
struct request___5_11 {
	struct block_device *part;
} __attribute__((preserve_access_index));
struct hd_struct {
	int partno;
} __attribute__((preserve_access_index));
struct request___5_10 {
	struct hd_struct *part;
} __attribute__((preserve_access_index));

static __always_inline u32 request_part(struct request *rq)
{
	if (bpf_core_type_exists(struct hd_struct)) {
		struct request___5_10 *old = (void *)rq;
		struct hd_struct *part = get(old, part);

		return part ? get(part, partno) : 0;
	}
	struct request___5_11 *new = (void *)rq;
	struct block_device *part = get(new, part);

	return part ? bdev_part(part) : 0;
}

/* A bio's disk and partition: bio.bi_disk and bi_partno (0 again once it has been mapped to the disk)
 * until 5.11, bio.bi_bdev from 5.12. */
struct bio___5_11 {
	struct gendisk *bi_disk;
	u8 bi_partno;
} __attribute__((preserve_access_index));
struct bio___5_12 {
	struct block_device *bi_bdev;
} __attribute__((preserve_access_index));

static __always_inline struct gendisk *bio_disk(struct bio *bio)
{
	if (bpf_core_field_exists(struct bio___5_12, bi_bdev)) {
		struct bio___5_12 *new = (void *)bio;
		struct block_device *bdev = get(new, bi_bdev);

		return get(bdev, bd_disk);
	}
	struct bio___5_11 *old = (void *)bio;

	return get(old, bi_disk);
}

/* Whether the bio's device takes bios as they are, without making requests of them. The short way to the
 * queue, block_device.bd_queue, is there from 5.18. */
struct block_device___5_18 {
	struct request_queue *bd_queue;
} __attribute__((preserve_access_index));

static __always_inline bool bio_without_request(struct bio *bio)
{
	struct request_queue *q;

	if (bpf_core_field_exists(struct block_device___5_18, bd_queue)) {
		struct bio___5_12 *new = (void *)bio;
		struct block_device___5_18 *bdev = (void *)get(new, bi_bdev);

		q = get(bdev, bd_queue);
	} else {
		struct gendisk *disk = bio_disk(bio);

		q = get(disk, queue);
	}
	return !get(q, mq_ops);
}

static __always_inline u32 bio_part(struct bio *bio)
{
	if (bpf_core_field_exists(struct bio___5_12, bi_bdev)) {
		struct bio___5_12 *new = (void *)bio;

		return bdev_part(get(new, bi_bdev));
	}
	struct bio___5_11 *old = (void *)bio;

	return get(old, bi_partno);
}

/* gendisk.diskseq from 5.15; before, a number made from the disk's address. Never 0. */
struct gendisk___5_15 {
	u64 diskseq;
} __attribute__((preserve_access_index));

static __always_inline u32 disk_number(struct gendisk *disk)
{
	if (bpf_core_field_exists(struct gendisk___5_15, diskseq)) {
		struct gendisk___5_15 *d = (void *)disk;

		return (u32)get(d, diskseq) ?: 1;
	}
	return (u32)(address_of(disk) >> 6) | 0x80000000;
}

/* enum req_opf until 5.19, enum req_op from 6.0; some numbers moved, too. */
enum req_op___6_0 {
	REQ_OP_READ___6_0 = 0,
	REQ_OP_WRITE___6_0 = 1,
	REQ_OP_FLUSH___6_0 = 2,
	REQ_OP_DISCARD___6_0 = 3,
	REQ_OP_SECURE_ERASE___6_0 = 5,
	REQ_OP_ZONE_APPEND___6_0 = 7,
	REQ_OP_DRV_IN___6_0 = 34,
	REQ_OP_DRV_OUT___6_0 = 35,
};
enum req_opf___5_19 {
	REQ_OP_READ___5_19 = 0,
	REQ_OP_WRITE___5_19 = 1,
	REQ_OP_FLUSH___5_19 = 2,
	REQ_OP_DISCARD___5_19 = 3,
	REQ_OP_SECURE_ERASE___5_19 = 5,
	REQ_OP_WRITE_SAME___5_19 = 7,
	REQ_OP_ZONE_APPEND___5_19 = 13,
	REQ_OP_SCSI_IN___5_19 = 32,
	REQ_OP_DRV_IN___5_19 = 34,
	REQ_OP_DRV_OUT___5_19 = 35,
};

#define REQ_OP_MASK 0xff /* same in 5.10 to 7.2 */

/* Whether `op` is the kernel's NAME. */
#define op_is(op, NAME)                                                                            \
	(bpf_core_enum_value_exists(enum req_op___6_0, NAME##___6_0)                               \
		 ? (op) == bpf_core_enum_value(enum req_op___6_0, NAME##___6_0)                    \
		 : (op) == bpf_core_enum_value(enum req_opf___5_19, NAME##___5_19))

/* WRITE_SAME left in 5.18, the SCSI passthrough ops (two numbers from SCSI_IN on) in 5.15. */
#define op_is_old(op, NAME)                                                                        \
	(bpf_core_enum_value_exists(enum req_opf___5_19, NAME##___5_19) &&                         \
	 (op) == bpf_core_enum_value(enum req_opf___5_19, NAME##___5_19))

static __always_inline bool op_is_passthrough(u32 op)
{
	return op_is(op, REQ_OP_DRV_IN) || op_is(op, REQ_OP_DRV_OUT) ||
	       op_is_old(op, REQ_OP_SCSI_IN) || op_is_old(op - 1, REQ_OP_SCSI_IN);
}

/* Whether a disk's own count includes commands: until 5.17 (blk_do_io_stat() in block/blk.h asks for a disk
 * there, from 5.18 on for no passthrough). BTF tells by request.rq_disk, which left a release earlier. */
static __always_inline bool commands_counted(void)
{
	return bpf_core_field_exists(struct request___5_16, rq_disk);
}

/* RQF_FLUSH_SEQ: the request is inside a flush sequence and will complete again. */
static __always_inline bool request_in_flush_sequence(struct request *rq)
{
	return get(rq, rq_flags) & (1u << knobs.flush_seq_bit);
}

/* blk_status_t as an errno, as in blk_errors[] of block/blk-core.c. */
static __always_inline u8 blk_status_errno(u8 status)
{
	switch (status) {
	case 0:
		return 0;
	case 1:
		return 95; /* EOPNOTSUPP */
	case 2:
		return 110; /* ETIMEDOUT */
	case 3:
		return 28; /* ENOSPC */
	case 4:
		return 67; /* ENOLINK */
	case 5:
		return 121; /* EREMOTEIO */
	case 6:
		return 52; /* EBADE */
	case 7:
		return 61; /* ENODATA */
	case 8:
		return 84; /* EILSEQ */
	case 9:
		return 12; /* ENOMEM */
	default:
		return 5; /* EIO */
	}
}

/* A completion's status as an errno: a negative errno until 5.15, blk_status_t from 5.16
 * (8a7d267b4a2c). */
static __always_inline u8 status_errno(s32 status)
{
	if (!status)
		return 0;
	if (knobs.errno_status)
		return status < 0 && status > -256 ? -status : 5;
	return blk_status_errno(status);
}

/* The index of a v1 tree's controller; it depends on the kernel's configuration. */
static __always_inline u32 controller(u32 tree)
{
	return tree == IOLAT_TREE_BLKIO ? bpf_core_enum_value(enum cgroup_subsys_id, io_cgrp_id)
					: bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
}

/* A task's cgroup in a tree. */
static __always_inline struct cgroup *task_cgroup_in(struct task_struct *task, u32 tree)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css;

	if (tree == IOLAT_TREE_V2)
		return BPF_CORE_READ(set, dfl_cgrp);
	css = BPF_CORE_READ(set, subsys[controller(tree)]);
	return BPF_CORE_READ(css, cgroup);
}

/* The cgroup of a task's I/O: the v2 one, or on v1 hosts the blkio one. */
static __always_inline u64 task_cgroup(struct task_struct *task)
{
#ifdef IOLAT_MODERN
	u32 io = bpf_core_enum_value(enum cgroup_subsys_id, io_cgrp_id);
	struct css_set *set = task->cgroups;

	return knobs.blkio_v1 ? set->subsys[io]->cgroup->kn->id : set->dfl_cgrp->kn->id;
#else
	u32 tree = knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2;
	struct cgroup *cgrp = task_cgroup_in(task, tree);

	return BPF_CORE_READ(cgrp, kn, id);
#endif
}

/* The id of the ancestor that a cgroup has at `level`, 0 if it is not that deep:
 * cgroup.ancestor_ids until 6.0, cgroup.ancestors from 6.1. */
struct cgroup___6_0 {
	u64 ancestor_ids[1];
} __attribute__((preserve_access_index));
struct cgroup___6_1 {
	struct cgroup *ancestors[1];
} __attribute__((preserve_access_index));

static __always_inline u64 cgroup_ancestor(struct cgroup *cgrp, u32 level)
{
	u64 at = 0;

	if ((u32)BPF_CORE_READ(cgrp, level) < level)
		return 0;
	if (bpf_core_field_exists(struct cgroup___6_1, ancestors)) {
		u64 off = bpf_core_field_offset(struct cgroup___6_1, ancestors) + level * 8;

		if (bpf_probe_read_kernel(&at, sizeof(at), (void *)cgrp + off))
			return 0;
		return BPF_CORE_READ((struct cgroup *)at, kn, id);
	}
	u64 off = bpf_core_field_offset(struct cgroup___6_0, ancestor_ids) + level * 8;

	bpf_probe_read_kernel(&at, sizeof(at), (void *)cgrp + off);
	return at;
}

/* The head of a page's folio: page.compound_head (address + 1 in tail pages) until 7.1,
 * page.compound_info from 7.2, which may hold a mask instead. */
struct page___7_1 {
	unsigned long compound_head;
} __attribute__((preserve_access_index));
struct page___7_2 {
	unsigned long compound_info;
} __attribute__((preserve_access_index));

static __always_inline struct page *page_head(struct page *page)
{
	if (bpf_core_field_exists(struct page___7_2, compound_info)) {
		u64 info = BPF_CORE_READ((struct page___7_2 *)page, compound_info);

		if (!(info & 1))
			return page;
		if (info >> 36 == 0xfffffff)
			return (struct page *)((u64)page & (info & ~1ULL));
		return (struct page *)(info - 1);
	}
	u64 head = BPF_CORE_READ((struct page___7_1 *)page, compound_head);

	return head & 1 ? (struct page *)(head - 1) : page;
}

/* The memory cgroup that a page is charged to: page.mem_cgroup until 5.10, page.memcg_data (low
 * bits are flags) from 5.11. From 7.2 on memcg_data names an obj_cgroup without any trace in BTF,
 * so where compound_info is, nothing is read. */
struct page___5_10 {
	struct mem_cgroup *mem_cgroup;
} __attribute__((preserve_access_index));
struct page___5_11 {
	unsigned long memcg_data;
} __attribute__((preserve_access_index));

static __always_inline struct mem_cgroup *page_memcg(struct page *head)
{
	if (bpf_core_field_exists(struct page___7_2, compound_info))
		return NULL;
	if (bpf_core_field_exists(struct page___5_11, memcg_data)) {
		u64 data = BPF_CORE_READ((struct page___5_11 *)head, memcg_data);

		return data & 3 ? NULL : (struct mem_cgroup *)(data & ~7ULL);
	}
	if (bpf_core_field_exists(struct page___5_10, mem_cgroup))
		return BPF_CORE_READ((struct page___5_10 *)head, mem_cgroup);
	return NULL;
}

/* struct kthread of a kernel thread: task.set_child_tid until 5.16, task.worker_private from 5.17. */
struct task_struct___5_16 {
	void *set_child_tid;
} __attribute__((preserve_access_index));
struct task_struct___5_17 {
	void *worker_private;
} __attribute__((preserve_access_index));

static __always_inline struct kthread *task_kthread(struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct___5_17, worker_private))
		return BPF_CORE_READ((struct task_struct___5_17 *)task, worker_private);
	return BPF_CORE_READ((struct task_struct___5_16 *)task, set_child_tid);
}

/*
 * The bio that dm received of which `bio` is made, as far as pointers lead there, to be looked up among
 * those in flight; NULL: it leads nowhere. Needed until 5.17: from 5.18 on block_bio_remap comes for what
 * dm-delay and dm-crypt pass on (0fbb4d93b38b), too. Modules of 5.10 have no BTF; these are the places of
 * 5.10 to 5.17. A clone stands inside of its dm_target_io; a bio that dm-crypt made says in bi_private
 * what it is for.
 */
struct dm_target_io_5_17 {
	u32 magic;
	struct dm_io_5_17 *io;
	void *ti;
	u32 target_bio_nr;
	u32 *len_ptr;
	bool inside_dm_io;
	/* struct bio clone */
};
struct dm_io_5_17 {
	u32 magic;
	void *md;
	u32 status, io_count;
	struct bio *orig_bio;
};
struct dm_crypt_io_5_17 {
	void *cc;
	struct bio *base_bio;
};
#define DM_IO_MAGIC 5191977 /* in 5.10 to 5.17 */

static __noinline struct bio *dm_clone_original(u64 clone)
{
	struct dm_target_io_5_17 *tio = (void *)(clone - sizeof(*tio));
	struct dm_io_5_17 *io = NULL, found = {};

	bpf_probe_read_kernel(&io, sizeof(io), &tio->io);
	bpf_probe_read_kernel(&found, sizeof(found), io);
	return found.magic == DM_IO_MAGIC ? found.orig_bio : NULL;
}

static __always_inline struct bio *bio_original(u64 bio)
{
	struct dm_crypt_io_5_17 io = {};
	struct bio *found = dm_clone_original(bio);

	if (found)
		return found;
	bpf_probe_read_kernel(&io, sizeof(io), BPF_CORE_READ((struct bio *)bio, bi_private));
	return io.base_bio ? dm_clone_original((u64)io.base_bio) : NULL;
}

/* Bits of a task's state, the same in 5.10 to 7.2. */
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_NOLOAD	     0x0400 /* idle kernel threads sleep so */

/* task.state until 5.13, task.__state from 5.14. */
struct task_struct___5_13 {
	volatile long state;
} __attribute__((preserve_access_index));
struct task_struct___5_14 {
	unsigned int __state;
} __attribute__((preserve_access_index));

static __always_inline u32 task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct___5_14, __state))
		return BPF_CORE_READ((struct task_struct___5_14 *)task, __state);
	return BPF_CORE_READ((struct task_struct___5_13 *)task, state);
}

/* The state with which sched_switch's task leaves: its fourth argument from 5.18 (fa2c3254d7cf). Before,
 * the task itself is asked, which may have been woken already: then 0x200 (TASK_WAKING) stands there. */
static __always_inline u32 switch_state(u64 *ctx, struct task_struct *prev)
{
	if (knobs.has_prev_state)
		return (u32)ctx[3];
	if (bpf_core_field_exists(struct task_struct___5_14, __state))
		return get((struct task_struct___5_14 *)prev, __state);
	return get((struct task_struct___5_13 *)prev, state);
}

/* The registers with which a task entered the kernel: what it called, with what. Their names are the
 * architecture's. */
struct pt_regs___x86 {
	unsigned long di;
	unsigned long orig_ax;
} __attribute__((preserve_access_index));
struct pt_regs___arm64 {
	u64 orig_x0;
	s32 syscallno;
} __attribute__((preserve_access_index));
struct pt_regs___riscv {
	unsigned long a7;
	unsigned long orig_a0;
	unsigned long cause;
} __attribute__((preserve_access_index));

/* They lie at the end of the task's kernel stack; bpf_task_pt_regs() tells from 5.15. */
static __always_inline void *task_registers(struct task_struct *task)
{
#ifdef IOLAT_MODERN
	return (void *)bpf_task_pt_regs(task);
#else
	return BPF_CORE_READ(task, stack) + knobs.thread_size -
	       bpf_core_type_size(struct pt_regs___x86);
#endif
}

#ifdef IOLAT_MODERN
#define reg(p, member) ((p)->member)
#else
#define reg(p, member) BPF_CORE_READ(p, member)
#endif

/* The number of the system call that a task is in, -1: in none (x86 and arm64 say so for faults,
 * riscv by the cause, which is 8 for calls). */
static __always_inline s32 registers_call(void *regs)
{
	if (bpf_core_field_exists(struct pt_regs___x86, orig_ax))
		return (s32)reg((struct pt_regs___x86 *)regs, orig_ax);
	if (bpf_core_field_exists(struct pt_regs___arm64, syscallno))
		return reg((struct pt_regs___arm64 *)regs, syscallno);
	if (bpf_core_field_exists(struct pt_regs___riscv, orig_a0)) {
		struct pt_regs___riscv *r = regs;

		return reg(r, cause) == 8 ? (s32)reg(r, a7) : -1;
	}
	return 0xffff; /* a call that is not known */
}

static __always_inline u64 registers_argument(void *regs)
{
	if (bpf_core_field_exists(struct pt_regs___x86, di))
		return reg((struct pt_regs___x86 *)regs, di);
	if (bpf_core_field_exists(struct pt_regs___arm64, orig_x0))
		return reg((struct pt_regs___arm64 *)regs, orig_x0);
	if (bpf_core_field_exists(struct pt_regs___riscv, orig_a0))
		return reg((struct pt_regs___riscv *)regs, orig_a0);
	return ~0ULL;
}

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

/* page.flags is a number until 6.17, in a struct of its own from 6.18. */
struct page___6_17 {
	unsigned long flags;
} __attribute__((preserve_access_index));
struct memdesc_flags {
	unsigned long f;
} __attribute__((preserve_access_index));
struct page___6_18 {
	struct memdesc_flags flags;
} __attribute__((preserve_access_index));

/* Whether a page holds swapped memory on its way: it stands in the swap cache. */
static __always_inline bool page_is_swap(struct page *page)
{
	u64 flags = 0;

	if (bpf_core_field_exists(struct page___6_17, flags))
		flags = BPF_CORE_READ((struct page___6_17 *)page, flags);
	else
		bpf_probe_read_kernel(&flags, sizeof(flags),
				      (void *)page +
					      bpf_core_field_offset(struct page___6_18, flags));
	return flags & (1UL << bpf_core_enum_value(enum pageflags, PG_swapcache)) &&
	       flags & (1UL << bpf_core_enum_value(enum pageflags, PG_swapbacked));
}

#endif /* IOLAT_COMPAT_BPF_H */
