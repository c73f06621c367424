/* SPDX-License-Identifier: GPL-2.0 */
/* Requests: where they are in a tracepoint, their device, operation and end (see compat.bpf.h). */
#ifndef IOLAT_COMPAT_REQUEST_BPF_H
#define IOLAT_COMPAT_REQUEST_BPF_H

/* The request of a tracepoint; a request_queue stood before it until 5.11 and 5.10.137
 * (a54895fa057c). Its place was found in BTF. */
static __always_inline struct request *ctx_request(u64 *ctx)
{
	struct request *rq;

	if (knobs.arg_rq) {
		rq = (struct request *)ctx[1];
		opaque(rq);
		return rq;
	}
	rq = (struct request *)ctx[0];
	opaque(rq);
	return rq;
}

/* request.rq_disk until 5.16, request.q->disk from 5.17. NULL for commands to a controller. */
struct request___5_16 {
	struct gendisk *rq_disk;
} __attribute__((preserve_access_index));
struct request_queue___5_17 {
	struct gendisk *disk;
} __attribute__((preserve_access_index));

static __always_inline struct gendisk *request_disk(struct request *rq)
{
	if (bpf_core_field_exists(struct request_queue___5_17, disk)) {
		struct request_queue___5_17 *q = (void *)get(rq, q);

		return get(q, disk);
	}
	struct request___5_16 *old = (void *)rq;

	return get(old, rq_disk);
}

/* The partition that a request was mapped from: request.part is a block_device from 5.11, before
 * an hd_struct. */
struct request___5_11 {
	struct block_device *part;
} __attribute__((preserve_access_index));
struct hd_struct {
	int partno;
} __attribute__((preserve_access_index));
struct request___5_10 {
	struct hd_struct *part;
} __attribute__((preserve_access_index));

static __always_inline u32 request_part(struct request *rq)
{
	if (bpf_core_type_exists(struct hd_struct)) {
		struct request___5_10 *old = (void *)rq;
		struct hd_struct *part = get(old, part);

		return part ? get(part, partno) : 0;
	}
	struct request___5_11 *new = (void *)rq;
	struct block_device *part = get(new, part);

	return part ? bdev_part(part) : 0;
}

/* enum req_opf until 5.19, enum req_op from 6.0; some numbers moved, too. */
enum req_op___6_0 {
	REQ_OP_READ___6_0 = 0,
	REQ_OP_WRITE___6_0 = 1,
	REQ_OP_FLUSH___6_0 = 2,
	REQ_OP_DISCARD___6_0 = 3,
	REQ_OP_SECURE_ERASE___6_0 = 5,
	REQ_OP_ZONE_APPEND___6_0 = 7,
	REQ_OP_DRV_IN___6_0 = 34,
	REQ_OP_DRV_OUT___6_0 = 35,
};
enum req_opf___5_19 {
	REQ_OP_READ___5_19 = 0,
	REQ_OP_WRITE___5_19 = 1,
	REQ_OP_FLUSH___5_19 = 2,
	REQ_OP_DISCARD___5_19 = 3,
	REQ_OP_SECURE_ERASE___5_19 = 5,
	REQ_OP_WRITE_SAME___5_19 = 7,
	REQ_OP_ZONE_APPEND___5_19 = 13,
	REQ_OP_SCSI_IN___5_19 = 32,
	REQ_OP_DRV_IN___5_19 = 34,
	REQ_OP_DRV_OUT___5_19 = 35,
};

#define REQ_OP_MASK 0xff /* same in 5.10 to 7.2 */

/* Whether `op` is the kernel's NAME. */
#define op_is(op, NAME)                                                                            \
	(bpf_core_enum_value_exists(enum req_op___6_0, NAME##___6_0)                               \
		 ? (op) == bpf_core_enum_value(enum req_op___6_0, NAME##___6_0)                    \
		 : (op) == bpf_core_enum_value(enum req_opf___5_19, NAME##___5_19))

/* WRITE_SAME left in 5.18, the SCSI passthrough ops (two numbers from SCSI_IN on) in 5.15. */
#define op_is_old(op, NAME)                                                                        \
	(bpf_core_enum_value_exists(enum req_opf___5_19, NAME##___5_19) &&                         \
	 (op) == bpf_core_enum_value(enum req_opf___5_19, NAME##___5_19))

static __always_inline bool op_is_passthrough(u32 op)
{
	return op_is(op, REQ_OP_DRV_IN) || op_is(op, REQ_OP_DRV_OUT) ||
	       op_is_old(op, REQ_OP_SCSI_IN) || op_is_old(op - 1, REQ_OP_SCSI_IN);
}

/* Whether a disk's own count includes commands: until 5.17 (blk_do_io_stat() in block/blk.h asks for a disk
 * there, from 5.18 on for no passthrough). BTF tells by request.rq_disk, which left a release earlier. */
static __always_inline bool commands_counted(void)
{
	return bpf_core_field_exists(struct request___5_16, rq_disk);
}

/* RQF_FLUSH_SEQ: the request is inside a flush sequence and will complete again. */
static __always_inline bool request_in_flush_sequence(struct request *rq)
{
	return get(rq, rq_flags) & (1u << knobs.flush_seq_bit);
}

/* Whether the driver has it. */
static __always_inline bool request_in_flight(struct request *rq)
{
	return BPF_CORE_READ(rq, state) == bpf_core_enum_value(enum mq_rq_state, MQ_RQ_IN_FLIGHT);
}

/* blk_status_t as an errno, as in blk_errors[] of block/blk-core.c. Global: verified once, not for each of its
 * results. */
__weak __noinline u32 iolat_blk_error(u32 status)
{
	switch (status) {
	case 1:
		return 95; /* EOPNOTSUPP */
	case 2:
		return 110; /* ETIMEDOUT */
	case 3:
		return 28; /* ENOSPC */
	case 4:
		return 67; /* ENOLINK */
	case 5:
		return 121; /* EREMOTEIO */
	case 6:
		return 52; /* EBADE */
	case 7:
		return 61; /* ENODATA */
	case 8:
		return 84; /* EILSEQ */
	case 9:
		return 12; /* ENOMEM */
	default:
		return 5; /* EIO */
	}
}

/* A completion's status as an errno: a negative errno until 5.15, blk_status_t from 5.16
 * (8a7d267b4a2c). */
static __always_inline u8 status_errno(s32 status)
{
	if (!status)
		return 0;
	if (knobs.errno_status)
		return status < 0 && status > -256 ? -status : 5;
	return iolat_blk_error((u8)status);
}

#endif /* IOLAT_COMPAT_REQUEST_BPF_H */
