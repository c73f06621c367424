/* SPDX-License-Identifier: GPL-2.0 */
/* Bios: where they are in a tracepoint, their device, what they are copies of (see compat.bpf.h). */
#ifndef IOLAT_COMPAT_BIO_BPF_H
#define IOLAT_COMPAT_BIO_BPF_H

/* The bio of a tracepoint; a request_queue stood before it until 5.11. Its place was found in BTF. */
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

/* The device that a bio is for, as the partition that it was sent to as far as that is still known (from 5.12). */
static __always_inline u32 bio_dev(struct bio *bio)
{
	if (bpf_core_field_exists(struct bio___5_12, bi_bdev))
		return BPF_CORE_READ((struct bio___5_12 *)bio, bi_bdev, bd_dev);
	struct gendisk *disk = BPF_CORE_READ((struct bio___5_11 *)bio, bi_disk);

	return BPF_CORE_READ(disk, major) << 20 |
	       (BPF_CORE_READ(disk, first_minor) + BPF_CORE_READ((struct bio___5_11 *)bio, bi_partno));
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
	struct bio *found = dm_clone_original(number_of((void *)bio));

	if (found)
		return found;
	bpf_probe_read_kernel(&io, sizeof(io), BPF_CORE_READ((struct bio *)bio, bi_private));
	return io.base_bio ? dm_clone_original((u64)io.base_bio) : NULL;
}

/*
 * The same of bcache, from 5.10 to 7.2, which says in bi_private for what search of its own a bio is: a closure there, or
 * one whose parent that is. To be looked up like the above.
 */
struct bcache_closure {
	u64 work[4];
	struct bcache_closure *parent;
	u32 remaining;
};
struct bcache_search {
	struct bcache_closure cl;
	u64 submit_time, key[3];
	/* struct bio bio; struct bio *orig_bio; */
};

static __always_inline struct bcache_closure *bcache_closure_of(u64 bio)
{
	return BPF_CORE_READ((struct bio *)bio, bi_private);
}

static __always_inline struct bcache_closure *bcache_closure_parent(struct bcache_closure *cl)
{
	struct bcache_closure *parent = NULL;

	bpf_probe_read_kernel(&parent, sizeof(parent), &cl->parent);
	return parent;
}

static __always_inline struct bio *bcache_original(struct bcache_closure *cl)
{
	struct bio *original = NULL;
	u64 at = (u64)cl + sizeof(struct bcache_search) + bpf_core_type_size(struct bio);

	bpf_probe_read_kernel(&original, sizeof(original), (void *)at);
	return original;
}

#endif /* IOLAT_COMPAT_BIO_BPF_H */
