// SPDX-License-Identifier: GPL-2.0
/*
 * Bios before and beside their requests: when one enters the block layer (a request may
 * have to wait for a tag after that, or may never come), and when one joins a request that
 * exists.
 */
#include "keep_file.bpf.h"
#include "layer.bpf.h"

/* --- devices that have no requests ------------------------------------------------- */

static __always_inline u32 dev_of(struct gendisk *disk)
{
	return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

/* Names of devices share a number space with work queues, whose ids are odd. */
static __always_inline u32 layer_announce(struct gendisk *disk, u32 number)
{
	char name[IOLAT_NAME_LEN] = {};
	u32 id = number << 1;

	bpf_probe_read_kernel(name, sizeof(name), &disk->disk_name);
	return announce_name(id, name) ? id : 0;
}

/* Makes the device known to what it passes on; the name by which that calls it, 0 if it can't be
 * told. */
static __noinline u32 layer_seen(struct gendisk *disk, u32 number)
{
	u32 dev = dev_of(disk);
	struct layer *known = bpf_map_lookup_elem(&iolat_layers, &dev);
	struct layer l = {.number = number};

	if (known && known->number == number && known->name)
		return known->name;
	l.name = layer_announce(disk, number);
	bpf_map_update_elem(&iolat_layers, &dev, &l, BPF_ANY);
	layered = 1;
	return l.name;
}

static __always_inline struct bio_flight *flight_of(struct bio *original)
{
	return original ? bio_flight_find((u64)original) : NULL;
}

/* Whose copy a bio is that nothing has marked: known only where it leads back to one in flight. */
static __noinline u32 layer_above(u64 bio)
{
	struct bcache_closure *cl = bcache_closure_of(bio);
	struct bio_flight *b = flight_of(bio_original(bio)) ?: flight_of(bcache_original(cl)) ?:
			       flight_of(bcache_original(bcache_closure_parent(cl)));

	return b ? b->name : 0;
}

/* Whether what a task submits may be another I/O's copy: it comes from inside of another's submission or from a
 * worker. */
static __always_inline bool may_copy(struct task_struct *task)
{
	return task_get(task, flags) & PF_KTHREAD || task_get(task, bio_list);
}

/* Marks a bio that enters, unless it is marked already: it is a copy if it leads back to an original. */
static __noinline int layer_mark(struct bio *bio)
{
	u64 key = address_of(bio);
	struct arrival a = arrival_get(key, false);

	if (a.above)
		return 0;
	a.bio = key;
	a.start_ns = a.start_ns ?: bpf_ktime_get_ns();
	a.pid_tgid = a.pid_tgid ?: bpf_get_current_pid_tgid();
	a.above = layer_above(key);
	a.in_place = 0;
	if (a.above)
		arrival_mark(&a);
	return 0;
}

static __always_inline bool bio_selected(const struct bio_flight *b, struct gendisk *disk)
{
	return b->owner.selected && op_selected(b->op) &&
	       (!knobs.n_disks || disk_selected(disk, b->part));
}

/* A bio enters a device that has no requests. */
static __noinline int bio_flight_begin(struct bio *bio, u64 now)
{
	struct gendisk *disk = bio_disk(bio);
	u16 part = bio_part(bio);
	u64 key = address_of(bio);
	struct arrival a = arrival_get(key, true);
	struct bio_flight *b = bio_flight_claim(key);
	u32 opf = get(bio, bi_opf);

	if (!b)
		return 0;
	b->start_ns = now;
	b->sector = get(bio, bi_iter.bi_sector);
	b->bytes = get(bio, bi_iter.bi_size);
	b->disk = disk_seen(disk);
	b->name = layer_seen(disk, b->disk);
	b->pieces = 1;
	b->part = part;
	b->op = op_submitted(opf, b->bytes);
	b->flags = flags_of(opf) | IOLAT_RQ_NO_SPLIT;
	owner_of_bio(bio, a.above ?: layer_above(key), &b->owner);
	b->owner.selected = bio_selected(b, disk);
	if (knobs.files)
		file_keep(bio, key);
	return 0;
}

/* --- hooks --------------------------------------------------------------------------- */

HOOK_SEC("block_bio_queue")
int iolat_bio_queue(u64 *ctx)
{
	struct bio *bio = ctx_bio(ctx);
	struct task_struct *task = current_task();
	u64 now = bpf_ktime_get_ns();

	if (bio_without_request(bio))
		return bio_flight_begin(bio, now);
	arrival_add(address_of(bio), now, task_pid_tgid(task));
	return layered && may_copy(task) ? layer_mark(bio) : 0;
}

/* Keeps who a merged bio belongs to: its request may be another's. */
static __always_inline int bio_merged(struct bio *bio)
{
	struct arrival a = submission(bio);
	struct bio_owner o = {};
	u64 key = address_of(bio);

	o.start_ns = a.start_ns;
	owner_of_bio(bio, a.above, &o.owner);
	if (bpf_map_update_elem(&iolat_owners, &key, &o, BPF_ANY))
		count(map_full);
	return 0;
}

/* The bio is the third argument where a request stands before it (until 5.11). */
static __always_inline struct bio *ctx_merged_bio(u64 *ctx)
{
	struct bio *bio;

	if (knobs.arg_bio) {
		bio = (struct bio *)ctx[2];
		opaque(bio);
		return bio;
	}
	bio = (struct bio *)ctx[0];
	opaque(bio);
	return bio;
}

HOOK_SEC("block_bio_backmerge")
int iolat_backmerge(u64 *ctx)
{
	return bio_merged(ctx_merged_bio(ctx));
}

HOOK_SEC("block_bio_frontmerge")
int iolat_frontmerge(u64 *ctx)
{
	return bio_merged(ctx_merged_bio(ctx));
}
