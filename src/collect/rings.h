/* SPDX-License-Identifier: GPL-2.0 */
/* The rings of a run: how many and how large they are, from sizing to reading them as one stream. */
#ifndef IOLAT_COLLECT_RINGS_H
#define IOLAT_COLLECT_RINGS_H

#include <stdint.h>

#include "collect/intake.h"

#define RINGS_MAX 16u

struct bpf_object;

struct rings {
	uint32_t n;		/* of requests; facts have one more */
	uint32_t size;		/* of one of them, bytes */
	uint32_t facts;		/* of the one of facts */
	int fds[RINGS_MAX];	/* where there are several; 0: none */
	struct intake intake;
};

/* `buffer_size` bytes in all, rounded up to a power of two; 0: the default. `files`: each is named. `r` is zeroed. */
void rings_size(struct rings *r, uint64_t buffer_size, bool files);

/* Sizes the object's maps before it is loaded. 0 or -errno. */
int rings_configure(const struct rings *r, struct bpf_object *obj);

/* Makes what the loaded object lacks and maps all. 0 or -errno; rings_close() in any case. */
int rings_open(struct rings *r, const struct bpf_object *obj);
void rings_close(struct rings *r);

/* Memory in bytes of those that are not the object's own. */
uint64_t rings_bytes(const struct rings *r);

/* A power of two that is at least `size`. */
uint32_t power_of_two(uint64_t size);

/* A test may ask for other sizes than a user ever does, by the environment: a power of two, or `otherwise`. */
uint32_t size_for_tests(const char *name, uint32_t otherwise);

#endif
