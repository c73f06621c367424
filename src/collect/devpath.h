/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which block devices hold a file: straight for most file systems; behind the layers of
 * an overlay, and behind file systems with device numbers of their own (btrfs, bcachefs).
 */
#ifndef IOLAT_COLLECT_DEVPATH_H
#define IOLAT_COLLECT_DEVPATH_H

#include <stddef.h>
#include <stdint.h>

struct devno {
	uint32_t major, minor;
};

/* The devices of a path, each once: of a block device's node the device itself, of anything else
 * those that hold it. How many there are, which is more than `room` when not all were put into
 * `out`; -ENOENT: no such path, -ENODEV: it is on no block device (tmpfs, NFS, ...). */
int devpath_find(const char *path, struct devno *out, size_t room);

#endif
