/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's BTF says about the things that iolat hooks and reads. All
 * differences that user space has to know are found here, none by version.
 */
#ifndef IOLAT_COLLECT_FEATURES_H
#define IOLAT_COLLECT_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "iolat/wire.h"

struct btf;
struct tracepoint;

struct features {
	struct btf *btf;
	struct tracepoint *tracepoints;	/* in the order of their names */
	size_t n_tracepoints;
	const char *path;	/* where it was read from */
	bool foreign;		/* not from the kernel itself */
};

#define FEATURES_BTF "/sys/kernel/btf/vmlinux"

/* Reads FEATURES_BTF, or `file` (borrowed) with the running kernel's BTF, raw or in an ELF section. 0 or
 * -errno (-ENOENT: there is none). */
int features_read(struct features *f, const char *file);
void features_free(struct features *f);

/* Whether the kernel has the tracepoint. */
bool features_tracepoint(const struct features *f, const char *name);

/* Fills what BTF decides: argument positions, status form, flag bits, which start hook. */
void features_knobs(const struct features *f, struct iolat_knobs *knobs);

#endif
