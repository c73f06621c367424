/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disks as sysfs lists them: what the user names, and the kernel's own count of a disk's
 * I/O. Sources: Documentation/ABI/stable/sysfs-block and
 * Documentation/block/stat.rst.
 */
#ifndef IOLAT_COLLECT_BLOCKDEV_H
#define IOLAT_COLLECT_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

/* The disks and partitions that the user names: "sda", "sda1", "dm-0", "8:0", "/dev/disk/by-id/...", or a path, whose
 * devices they are (devpath.h). How many, -ENOENT: there is no such thing, -ENODEV: it is on no block
 * device (tmpfs, NFS, ...), -E2BIG: there are more than `room`. */
int blockdev_find(const char *name, struct iolat_disk_filter *out, size_t room);

/* A disk's name by its numbers; "major:minor" where there is none. */
void blockdev_name(uint32_t major, uint32_t minor, char *out, size_t size);

/* Whether there is a disk of that name, as in struct iolat_disk. */
bool blockdev_named(const char *name);

/* Whether the disk is there (no longer). */
bool blockdev_exists(const struct iolat_disk_filter *d);

/* Calls `each` for every disk and partition with the kernel's count: fields 1, 5 and 12 of its stat file
 * (reads, writes, discards completed). False when /proc/diskstats cannot be read. */
bool blockdev_counts(void (*each)(void *ctx, uint32_t major, uint32_t minor, uint64_t ios),
		     void *ctx);

/* One line of that: "MAJOR MINOR NAME" and then the stat file; discards came with 4.18. False where it is none. */
bool blockdev_parse_counts(const char *line, uint32_t *major, uint32_t *minor, uint64_t *ios);

/* diskseq (0 before 5.15) and size in sectors; false where there is no such disk. */
bool blockdev_identity(uint32_t major, uint32_t minor, uint64_t *diskseq, uint64_t *sectors);

/* Calls `each` for every disk of the machine. */
void blockdev_each(void (*each)(void *ctx, uint32_t major, uint32_t minor), void *ctx);

#endif
