// SPDX-License-Identifier: GPL-2.0
/* The types that the programs name, out of those of stored kernels (tests/btf): as they are there, and few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/embedded.h"
#include "collect/types.h"

static const char *const kernels[] = {"5.10.136", "5.10", "5.15", "6.1", "6.12", "6.18", "7.2"};
#define N_KERNELS (sizeof(kernels) / sizeof(kernels[0]))

struct both {
	struct btf *all, *few;
};

static struct btf *parse(const char *path)
{
	struct btf *btf = btf__parse(path, NULL);

	assert_non_null(btf);
	return btf;
}

static void pick(struct both *b, const char *kernel)
{
	const struct embedded *e = embedded_at(0);
	struct bpf_object *obj = bpf_object__open_mem(e->data, e->end - e->data, NULL);
	int fd = memfd_create("types", 0);
	char path[256];

	assert_non_null(obj);
	snprintf(path, sizeof(path), "%s/%s.btf", TEST_BTF, kernel);
	b->all = parse(path);
	assert_int_equal(types_write(b->all, bpf_object__btf(obj), fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	b->few = parse(path);
	close(fd);
	bpf_object__close(obj);
}

static void drop(struct both *b)
{
	btf__free(b->all);
	btf__free(b->few);
}

static const struct btf_type *find(const struct btf *btf, const char *name, unsigned int kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	return id < 0 ? NULL : btf__type_by_id(btf, id);
}

static const char *name_at(const struct btf *btf, __u32 offset)
{
	return btf__name_by_offset(btf, offset);
}

/* The same members, of the same sizes, at the same places. */
static void check_struct(const struct both *b, const char *name)
{
	const struct btf_type *x = find(b->all, name, BTF_KIND_STRUCT), *y = find(b->few, name, BTF_KIND_STRUCT);

	assert_non_null(x);
	assert_non_null(y);
	assert_int_equal(x->size, y->size);
	assert_int_equal(btf_vlen(x), btf_vlen(y));
	for (int i = 0; i < btf_vlen(x); i++) {
		const struct btf_member *m = &btf_members(x)[i], *n = &btf_members(y)[i];

		assert_string_equal(name_at(b->all, m->name_off), name_at(b->few, n->name_off));
		assert_int_equal(m->offset, n->offset);
		assert_int_equal(btf__resolve_size(b->all, m->type), btf__resolve_size(b->few, n->type));
	}
}

static void test_structs(void **state)
{
	static const char *const names[] = {"request", "bio", "gendisk", "task_struct", "cgroup", "inode"};
	struct both b;

	for (size_t i = 0; i < N_KERNELS; i++) {
		pick(&b, kernels[i]);
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			check_struct(&b, names[j]);
		drop(&b);
	}
}

/* The form of a type that programs have for some kernels stands for the type of all of them. */
static void test_enumerators(void **state)
{
	struct both b;

	for (size_t i = 0; i < N_KERNELS; i++) {
		const struct btf_type *x, *y;

		pick(&b, kernels[i]);
		x = find(b.all, "req_op", BTF_KIND_ENUM) ?: find(b.all, "req_opf", BTF_KIND_ENUM);
		y = find(b.few, "req_op", BTF_KIND_ENUM) ?: find(b.few, "req_opf", BTF_KIND_ENUM);
		assert_non_null(x);
		assert_non_null(y);
		assert_int_equal(btf_vlen(x), btf_vlen(y));
		for (int j = 0; j < btf_vlen(x); j++) {
			assert_string_equal(name_at(b.all, btf_enum(x)[j].name_off), name_at(b.few, btf_enum(y)[j].name_off));
			assert_int_equal(btf_enum(x)[j].val, btf_enum(y)[j].val);
		}
		drop(&b);
	}
}

static void test_few(void **state)
{
	struct both b;

	for (size_t i = 0; i < N_KERNELS; i++) {
		pick(&b, kernels[i]);
		assert_non_null(find(b.all, "btf_trace_block_rq_issue", BTF_KIND_TYPEDEF));
		assert_null(find(b.few, "btf_trace_block_rq_issue", BTF_KIND_TYPEDEF));
		assert_true(btf__type_cnt(b.few) < btf__type_cnt(b.all));
		drop(&b);
	}
}

static void test_no_room(void **state)
{
	struct both b;

	pick(&b, kernels[0]);
	assert_int_equal(types_write(b.all, b.all, open("/dev/full", O_WRONLY)), -ENOSPC);
	drop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structs),
		cmocka_unit_test(test_enumerators),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests_name("types", tests, NULL, NULL);
}
