/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups, and the pages that are charged to them (see compat.bpf.h). */
#ifndef IOLAT_COMPAT_OWNER_BPF_H
#define IOLAT_COMPAT_OWNER_BPF_H

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
	u32 tree = knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2;
	struct cgroup *cgrp = task_cgroup_in(task, tree);

	return BPF_CORE_READ(cgrp, kn, id);
}

/* The v1 one of the current task. Global: to check a read of a trusted pointer takes some verifiers a millisecond, on
 * each way that leads to it. */
__weak __noinline u64 iolat_current_blkio(void)
{
#ifdef IOLAT_MODERN
	u32 io = bpf_core_enum_value(enum cgroup_subsys_id, io_cgrp_id);

	return current_task()->cgroups->subsys[io]->cgroup->kn->id;
#else
	return task_cgroup(current_task());
#endif
}

static __always_inline u64 current_cgroup(void)
{
	return knobs.blkio_v1 ? iolat_current_blkio() : bpf_get_current_cgroup_id();
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

static __always_inline u64 page_flags(struct page *page)
{
	u64 flags = 0;

	if (bpf_core_field_exists(struct page___6_17, flags))
		flags = BPF_CORE_READ((struct page___6_17 *)page, flags);
	else
		bpf_probe_read_kernel(&flags, sizeof(flags),
				      (void *)page +
					      bpf_core_field_offset(struct page___6_18, flags));
	return flags;
}

/* Whether a page holds swapped memory on its way: it stands in the swap cache. */
static __always_inline bool page_is_swap(struct page *page)
{
	u64 flags = page_flags(page);

	return flags & (1UL << bpf_core_enum_value(enum pageflags, PG_swapcache)) &&
	       flags & (1UL << bpf_core_enum_value(enum pageflags, PG_swapbacked));
}

/* Whether a page is being read into the page cache or written from it; a mapped file's page that is merely the memory
 * of direct I/O is neither. */
static __always_inline bool page_on_its_way(struct page *page)
{
	return page_flags(page) & (1UL << bpf_core_enum_value(enum pageflags, PG_locked) |
				   1UL << bpf_core_enum_value(enum pageflags, PG_writeback));
}

#endif /* IOLAT_COMPAT_OWNER_BPF_H */
