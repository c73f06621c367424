/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of a kernel that an object's programs name, as BTF by themselves. libbpf goes through all types that it is
 * given, once for each one that a program names: with all of a kernel's that is a quarter of the start.
 */
#ifndef IOLAT_COLLECT_TYPES_H
#define IOLAT_COLLECT_TYPES_H

struct btf;

/* Writes them to a descriptor; what they point to is left out. 0 or -errno. */
int types_write(const struct btf *kernel, const struct btf *object, int fd);

#endif
