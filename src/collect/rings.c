// SPDX-License-Identifier: GPL-2.0
/* One ring for a few CPUs each; a single one is the object's own map, several are put into its map of rings. */
#include "collect/rings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/units.h"
#include "collect/object.h"

#define DEFAULT_BUFFER (8u << 20)
#define FACTS_BUFFER   (1u << 20)
#define NAMES_BUFFER   (4u << 20) /* where every file is named, too */
#define SMALLEST_RING  (64u << 10) /* a page of any architecture */
#define CPUS_A_RING    8       /* more get in each other's way */

uint32_t power_of_two(uint64_t size)
{
	uint32_t p = 1;

	while (p < size && p < 1u << 30)
		p <<= 1;
	return p;
}

uint32_t size_for_tests(const char *name, uint32_t otherwise)
{
	const char *value = getenv(name);
	uint64_t n;

	return value && !parse_u64(value, &n) && n ? power_of_two(n) : otherwise;
}

static uint32_t rings_wanted(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = size_for_tests("IOLAT_RINGS", power_of_two((cpus + CPUS_A_RING - 1) / CPUS_A_RING));

	return n < RINGS_MAX ? n : RINGS_MAX;
}

void rings_size(struct rings *r, uint64_t buffer_size, bool files)
{
	uint64_t size = power_of_two(buffer_size ?: DEFAULT_BUFFER);

	r->n = rings_wanted();
	r->facts = files ? NAMES_BUFFER : FACTS_BUFFER;
	r->size = size / r->n > SMALLEST_RING ? size / r->n : SMALLEST_RING;
}

/* Of several, those of the map of rings are made later. */
int rings_configure(const struct rings *r, struct bpf_object *obj)
{
	uint32_t single = r->n > 1 ? SMALLEST_RING : r->size;
	int err = object_size_map(obj, "iolat_facts", r->facts);

	err = err ?: object_size_map(obj, "iolat_rings", r->n);
	return err ?: object_size_map(obj, "iolat_requests", single);
}

static int add_ring(struct rings *r, const struct bpf_object *obj, uint32_t i)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "iolat_requests", 0, 0, r->size, NULL);

	if (fd < 0)
		return -errno;
	r->fds[i] = fd;
	if (bpf_map_update_elem(object_map_fd(obj, "iolat_rings"), &i, &fd, BPF_ANY))
		return -errno;
	return intake_add(&r->intake, fd, r->size);
}

int rings_open(struct rings *r, const struct bpf_object *obj)
{
	int err = intake_open(&r->intake, object_map_fd(obj, "iolat_facts"), r->facts, r->n);

	if (r->n == 1)
		return err ?: intake_add(&r->intake, object_map_fd(obj, "iolat_requests"), r->size);
	for (uint32_t i = 0; !err && i < r->n; i++)
		err = add_ring(r, obj, i);
	return err;
}

void rings_close(struct rings *r)
{
	intake_close(&r->intake);
	for (uint32_t i = 0; i < RINGS_MAX; i++)
		if (r->fds[i])
			close(r->fds[i]);
}

uint64_t rings_bytes(const struct rings *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < RINGS_MAX; i++)
		sum += r->fds[i] ? object_map_bytes(r->fds[i]) : 0;
	return sum;
}
