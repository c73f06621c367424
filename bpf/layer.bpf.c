// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of devices that have no requests, beside block_bio_queue (bio.bpf.c): bios that
 * they pass on, split and end. What is kept of them is layer.bpf.h's.
 */
#include "layer.bpf.h"

/* The argument behind the bio. */
static __always_inline u64 ctx_behind_bio(u64 *ctx)
{
	u64 value;

	if (knobs.arg_bio) {
		value = ctx[2];
		opaque(value);
		return value;
	}
	value = ctx[1];
	opaque(value);
	return value;
}

/* A device passes a bio on: dm, md and NVMe multipath say so, with their number. For a partition it
 * comes as well, with the partition's. The bio is a copy, to enter the device below like any
 * other, or (md before 5.14, multipath) the same that entered above, or a piece of it. */
HOOK_SEC("block_bio_remap")
int iolat_bio_remap(u64 *ctx)
{
	struct bio *bio = ctx_bio(ctx);
	u32 dev = ctx_behind_bio(ctx);
	struct layer *l = layered ? bpf_map_lookup_elem(&iolat_layers, &dev) : NULL;
	struct arrival a = {.bio = address_of(bio), .pid_tgid = bpf_get_current_pid_tgid()};
	struct bio_flight *b;

	if (!l)
		return 0;
	b = bio_flight_of_piece((void *)a.bio);
	if (b && b->bio != a.bio)
		__sync_fetch_and_add(&b->pieces, 1);
	a.start_ns = bpf_ktime_get_ns();
	a.above = l->name;
	a.in_place = b != NULL;
	arrival_mark(&a);
	return 0;
}

/* The kernel's count of a device that has no requests is one of pieces. */
HOOK_SEC("block_split")
int iolat_bio_split(u64 *ctx)
{
	struct bio *bio = ctx_bio(ctx);

	if (layered && bio_without_request(bio))
		count_unselected(disk_number(bio_disk(bio)));
	return 0;
}

/* Fires for bios without a request: on devices that have none, and refused ones. */
HOOK_SEC("block_bio_complete")
int iolat_bio_end(u64 *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];
	struct bio_flight *b = bio_flight_find(address_of(bio));
	u8 status = get(bio, bi_status);

	arrival_get(address_of(bio), true);
	if (b)
		bio_flight_end(b, status ? iolat_blk_error(status) : 0, bpf_ktime_get_ns());
	return 0;
}
