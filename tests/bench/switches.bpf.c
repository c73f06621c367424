// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that do nothing on the tracepoints that every switch between tasks passes, and on those of the page cache: what
 * being called costs. tests/bench/switches.py takes them off iolat's, which it finds by the names.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EMPTY(tracepoint, name)                                                                    \
	SEC("tp_btf/" #tracepoint) int iolat_empty_##name(u64 *ctx)                                \
	{                                                                                          \
		return 0;                                                                          \
	}

EMPTY(sched_switch, switch)
EMPTY(sched_waking, waking)
EMPTY(mm_filemap_fault, fault)
EMPTY(mm_filemap_add_to_page_cache, read)
EMPTY(folio_wait_writeback, written)

char LICENSE[] SEC("license") = "GPL";
