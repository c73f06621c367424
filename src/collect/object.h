/* SPDX-License-Identifier: GPL-2.0 */
/* A BPF object's maps and variables by their names, as bpf/ declares them. */
#ifndef IOLAT_COLLECT_OBJECT_H
#define IOLAT_COLLECT_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

struct bpf_object;

/* Before loading: writes a read-only variable; sizes a map. 0 or -errno. */
int object_set_constant(struct bpf_object *obj, const char *name, const void *value, size_t len);
int object_size_map(struct bpf_object *obj, const char *name, uint32_t entries);

/* After loading: a map's descriptor, of the object. */
int object_map_fd(const struct bpf_object *obj, const char *name);

/* The variables that the programs write, in their own memory. */
struct object_written {
	void *start;
	size_t size;
	const struct iolat_losses *losses;
	struct iolat_marks *marks;
};

/* Maps them, after loading. 0 or -errno. */
int object_map_written(struct bpf_object *obj, struct object_written *w);
void object_unmap_written(struct object_written *w);	/* may be zeroed */

/* What a map, or all of an object's, take in bytes, as the kernel counts it. */
uint64_t object_map_bytes(int fd);
uint64_t object_maps_bytes(const struct bpf_object *obj);

#endif
