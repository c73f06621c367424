// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that do nothing, on the tracepoints that a request passes: what any tracer pays
 * for being called at all. tests/bench/bench.py takes them off every tracer's cost.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EMPTY(tracepoint)                                                                          \
	SEC("tp_btf/" #tracepoint) int iolat_empty_##tracepoint(u64 *ctx) { return 0; }

EMPTY(block_bio_queue)
EMPTY(block_io_start)
EMPTY(block_rq_issue)
EMPTY(block_rq_complete)

char LICENSE[] SEC("license") = "GPL";
