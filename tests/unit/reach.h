/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a program can reach an instruction that libbpf could not fit to the kernel's types: it puts an invalid call in
 * its place, which is harmless where bpf_core_field_exists() and its like guard it, since they became constants. Follows
 * every path that constants leave open, as the kernel's verifier does, but looks at nothing else.
 */
#ifndef TEST_REACH_H
#define TEST_REACH_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REACH_POISON 0xbad2310 /* bpf_core_poison_insn() in libbpf's relo_core.c */
#define REACH_SLOTS  64	       /* of 8 bytes, all of a program's stack */

/* What is known to be constant before an instruction. */
struct reach_state {
	bool reached;
	bool known[11];
	int64_t value[11];
	bool slot_known[REACH_SLOTS];
	int64_t slot[REACH_SLOTS];
};

struct reach {
	const struct bpf_insn *insns;
	size_t n;
	struct reach_state *before; /* an instruction each */
	size_t *todo;
	size_t n_todo;
	bool *queued;
};

static void reach_meet(bool *known, int64_t *value, bool other_known, int64_t other, bool *changed)
{
	if (*known && !(other_known && *value == other)) {
		*known = false;
		*changed = true;
	}
}

/* The instruction may also be reached with `s`. */
static void reach_at(struct reach *r, size_t at, const struct reach_state *s)
{
	struct reach_state *b;
	bool changed = false;

	if (at >= r->n)
		return;
	b = &r->before[at];
	if (!b->reached) {
		*b = *s;
		b->reached = changed = true;
	}
	for (int i = 0; i < 11; i++)
		reach_meet(&b->known[i], &b->value[i], s->known[i], s->value[i], &changed);
	for (int i = 0; i < REACH_SLOTS; i++)
		reach_meet(&b->slot_known[i], &b->slot[i], s->slot_known[i], s->slot[i], &changed);
	if (changed && !r->queued[at]) {
		r->queued[at] = true;
		r->todo[r->n_todo++] = at;
	}
}

static int64_t reach_alu(uint8_t op, int64_t a, int64_t b, bool *known)
{
	switch (op) {
	case BPF_MOV:
		return b;
	case BPF_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case BPF_SUB:
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return (int64_t)((uint64_t)a << (b & 63));
	case BPF_RSH:
		return (int64_t)((uint64_t)a >> (b & 63));
	default:
		*known = false;
		return 0;
	}
}

static void reach_step_alu(const struct bpf_insn *in, struct reach_state *s)
{
	bool wide = BPF_CLASS(in->code) == BPF_ALU64, by_reg = BPF_SRC(in->code) == BPF_X;
	bool known = by_reg ? s->known[in->src_reg] : true;
	int64_t b = by_reg ? s->value[in->src_reg] : in->imm, a = s->value[in->dst_reg];

	if (BPF_OP(in->code) != BPF_MOV)
		known = known && s->known[in->dst_reg];
	if (known)
		a = reach_alu(BPF_OP(in->code), wide ? a : (uint32_t)a, wide ? b : (uint32_t)b,
			      &known);
	s->known[in->dst_reg] = known;
	s->value[in->dst_reg] = wide ? a : (uint32_t)a;
}

/* Constants on the stack; what is written through another register than r10 is no spilled constant. */
static void reach_step_memory(const struct bpf_insn *in, struct reach_state *s)
{
	uint8_t class = BPF_CLASS(in->code);
	int slot = (in->off + 8 * REACH_SLOTS) / 8;
	bool stack = (class == BPF_LDX ? in->src_reg : in->dst_reg) == BPF_REG_10 && slot >= 0 &&
		     slot < REACH_SLOTS;
	bool whole = stack && BPF_SIZE(in->code) == BPF_DW && in->off % 8 == 0;

	if (class == BPF_LDX) {
		s->known[in->dst_reg] = whole && s->slot_known[slot];
		s->value[in->dst_reg] = whole ? s->slot[slot] : 0;
	} else if (stack) {
		s->slot_known[slot] = whole && (class == BPF_ST || s->known[in->src_reg]) &&
				      BPF_MODE(in->code) == BPF_MEM;
		s->slot[slot] = class == BPF_ST ? in->imm : s->value[in->src_reg];
	}
}

/* 1: jumps, 0: does not, -1: not known. */
static int reach_jumps(const struct bpf_insn *in, const struct reach_state *s)
{
	bool wide = BPF_CLASS(in->code) == BPF_JMP, by_reg = BPF_SRC(in->code) == BPF_X;
	int64_t a = s->value[in->dst_reg], b = by_reg ? s->value[in->src_reg] : in->imm;

	if (BPF_OP(in->code) == BPF_JA)
		return 1;
	if (!s->known[in->dst_reg] || (by_reg && !s->known[in->src_reg]))
		return -1;
	if (!wide) {
		a = (int32_t)a;
		b = (int32_t)b;
	}
	switch (BPF_OP(in->code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return (uint64_t)a > (uint64_t)b;
	case BPF_JGE:
		return (uint64_t)a >= (uint64_t)b;
	case BPF_JLT:
		return (uint64_t)a < (uint64_t)b;
	case BPF_JLE:
		return (uint64_t)a <= (uint64_t)b;
	case BPF_JSGT:
		return a > b;
	case BPF_JSLT:
		return a < b;
	default:
		return -1;
	}
}

static void reach_function(struct reach *r, size_t at)
{
	const struct reach_state fresh = {0};

	reach_at(r, at, &fresh);
}

static void reach_step_call(struct reach *r, size_t at, struct reach_state *s)
{
	if (r->insns[at].src_reg == BPF_PSEUDO_CALL)
		reach_function(r, at + 1 + r->insns[at].imm);
	memset(s->known, 0, 6 * sizeof(s->known[0])); /* r0 to r5 */
	reach_at(r, at + 1, s);
}

static void reach_step_jump(struct reach *r, size_t at, const struct reach_state *s)
{
	int jumps = reach_jumps(&r->insns[at], s);

	if (jumps)
		reach_at(r, at + 1 + r->insns[at].off, s);
	if (jumps != 1)
		reach_at(r, at + 1, s);
}

static void reach_step(struct reach *r, size_t at)
{
	const struct bpf_insn *in = &r->insns[at];
	struct reach_state s = r->before[at];
	uint8_t class = BPF_CLASS(in->code);

	if (class == BPF_ALU || class == BPF_ALU64) {
		reach_step_alu(in, &s);
	} else if (in->code == (BPF_LD | BPF_IMM | BPF_DW)) { /* two of them */
		s.known[in->dst_reg] = !in->src_reg;
		s.value[in->dst_reg] = (int64_t)((uint64_t)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm);
		if (in->src_reg == BPF_PSEUDO_FUNC)
			reach_function(r, at + 1 + in->imm);
		at++;
	} else if (class == BPF_LDX || class == BPF_STX || class == BPF_ST) {
		reach_step_memory(in, &s);
	} else if (BPF_OP(in->code) == BPF_EXIT) {
		return;
	} else if (BPF_OP(in->code) == BPF_CALL) {
		reach_step_call(r, at, &s);
		return;
	} else {
		reach_step_jump(r, at, &s);
		return;
	}
	reach_at(r, at + 1, &s);
}

static bool reach_is_poison(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && !in->src_reg && in->imm == REACH_POISON;
}

/* The first instruction in order that could not be fitted and can be reached; -1: none. */
static long reach_poison(const struct bpf_insn *insns, size_t n)
{
	struct reach r = {.insns = insns, .n = n};
	long found = -1;

	r.before = calloc(n, sizeof(*r.before));
	r.todo = calloc(n, sizeof(*r.todo));
	r.queued = calloc(n, sizeof(*r.queued));
	if (!r.before || !r.todo || !r.queued)
		abort();
	reach_function(&r, 0);
	while (r.n_todo) {
		size_t at = r.todo[--r.n_todo];

		r.queued[at] = false;
		reach_step(&r, at);
	}
	for (size_t i = 0; i < n && found < 0; i++)
		if (r.before[i].reached && reach_is_poison(&insns[i]))
			found = (long)i;
	free(r.before);
	free(r.todo);
	free(r.queued);
	return found;
}

#endif
