/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of a kernel that an object's programs name, as BTF by themselves. To fit the programs, libbpf goes through
 * all types that it is given for each one that they name: thousands of times fewer are a quarter of the start.
 */
#ifndef IOLAT_COLLECT_TYPES_H
#define IOLAT_COLLECT_TYPES_H

struct btf;

/* Writes them to a descriptor; what they point to is left out. 0 or -errno. */
int types_write(const struct btf *kernel, const struct btf *object, int fd);

#endif
