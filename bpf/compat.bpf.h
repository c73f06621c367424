/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How kernels differ. Only this file and those in compat/ know: here is how a program reads,
 * there is what it reads. Each accessor hides one difference, asks
 * the running kernel's BTF (never its version), and says since when the newer form is
 * there, so that a branch can go when its kernels do. Facts are from the releases' BTF
 * and source unless another source is named. What iolat cannot do without is read by the
 * last branch unasked: where a kernel has it under no known name, the programs do not
 * load, instead of showing nothing (tests/unit/test_relocate.c).
 */
#ifndef IOLAT_COMPAT_BPF_H
#define IOLAT_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "iolat/event.h"
#include "iolat/knobs.h"

/* One instance for all object files of a variant. */
const volatile struct iolat_knobs knobs __weak = {};

/*
 * How a program reads kernel memory. With BTF tracing it follows typed pointers with
 * plain loads; a raw tracepoint has to copy through a helper. get() is for the hot path
 * and for pointers that came typed from the context; everything else uses BPF_CORE_READ.
 */
#ifdef IOLAT_BTF
#define HOOK_SEC(name) SEC("tp_btf/" name)
#define get(p, member) ((p)->member)
#else
#define HOOK_SEC(name) SEC("raw_tp/" name)
#define get(p, member) BPF_CORE_READ(p, member)
#endif

/* Fetching atomics and typed current: with bpf_loop all there from 5.17 on. */
#ifdef IOLAT_MODERN
#define current_task() bpf_get_current_task_btf()
#define task_get(t, member) ((t)->member)
#define task_pid_tgid(t) ((u64)(u32)(t)->tgid << 32 | (u32)(t)->pid)
#else
#define current_task() ((struct task_struct *)bpf_get_current_task())
#define task_get(t, member) BPF_CORE_READ(t, member)
#define task_pid_tgid(t) bpf_get_current_pid_tgid()
#endif

/* A typed pointer as a number, for arithmetic and for global functions. The verifier refuses arithmetic on one; overwriting one byte of its spilled
 * copy makes it forget the type. The byte is the top one, which all kernel addresses have alike. The CPU has
 * to wait for the two writes before it reads them back. */
static __always_inline u64 number_of(const void *p)
{
#ifdef IOLAT_BTF
	volatile union {
		const void *pointer;
		u64 number;
		u8 bytes[8];
	} u;

	u.pointer = p;
	u.bytes[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 7 : 0] = 0xff;
	return u.number;
#else
	return (u64)p;
#endif
}

/* An address as a key, to be kept, compared and looked up; low_half() for hashing. A pointer may keep its type
 * for that: the verifier lets programs of CAP_PERFMON store and compare it (5.17 to 7.2; not asked before). */
static __always_inline u64 address_of(const void *p)
{
#ifdef IOLAT_MODERN
	return (u64)p;
#else
	return number_of(p);
#endif
}

/* A move of 32 bits is the one operation that makes a number of a pointer. */
static __always_inline u32 low_half(u64 address)
{
#ifdef IOLAT_MODERN
	u32 low;

	asm("%0 = %1" : "=w"(low) : "w"((u32)address));
	return low;
#else
	return (u32)address;
#endif
}

#define EEXIST 17

/* Keeps clang from merging two loads from the context into one at a computed offset, which
 * the verifier refuses. */
#define opaque(x) asm volatile("" : "+r"(x))

#include "compat/disk.bpf.h"
#include "compat/bio.bpf.h"
#include "compat/request.bpf.h"
#include "compat/task.bpf.h"
#include "compat/owner.bpf.h"
#include "compat/file.bpf.h"

#endif /* IOLAT_COMPAT_BPF_H */
