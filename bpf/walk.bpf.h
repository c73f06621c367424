/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over a request's bios with one call of a visitor each. Needed only where a
 * request has several bios, or was not seen from its start.
 */
#ifndef IOLAT_WALK_BPF_H
#define IOLAT_WALK_BPF_H

#include "maps.bpf.h"

/* What visitors know and find out. */
struct walk {
	struct bio *bio;	/* the next one */
	struct request *rq;
	struct flight *f;
	u32 bios;		/* visited */
	u32 bytes_left;		/* of what completes now */
	u32 others;		/* bytes of other owners */
	u64 number_part;	/* of the disk, each half a word */
	u8 error;		/* errno */
	u64 now;
};

/* bpf_loop is loaded in no time whatever its count; a loop is checked round by round, so it has to be
 * short: bios behind it are taken for the request's owner's. Visitors return 1 to stop. */
#ifdef IOLAT_MODERN
#define walk_bios(visit, w) bpf_loop(4096, visit, w, 0)
#define VISITOR static int
#else
#define walk_bios(visit, w)                                                                        \
	do {                                                                                       \
		for (u32 i_ = 0; i_ < 256; i_++)                                                   \
			if (visit(i_, w))                                                          \
				break;                                                             \
	} while (0)
#define VISITOR static __always_inline int
#endif

static __always_inline struct bio *next_bio(struct bio *bio)
{
	return BPF_CORE_READ(bio, bi_next);
}

static __always_inline u32 bio_size(struct bio *bio)
{
	return BPF_CORE_READ(bio, bi_iter.bi_size);
}

#endif /* IOLAT_WALK_BPF_H */
