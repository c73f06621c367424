/* SPDX-License-Identifier: GPL-2.0 */
/* Loading the BPF programs: which form of the object, which of its programs, and how large its maps. */
#ifndef IOLAT_COLLECT_LOAD_H
#define IOLAT_COLLECT_LOAD_H

struct bpf_object;
struct features;
struct hookset;
struct iolat_knobs;
struct rings;

struct load_plan {
	const struct features *features;
	const struct iolat_knobs *knobs;	/* the selection; the rest is filled in here */
	const struct rings *rings;
	struct hookset *hooks;			/* told which this kernel has no place for */
	int table;				/* descriptor: the first table of aggregates */
};

/* An exit status; anything but EXIT_OK has been explained on standard error. *obj is the caller's, *variant
 * the form that was loaded: "modern", "btf", "raw". */
int load_object(const struct load_plan *p, struct bpf_object **obj, const char **variant);

/* Explains a negative errno of making BPF maps or programs; the exit status. */
int load_explain(int err);

#endif
