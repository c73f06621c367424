/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel side lost, as a COUNTERS event. */
#ifndef IOLAT_COLLECT_COUNTERS_H
#define IOLAT_COLLECT_COUNTERS_H

#include "iolat/wire.h"

struct bpf_object;

/* Fills `c` with what was lost between two states of the programs' own counts, and what the kernel says of the
 * programs of `obj`. */
void counters_read(struct iolat_counters *c, const struct bpf_object *obj,
		   const struct iolat_losses *before, const struct iolat_losses *now);

#endif
