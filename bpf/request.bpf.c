// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a request on a device with a queue: start, issue, requeue, merge with
 * another request. Its state is kept by its address; complete.bpf.c ends it.
 */
#include "adopt.bpf.h"
#include "keep_file.bpf.h"
#include "layer.bpf.h"

/* A request gets its first bio, in the submitter's context (from 6.5). */
HOOK_SEC("block_io_start")
int iolat_io_start(u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];
	struct bio *bio = get(rq, bio);
	struct arrival a;
	struct flight *f;

	if (!request_disk(rq))
		return 0;
	f = flight_claim(address_of(rq));
	if (!f)
		return 0;
	a = submission(bio);
	f->start_ns = a.start_ns;
	owner_of_bio(bio, a.above, &f->owner);
	flight_begin(f);
	f->in_place = a.above && a.in_place;
	f->op = op_submitted(get(rq, cmd_flags), get(rq, __data_len));
	f->flags = flags_of(get(rq, cmd_flags)) | swap_flag(bio);
	if (knobs.files)
		file_keep(bio, address_of(rq));
	return 0;
}

/* Before 6.5: a bio gets a request that is not named; it is found at the first issue, or at the
 * completion of one that never is issued (an empty flush). */
HOOK_SEC("block_getrq")
int iolat_getrq(u64 *ctx)
{
	struct bio *bio = ctx_bio(ctx);
	struct arrival a = submission(bio);
	struct bio_owner o = {.first = 1};
	u64 key = address_of(bio);

	o.start_ns = a.start_ns;
	owner_of_bio(bio, a.above, &o.owner);
	o.in_place = a.above && a.in_place;
	o.op = op_submitted(get(bio, bi_opf), get(bio, bi_iter.bi_size));
	o.flags = flags_of(get(bio, bi_opf)) | swap_flag(bio);
	if (bpf_map_update_elem(&iolat_owners, &key, &o, BPF_ANY))
		count(map_full);
	if (knobs.files)
		file_keep(bio, key);
	return 0;
}

/* A command by-passes the file system and, before 6.12, starts without an event. */
static __always_inline struct flight *flight_of_command(struct request *rq)
{
	struct flight *f;

	if (!is_passthrough(rq) || !request_disk(rq))
		return NULL;
	f = flight_claim(address_of(rq));
	if (!f)
		return NULL;
	f->start_ns = bpf_ktime_get_ns();
	owner_now(NULL, &f->owner);
	flight_begin(f);
	f->in_place = 0;
	f->op = op_of(get(rq, cmd_flags));
	f->flags = flags_of(get(rq, cmd_flags));
	return f;
}

static __always_inline struct flight *flight_late(struct request *rq)
{
	struct flight *f = NULL;

	if (!knobs.has_io_start)
		f = flight_adopt(rq);
	return f ?: flight_of_command(rq);
}

HOOK_SEC("block_rq_issue")
int iolat_rq_issue(u64 *ctx)
{
	struct request *rq = ctx_request(ctx);
	bool several = get(rq, bio) != get(rq, biotail);
	struct flight *f = flight_find(address_of(rq));

	if (!f && !is_driver_flush(rq))
		f = flight_late(rq);
	if (!f)
		return 0;
	/* Its bios are final when it is issued; but a requeued request may get more. */
	if (several && (!f->issue_ns || f->requeues))
		iolat_count_bios(number_of(rq));
	f->issue_ns = bpf_ktime_get_ns();
	return 0;
}

HOOK_SEC("block_rq_requeue")
int iolat_rq_requeue(u64 *ctx)
{
	struct flight *f = flight_find(address_of(ctx_request(ctx)));

	if (f && f->requeues < 255)
		f->requeues++;
	return 0;
}

/* Bios without an entry are the owner's of the request that they leave: from now on they have to say. */
VISITOR visit_leaving(u32 i, struct walk *w)
{
	struct bio_owner o = {};
	u64 key = address_of(w->bio);
	long err;

	if (!w->bio)
		return 1;
	o.owner = w->f->owner;
	o.start_ns = w->f->start_ns;
	err = bpf_map_update_elem(&iolat_owners, &key, &o, BPF_NOEXIST);
	if (err && err != -EEXIST)
		count(map_full);
	w->bio = next_bio(w->bio);
	return 0;
}

/* Before 6.5 the owner stands with one of the bios, which must not claim that the other request was
 * made for it. */
VISITOR visit_unclaimed(u32 i, struct walk *w)
{
	struct bio_owner *o;
	u64 key = address_of(w->bio);

	if (!w->bio)
		return 1;
	o = bpf_map_lookup_elem(&iolat_owners, &key);
	if (o)
		o->first = 0;
	w->bio = next_bio(w->bio);
	return 0;
}

/* A request's bios join another request: it ends here. */
HOOK_SEC("block_rq_merge")
int iolat_rq_merge(u64 *ctx)
{
	struct request *rq = ctx_request(ctx);
	u64 key = address_of(rq);
	struct flight *f = flight_find(key);
	struct walk w = {.rq = rq, .bio = BPF_CORE_READ(rq, bio), .f = f};

	if (!f) {
		walk_bios(visit_unclaimed, &w);
		return 0;
	}
	walk_bios(visit_leaving, &w);
	flight_release(key);
	return 0;
}
