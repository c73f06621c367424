/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events without what they call by name: hosts, commands, processes, cgroups, containers, files. Each name becomes
 * another one, the same one everywhere in a run, that does not tell the first. Numbers, disks and what kernels, Python
 * and PyTorch call their threads stay.
 */
#ifndef IOLAT_CAPTURE_ANONYMIZE_H
#define IOLAT_CAPTURE_ANONYMIZE_H

#include <stddef.h>
#include <stdint.h>

#define ANONYMIZE_ROOM 65536

struct anonymizer {
	uint64_t salt;
	uint64_t event[ANONYMIZE_ROOM / 8];
};

void anonymizer_init(struct anonymizer *a); /* with a salt of its own */

/* The event without names, valid until the next call; NULL with *err 0: left out, -EPERM: a selection by a name, which
 * would no longer fit anything. */
const void *anonymize(struct anonymizer *a, const void *event, size_t size, int *err);

#endif
