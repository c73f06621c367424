// SPDX-License-Identifier: GPL-2.0
/* Data sections are found by the object's own BTF; libbpf has names for maps alone. */
#include "collect/object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"

/* The map of a data section (".rodata", ".bss") and where in it a variable stands; NULL if there is none. */
static struct bpf_map *find_variable(struct bpf_object *obj, const char *section, const char *name,
				     size_t *offset)
{
	const struct btf *btf = bpf_object__btf(obj);
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *sec = id < 0 ? NULL : btf__type_by_id(btf, id);
	struct bpf_map *map;

	for (int i = 0; sec && i < btf_vlen(sec); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(sec)[i];
		const struct btf_type *t = btf__type_by_id(btf, v->type);

		*offset = v->offset;
		if (strcmp(btf__name_by_offset(btf, t->name_off), name))
			continue;
		bpf_object__for_each_map(map, obj) {
			const char *suffix = strrchr(bpf_map__name(map), '.');

			if (suffix && !strcmp(suffix, section))
				return map;
		}
	}
	return NULL;
}

int object_set_constant(struct bpf_object *obj, const char *name, const void *value, size_t len)
{
	size_t offset, size;
	struct bpf_map *map = find_variable(obj, ".rodata", name, &offset);
	const void *data = map ? bpf_map__initial_value(map, &size) : NULL;
	AUTO_FREE char *copy = data ? malloc(size) : NULL;

	if (!copy || offset + len > size)
		return -EINVAL;
	memcpy(copy, data, size);
	memcpy(copy + offset, value, len);
	return bpf_map__set_initial_value(map, copy, size);
}

/* Both stand in one section. */
int object_map_written(struct bpf_object *obj, struct object_written *w)
{
	size_t losses, marks, size;
	struct bpf_map *map = find_variable(obj, ".bss", "losses", &losses);
	void *start;

	if (!map || !bpf_map__initial_value(map, &size) ||
	    !find_variable(obj, ".bss", "marks", &marks))
		return -EINVAL;
	start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (start == MAP_FAILED)
		return -errno;
	*w = (struct object_written){
		.start = start,
		.size = size,
		.losses = (const struct iolat_losses *)((const char *)start + losses),
		.marks = (struct iolat_marks *)((char *)start + marks),
	};
	return 0;
}

void object_unmap_written(struct object_written *w)
{
	if (w->start)
		munmap(w->start, w->size);
	*w = (struct object_written){0};
}

int object_size_map(struct bpf_object *obj, const char *name, uint32_t entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);

	return map ? bpf_map__set_max_entries(map, entries) : -ENOENT;
}

int object_map_fd(const struct bpf_object *obj, const char *name)
{
	return bpf_object__find_map_fd_by_name(obj, name);
}

/* The kernel prints what a map costs ("memlock:") in the map descriptor's fdinfo. */
uint64_t object_map_bytes(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	return bytes;
}

uint64_t object_maps_bytes(const struct bpf_object *obj)
{
	struct bpf_map *map;
	uint64_t sum = 0;

	bpf_object__for_each_map(map, obj)
		sum += object_map_bytes(bpf_map__fd(map));
	return sum;
}
