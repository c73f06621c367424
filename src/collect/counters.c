// SPDX-License-Identifier: GPL-2.0
/* The programs count what they could not send; the kernel counts the runs that it skipped. */
#include "collect/counters.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>

/* Program runs that the kernel skipped; it tells since 5.12. */
static bool program_misses(const struct bpf_program *prog, uint64_t *misses)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_program__fd(prog) < 0)
		return true;
	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return false;
	*misses += info.recursion_misses;
	return len >= offsetof(struct bpf_prog_info, recursion_misses) + sizeof(__u64);
}

void counters_read(struct iolat_counters *c, const struct bpf_object *obj,
		   const struct iolat_losses *before, const struct iolat_losses *now)
{
	struct bpf_program *prog;

	*c = (struct iolat_counters){
		.head = {.kind = IOLAT_EV_COUNTERS, .size = sizeof(*c)},
		.lost = now->lost - before->lost,
		.unmatched = now->unmatched - before->unmatched,
		.map_full = now->map_full - before->map_full,
		.backward = now->backward - before->backward,
		.waits_lost = now->waits_lost - before->waits_lost,
		.names_lost = now->names_lost - before->names_lost,
		.missed_known = 1,
	};
	bpf_object__for_each_program(prog, obj) {
		uint64_t misses = 0;

		c->missed_known &= program_misses(prog, &misses);
		c->missed += misses;
	}
}
