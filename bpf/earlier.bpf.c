// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that are in flight already when tracing begins, which is just when somebody asks what hangs. User space has a
 * disk's folder in sysfs open, which leads to the disk, whose tags lead to what its driver holds. No device is opened:
 * that may hang, too. What is found stands in iolat_earlier until it completes, and is shown like any other; in rows
 * it does not count: when its bio was submitted, and by whom, nobody knows any more.
 */

/* No pointer comes typed here. */
#ifdef IOLAT_MODERN
#define each_round(n, most, visit, ctx) bpf_loop(n, visit, ctx, 0)
#define ROUND static int
#else
#define each_round(n, most, visit, ctx)                                                            \
	do {                                                                                       \
		for (u32 i_ = 0; i_ < most; i_++)                                                  \
			if (i_ >= (n) || visit(i_, ctx))                                           \
				break;                                                             \
	} while (0)
#define ROUND static __always_inline int
#endif
#undef IOLAT_BTF
#include "flight.bpf.h"
#include "kind.bpf.h"
#include "owner.bpf.h"

static __always_inline void fill_earlier(struct flight *f, struct request *rq)
{
	struct bio *bio = BPF_CORE_READ(rq, bio);
	u64 issue_ns = BPF_CORE_READ(rq, io_start_time_ns);
	u32 opf = BPF_CORE_READ(rq, cmd_flags);

	f->rq = (u64)rq;
	f->start_ns = BPF_CORE_READ(rq, start_time_ns) ?: issue_ns ?: bpf_ktime_get_ns();
	f->issue_ns = issue_ns > f->start_ns ? issue_ns : f->start_ns;
	f->op = op_of(opf);
	f->flags = flags_of(opf) | swap_flag(bio);
	owner_of_data(bio, &f->owner);
}

/* The driver's own flush belongs to nobody. One that completes while it is looked at is taken out again; what is left of
 * it otherwise, look.bpf.c knows. Global: verified once. */
__noinline int iolat_see_earlier(u64 rq, u64 queue)
{
	struct request *r = (struct request *)rq;
	struct flight f = {};
	long err;

	if (!r || (u64)BPF_CORE_READ(r, q) != queue || !request_in_flight(r) || !request_disk(r) ||
	    is_driver_flush(r) || flight_find(rq))
		return 0;
	fill_earlier(&f, r);
	had_earlier = 1;
	err = bpf_map_update_elem(&iolat_earlier, &rq, &f, BPF_NOEXIST);
	if (err && err != -EEXIST)
		count(map_full);
	if (!request_in_flight(r))
		bpf_map_delete_elem(&iolat_earlier, &rq);
	return 0;
}

#define CHUNK 256 /* tags at a time: a loop is checked round by round */

/* The i-th chunk of a disk's tags: each of its hardware queues has an array of them, or all have the same. */
__noinline int iolat_see_chunk(u64 arrays, u32 i, u32 per_queue, u64 queue)
{
	u32 at = per_queue ? i / per_queue : 0, from = (i - at * per_queue) * CHUNK, n;
	struct blk_mq_tags **array = (void *)arrays, *tags = NULL, *first = NULL;
	struct request **rqs, *rq;

	bpf_probe_read_kernel(&first, sizeof(first), array);
	bpf_probe_read_kernel(&tags, sizeof(tags), array + at);
	if (!tags || (at && tags == first))
		return 0;
	rqs = BPF_CORE_READ(tags, rqs);
	n = BPF_CORE_READ(tags, nr_tags);
	for (u32 t = 0; t < CHUNK; t++) {
		if (from + t >= n)
			break;
		if (!bpf_probe_read_kernel(&rq, sizeof(rq), &rqs[from + t]) && rq)
			iolat_see_earlier((u64)rq, queue);
	}
	return 0;
}

struct search {
	u64 arrays, queue;
	u32 per_queue; /* chunks */
};

ROUND see_chunk(u32 i, struct search *s)
{
	iolat_see_chunk(s->arrays, i, s->per_queue, s->queue);
	return 0;
}

#define CHUNKS_MOST 1024 /* where they have to be checked one by one */

/* Of the disk whose folder in sysfs the reader has open: the folder's inode has its kernfs_node, that its kobject (5.10 to
 * 7.2). */
SEC("iter/bpf_map_elem")
int iolat_find_earlier(struct bpf_iter__bpf_map_elem *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct request_queue *queue;
	struct blk_mq_tag_set *set;
	struct kernfs_node *folder;
	struct gendisk *disk;
	struct file *file;
	struct search s = {};
	u32 *fd = ctx->value;

	if (!fd)
		return 0;
	file = file_of(task, *fd);
	folder = BPF_CORE_READ(file, f_inode, i_private);
	disk = kobject_disk(BPF_CORE_READ(folder, priv));
	queue = BPF_CORE_READ(disk, queue);
	set = BPF_CORE_READ(queue, tag_set);
	s.queue = (u64)queue;
	s.arrays = (u64)BPF_CORE_READ(set, tags);
	s.per_queue = BPF_CORE_READ(set, queue_depth) / CHUNK + 1;
	each_round(BPF_CORE_READ(set, nr_hw_queues) * s.per_queue, CHUNKS_MOST, see_chunk, &s);
	return 0;
}
