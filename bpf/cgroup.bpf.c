// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups as they are made and removed, in the trees that owners' cgroups are of: one that
 * lives shorter than user space takes to look at it still has its path.
 */
#include "emit.bpf.h"

#define DEPTH_MAX 32   /* of a cgroup that is told of here */
#define PATH_ROOM 1000 /* longer paths are for user space to find */

/* struct iolat_cgroup with room for a path. */
struct made {
	struct iolat_head head;
	u32 reserved;
	u64 cgroup;
	char path[PATH_ROOM];
};
_Static_assert(__builtin_offsetof(struct made, path) == sizeof(struct iolat_cgroup), "the same fields");

static __always_inline struct cgroup *root_of(struct cgroup *cgrp)
{
	for (u32 i = 0; i < DEPTH_MAX; i++) {
		struct cgroup_subsys_state *parent = BPF_CORE_READ(cgrp, self.parent);

		if (!parent)
			break;
		cgrp = BPF_CORE_READ(parent, cgroup);
	}
	return cgrp;
}

static __always_inline bool has_controller(struct cgroup *root, u32 tree)
{
	return BPF_CORE_READ(root, subsys[controller(tree)]) != NULL;
}

/* The tree of a cgroup, or -1: none that matters. A root has the controllers that its tree has. */
static __always_inline int tree_of(struct cgroup *cgrp)
{
	struct cgroup *root = root_of(cgrp);

	if (has_controller(root, IOLAT_TREE_BLKIO))
		return knobs.blkio_v1 ? IOLAT_TREE_BLKIO : IOLAT_TREE_V2;
	if (has_controller(root, IOLAT_TREE_MEMORY))
		return knobs.memory_v1 ? IOLAT_TREE_MEMORY : IOLAT_TREE_V2;
	return -1;
}

HOOK_SEC("cgroup_mkdir")
int iolat_cg_mkdir(u64 *ctx)
{
	struct cgroup *cgrp = (void *)ctx[0];
	int tree = tree_of(cgrp);
	struct made *m;
	long len;

	if (tree < 0)
		return 0;
	m = emit_begin(&iolat_facts, CGROUP, struct made);
	if (!m)
		return 0;
	m->reserved = 0;
	m->cgroup = IOLAT_CGROUP(tree, BPF_CORE_READ(cgrp, kn, id));
	len = bpf_probe_read_kernel_str(m->path, sizeof(m->path), (const char *)ctx[1]);
	if (len < 0 || len == sizeof(m->path))
		m->path[0] = 0;
	emit_end(m);
	return 0;
}

HOOK_SEC("cgroup_rmdir")
int iolat_cg_rmdir(u64 *ctx)
{
	struct cgroup *cgrp = (void *)ctx[0];
	struct iolat_cgroup_gone *e;
	int tree = tree_of(cgrp);

	if (tree < 0)
		return 0;
	e = emit_begin(&iolat_facts, CGROUP_GONE, struct iolat_cgroup_gone);
	if (!e)
		return 0;
	e->reserved = 0;
	e->cgroup = IOLAT_CGROUP(tree, BPF_CORE_READ(cgrp, kn, id));
	emit_end(e);
	return 0;
}
