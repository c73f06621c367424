/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel for libbpf to load programs into: it shows the BTF of a file as its own, takes every program and map, and keeps
 * the instructions of the programs as libbpf fitted them. Stands before the C library's functions of these names.
 * Needs no privileges and none of the real kernel's BPF.
 */
#ifndef TEST_FAKE_KERNEL_H
#define TEST_FAKE_KERNEL_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAKE_BTF      "/sys/kernel/btf/vmlinux"
#define FAKE_PROGRAMS 64
#define FAKE_FDS      1024

struct fake_program {
	char name[BPF_OBJ_NAME_LEN];
	struct bpf_insn *insns;
	size_t n;
};

static struct {
	const char *btf;	/* shown as FAKE_BTF; NULL: the real one is */
	bool no_ring_buffer;
	const char *refused[4];	/* programs that are not taken */
	struct fake_program programs[FAKE_PROGRAMS];
	size_t n_programs;
	struct bpf_map_info maps[FAKE_FDS];
} fake;

static void fake_reset(const char *btf)
{
	for (size_t i = 0; i < fake.n_programs; i++)
		free(fake.programs[i].insns);
	memset(&fake, 0, sizeof(fake));
	fake.btf = btf;
}

static const struct fake_program *fake_program(const char *name)
{
	for (size_t i = 0; i < fake.n_programs; i++)
		if (!strncmp(fake.programs[i].name, name, BPF_OBJ_NAME_LEN - 1))
			return &fake.programs[i];
	return NULL;
}

/* --- files ---------------------------------------------------------------------- */

static const char *fake_path(const char *path)
{
	return fake.btf && !strcmp(path, FAKE_BTF) ? fake.btf : path;
}

#define FAKE_REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

FILE *fopen(const char *path, const char *mode)
{
	return FAKE_REAL(fopen)(fake_path(path), mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return FAKE_REAL(fopen64)(fake_path(path), mode);
}

static int fake_open(const char *path, int flags, va_list args)
{
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;

	return openat(AT_FDCWD, fake_path(path), flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = fake_open(path, flags, args);
	va_end(args);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = fake_open(path, flags, args);
	va_end(args);
	return fd;
}

int access(const char *path, int mode)
{
	return faccessat(AT_FDCWD, fake_path(path), mode, 0);
}

/* --- ring buffers ------------------------------------------------------------------ */

/* A file in memory cannot be waited for. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	return 0;
}

/* --- bpf(2) --------------------------------------------------------------------- */

static int fake_fd(size_t size)
{
	int fd = memfd_create("fake", MFD_CLOEXEC);

	if (fd < 0 || fd >= FAKE_FDS || ftruncate(fd, (off_t)size))
		abort();
	return fd;
}

static int fake_map(const union bpf_attr *a)
{
	size_t size = (size_t)a->value_size * a->max_entries, page = (size_t)getpagesize();
	int fd;

	if (a->map_type == BPF_MAP_TYPE_RINGBUF) {
		if (fake.no_ring_buffer) {
			errno = EINVAL;
			return -1;
		}
		size = 2 * page + 2 * (size_t)a->max_entries;
	}
	fd = fake_fd(size);
	fake.maps[fd] = (struct bpf_map_info){
		.type = a->map_type,
		.key_size = a->key_size,
		.value_size = a->value_size,
		.max_entries = a->max_entries,
	};
	return fd;
}

static bool fake_refuses(const char *name)
{
	for (size_t i = 0; i < 4 && fake.refused[i]; i++)
		if (!strncmp(fake.refused[i], name, BPF_OBJ_NAME_LEN - 1))
			return true;
	return false;
}

/* Of programs of one name, which are another try at loading them, the last is kept. */
static struct fake_program *fake_place(const char *name)
{
	for (size_t i = 0; i < fake.n_programs; i++)
		if (!strcmp(fake.programs[i].name, name))
			return &fake.programs[i];
	if (fake.n_programs == FAKE_PROGRAMS)
		abort();
	return &fake.programs[fake.n_programs++];
}

static int fake_program_load(const union bpf_attr *a)
{
	size_t size = a->insn_cnt * sizeof(struct bpf_insn);
	struct fake_program *p;

	if (fake_refuses(a->prog_name)) {
		errno = EINVAL;
		return -1;
	}
	if (!strncmp(a->prog_name, "iolat_", 6)) {
		p = fake_place(a->prog_name);
		memcpy(p->name, a->prog_name, sizeof(p->name));
		p->n = a->insn_cnt;
		free(p->insns);
		p->insns = malloc(size);
		if (!p->insns)
			abort();
		memcpy(p->insns, (const void *)(uintptr_t)a->insns, size);
	}
	return fake_fd(0);
}

static int fake_info(union bpf_attr *a)
{
	struct bpf_map_info *info = (void *)(uintptr_t)a->info.info;
	__u32 len = a->info.info_len < sizeof(*info) ? a->info.info_len : sizeof(*info);

	if (a->info.bpf_fd >= FAKE_FDS || !fake.maps[a->info.bpf_fd].type) {
		errno = EINVAL;
		return -1;
	}
	memcpy(info, &fake.maps[a->info.bpf_fd], len);
	return 0;
}

static long fake_bpf(long command, union bpf_attr *a)
{
	switch (command) {
	case BPF_MAP_CREATE:
		return fake_map(a);
	case BPF_PROG_LOAD:
		return fake_program_load(a);
	case BPF_BTF_LOAD:
	case BPF_RAW_TRACEPOINT_OPEN:
	case BPF_LINK_CREATE:
		return fake_fd(0);
	case BPF_OBJ_GET_INFO_BY_FD:
		return fake_info(a);
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_FREEZE:
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf)
		return fake_bpf(a[0], (void *)a[1]);
	return FAKE_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
