/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks: their flags and state, the call that they are in (see compat.bpf.h). */
#ifndef IOLAT_COMPAT_TASK_BPF_H
#define IOLAT_COMPAT_TASK_BPF_H

/* The same in 5.10 to 7.2. */
#define PF_IO_WORKER  0x00000010 /* kernel threads too before 5.12 */
#define PF_WQ_WORKER  0x00000020
#define PF_FORKNOEXEC 0x00000040
#define PF_KTHREAD    0x00200000

/* struct kthread of a kernel thread: task.set_child_tid until 5.16, task.worker_private from 5.17. */
struct task_struct___5_16 {
	void *set_child_tid;
} __attribute__((preserve_access_index));
struct task_struct___5_17 {
	void *worker_private;
} __attribute__((preserve_access_index));

static __always_inline struct kthread *task_kthread(struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct___5_17, worker_private))
		return BPF_CORE_READ((struct task_struct___5_17 *)task, worker_private);
	return BPF_CORE_READ((struct task_struct___5_16 *)task, set_child_tid);
}

/* Bits of a task's state, the same in 5.10 to 7.2. */
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_NOLOAD	     0x0400 /* idle kernel threads sleep so */

/* task.state until 5.13, task.__state from 5.14. */
struct task_struct___5_13 {
	volatile long state;
} __attribute__((preserve_access_index));
struct task_struct___5_14 {
	unsigned int __state;
} __attribute__((preserve_access_index));

static __always_inline u32 task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct___5_14, __state))
		return BPF_CORE_READ((struct task_struct___5_14 *)task, __state);
	return BPF_CORE_READ((struct task_struct___5_13 *)task, state);
}

/* The state with which sched_switch's task leaves: its fourth argument from 5.18 (fa2c3254d7cf). Before,
 * the task itself is asked, which may have been woken already: then 0x200 (TASK_WAKING) stands there. */
static __always_inline u32 switch_state(u64 *ctx, struct task_struct *prev)
{
	if (knobs.has_prev_state)
		return (u32)ctx[3];
	if (bpf_core_field_exists(struct task_struct___5_14, __state))
		return get((struct task_struct___5_14 *)prev, __state);
	return get((struct task_struct___5_13 *)prev, state);
}

/* The registers with which a task entered the kernel: what it called, with what. Their names are the
 * architecture's. */
struct pt_regs___x86 {
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ss;
} __attribute__((preserve_access_index));
struct pt_regs___arm64 {
	u64 regs[31];
	u64 orig_x0;
	s32 syscallno;
} __attribute__((preserve_access_index));
struct pt_regs___riscv {
	unsigned long a1;
	unsigned long a7;
	unsigned long orig_a0;
	unsigned long cause;
} __attribute__((preserve_access_index));

#define USER_DS 0x2b /* x86: the stack segment of every user program */

/* They lie at the end of the task's kernel stack; bpf_task_pt_regs() tells from 5.15. With CONFIG_X86_FRED (6.9), of which
 * BTF knows nothing, there are 16 bytes behind them. */
static __always_inline void *task_registers(struct task_struct *task)
{
#ifdef IOLAT_MODERN
	return (void *)bpf_task_pt_regs(task);
#else
	void *regs = BPF_CORE_READ(task, stack) + knobs.thread_size -
		     bpf_core_type_size(struct pt_regs___x86);

	if (bpf_core_field_exists(struct pt_regs___x86, ss) &&
	    (u16)BPF_CORE_READ((struct pt_regs___x86 *)regs, ss) != USER_DS)
		regs -= 16;
	return regs;
#endif
}

#ifdef IOLAT_MODERN
#define reg(p, member) ((p)->member)
#else
#define reg(p, member) BPF_CORE_READ(p, member)
#endif

/* The number of the system call that a task is in, -1: in none (x86 and arm64 say so for faults,
 * riscv by the cause, which is 8 for calls). */
static __always_inline s32 registers_call(void *regs)
{
	if (bpf_core_field_exists(struct pt_regs___x86, orig_ax))
		return (s32)reg((struct pt_regs___x86 *)regs, orig_ax);
	if (bpf_core_field_exists(struct pt_regs___arm64, syscallno))
		return reg((struct pt_regs___arm64 *)regs, syscallno);
	if (bpf_core_field_exists(struct pt_regs___riscv, orig_a0)) {
		struct pt_regs___riscv *r = regs;

		return reg(r, cause) == 8 ? (s32)reg(r, a7) : -1;
	}
	return 0xffff; /* a call that is not known */
}

/* The call's first argument, or its second. */
static __always_inline u64 registers_argument(void *regs, bool second)
{
	if (bpf_core_field_exists(struct pt_regs___x86, di)) {
		struct pt_regs___x86 *r = regs;

		return second ? reg(r, si) : reg(r, di);
	}
	if (bpf_core_field_exists(struct pt_regs___arm64, orig_x0)) {
		struct pt_regs___arm64 *r = regs;

		return second ? reg(r, regs[1]) : reg(r, orig_x0);
	}
	if (bpf_core_field_exists(struct pt_regs___riscv, orig_a0)) {
		struct pt_regs___riscv *r = regs;

		return second ? reg(r, a1) : reg(r, orig_a0);
	}
	return ~0ULL;
}

/* Whether the kernel counts what system calls read; CONFIG_TASK_XACCT decides. */
static __always_inline bool calls_are_counted(void)
{
	return bpf_core_field_exists(struct task_io_accounting, rchar);
}

#endif /* IOLAT_COMPAT_TASK_BPF_H */
