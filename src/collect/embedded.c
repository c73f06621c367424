// SPDX-License-Identifier: GPL-2.0
/*
 * The object files as bytes, taken from disk by the assembler. The build passes their
 * folder as BPF_DIR.
 */
#include "collect/embedded.h"

#include "base/embed.h"

EMBED(embedded_modern, BPF_DIR "/iolat_modern.bpf.o");
EMBED(embedded_btf, BPF_DIR "/iolat_btf.bpf.o");
EMBED(embedded_raw, BPF_DIR "/iolat_raw.bpf.o");

static const struct embedded all[] = {
	{"modern", embedded_modern, embedded_modern_end},
	{"btf", embedded_btf, embedded_btf_end},
	{"raw", embedded_raw, embedded_raw_end},
};

const struct embedded *embedded_at(size_t i)
{
	return i < sizeof(all) / sizeof(all[0]) ? &all[i] : NULL;
}
