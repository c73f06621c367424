// SPDX-License-Identifier: GPL-2.0
/*
 * Bios before and beside their requests: when one enters the block layer (a request may
 * have to wait for a tag after that), when one joins a request that exists, and when one
 * ends without ever having had a request.
 */
#include "flight.bpf.h"
#include "owner.bpf.h"

HOOK_SEC("block_bio_queue")
int iolat_bio_queue(u64 *ctx)
{
	arrival_add(address_of(ctx_bio(ctx)), bpf_ktime_get_ns());
	return 0;
}

/* Keeps who a merged bio belongs to: its request may be another's. */
static __always_inline int bio_merged(struct bio *bio)
{
	struct bio_owner o = {};
	u64 key = address_of(bio);

	o.start_ns = submission_time(bio);
	owner_now(bio, &o.owner);
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

/* Fires for bios without a request: on bio-based devices, and refused ones. */
HOOK_SEC("block_bio_complete")
int iolat_bio_end(u64 *ctx)
{
	arrival_get(address_of((void *)ctx[1]), true);
	return 0;
}
