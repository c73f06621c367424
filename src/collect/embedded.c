// SPDX-License-Identifier: GPL-2.0
/*
 * The object files as bytes, taken from disk by the assembler. The build passes their
 * folder as BPF_DIR.
 */
#include "collect/embedded.h"

#define EMBED(variant)                                                                             \
	__asm__(".section .rodata\n"                                                               \
		".balign 16\n"                                                                     \
		"embedded_" #variant ":\n"                                                         \
		".incbin \"" BPF_DIR "/iolat_" #variant ".bpf.o\"\n"                               \
		"embedded_" #variant "_end:\n"                                                     \
		".previous\n");                                                                    \
	extern const char embedded_##variant[], embedded_##variant##_end[]

EMBED(modern);
EMBED(btf);
EMBED(raw);

static const struct embedded all[] = {
	{"modern", embedded_modern, embedded_modern_end},
	{"btf", embedded_btf, embedded_btf_end},
	{"raw", embedded_raw, embedded_raw_end},
};

const struct embedded *embedded_at(size_t i)
{
	return i < sizeof(all) / sizeof(all[0]) ? &all[i] : NULL;
}
