// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that do nothing on the tracepoints that every switch between tasks passes: what being called costs.
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

char LICENSE[] SEC("license") = "GPL";
