/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a request or bio does, from the kernel's own numbers of its operation and flags
 * (both have the same: request.cmd_flags, bio.bi_opf).
 */
#ifndef IOLAT_KIND_BPF_H
#define IOLAT_KIND_BPF_H

#include "compat.bpf.h"

static __always_inline u8 op_of(u32 opf)
{
	u32 op = opf & REQ_OP_MASK;

	if (op_is(op, REQ_OP_READ))
		return IOLAT_OP_READ;
	if (op_is(op, REQ_OP_WRITE) || op_is(op, REQ_OP_ZONE_APPEND) ||
	    op_is_old(op, REQ_OP_WRITE_SAME))
		return IOLAT_OP_WRITE;
	if (op_is(op, REQ_OP_FLUSH))
		return IOLAT_OP_FLUSH;
	if (op_is(op, REQ_OP_DISCARD) || op_is(op, REQ_OP_SECURE_ERASE))
		return IOLAT_OP_DISCARD;
	return IOLAT_OP_OTHER;
}

static __always_inline u8 flags_of(u32 opf)
{
	return (opf & (1u << __REQ_RAHEAD) ? IOLAT_RQ_RAHEAD : 0) |
	       (opf & (1u << __REQ_META) ? IOLAT_RQ_META : 0) |
	       (opf & (1u << __REQ_SYNC) ? IOLAT_RQ_SYNC : 0) |
	       (op_is_passthrough(opf & REQ_OP_MASK) ? IOLAT_RQ_PASSTHROUGH : 0);
}

/* A caller of fsync waits in a write without data. Asked at submission: later the flush sequence
 * takes PREFLUSH off. */
static __always_inline u8 op_submitted(u32 opf, u32 bytes)
{
	u8 op = op_of(opf);

	return op == IOLAT_OP_WRITE && opf & (1u << __REQ_PREFLUSH) && !bytes ? IOLAT_OP_FLUSH : op;
}

/* The flush that the driver itself gets serves many callers and belongs to none: each
 * caller waits in an empty write of its own. */
static __always_inline bool is_driver_flush(struct request *rq)
{
	return op_is(get(rq, cmd_flags) & REQ_OP_MASK, REQ_OP_FLUSH);
}

static __always_inline bool is_passthrough(struct request *rq)
{
	return op_is_passthrough(get(rq, cmd_flags) & REQ_OP_MASK);
}

/* Whether a bio moves swapped memory; bios without data have no pages. */
static __always_inline u8 swap_flag(struct bio *bio)
{
	struct page *page;

	if (!knobs.has_swap || !bio)
		return 0;
	page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
	return page && page_is_swap(page) ? IOLAT_RQ_SWAP : 0;
}

#endif /* IOLAT_KIND_BPF_H */
