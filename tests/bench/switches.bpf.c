// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that do nothing on the tracepoints that every switch between tasks passes, and on those of the page cache: what
 * being called costs.
 * tests/bench/switches.py takes them off iolat's.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("tp_btf/sched_switch")
int iolat_empty_switch(u64 *ctx)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int iolat_empty_waking(u64 *ctx)
{
	return 0;
}

SEC("tp_btf/mm_filemap_fault")
int iolat_empty_fault(u64 *ctx)
{
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int iolat_empty_read(u64 *ctx)
{
	return 0;
}

SEC("tp_btf/folio_wait_writeback")
int iolat_empty_written(u64 *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
