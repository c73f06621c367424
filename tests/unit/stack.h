/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much stack a program takes with the deepest chain of its calls, as the verifier adds it up: 32 bytes' steps a
 * function, callbacks included, 512 in all. Only kernels with private stacks (6.13) take more, so a newer one hides it.
 */
#ifndef TEST_STACK_H
#define TEST_STACK_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_MAX 512 /* MAX_BPF_STACK */

/* Where a call or a callback leads, 0 for neither (0 is the program itself). */
static size_t stack_target(const struct bpf_insn *in, size_t at)
{
	if (in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL)
		return at + 1 + in->imm;
	if (in->code == (BPF_LD | BPF_IMM | BPF_DW) && in->src_reg == BPF_PSEUDO_FUNC)
		return at + 1 + in->imm;
	return 0;
}

/* The bytes below the frame pointer that the instruction reaches for. */
static int stack_reach(const struct bpf_insn *in)
{
	uint8_t class = BPF_CLASS(in->code);

	if ((class == BPF_STX || class == BPF_ST) && in->dst_reg == BPF_REG_10)
		return -in->off;
	if (class == BPF_LDX && in->src_reg == BPF_REG_10)
		return -in->off;
	/* An address in the frame is made by moving r10 and adding to it. */
	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && in->src_reg == BPF_REG_10 &&
	    in[1].code == (BPF_ALU64 | BPF_ADD | BPF_K) && in[1].dst_reg == in->dst_reg)
		return -in[1].imm;
	return 0;
}

/* Functions lie one behind the other; whatever is called begins one. */
static bool stack_begins(const struct bpf_insn *insns, size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++)
		if (stack_target(&insns[i], i) == at)
			return true;
	return false;
}

static int stack_of(const struct bpf_insn *insns, size_t n, size_t start)
{
	int own = 1, deepest = 0, below, reach;

	for (size_t i = start; i < n && (i == start || !stack_begins(insns, n, i)); i++) {
		size_t target = stack_target(&insns[i], i);

		reach = i + 1 < n ? stack_reach(&insns[i]) : 0;
		if (reach > own)
			own = reach;
		below = target ? stack_of(insns, n, target) : 0;
		if (below > deepest)
			deepest = below;
	}
	return (own + 31) / 32 * 32 + deepest;
}

#endif
