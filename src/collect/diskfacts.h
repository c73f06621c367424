/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sysfs says of a disk: its kind, its queue, and what it stands on. Sources:
 * Documentation/ABI/stable/sysfs-block, and the places of devices in /sys/devices.
 */
#ifndef IOLAT_COLLECT_DISKFACTS_H
#define IOLAT_COLLECT_DISKFACTS_H

#include "collect/tracer.h"

/* Fills model, transport, scheduler, nr_requests, rotational, accounted. True if the driver takes bios and has to count
 * them by itself: some do not, and their count stays 0. */
bool diskfacts_read(const struct iolat_disk *disk, struct iolat_disk_facts *f);

/* Passes on a DISK_BELOW event for each device that the disk stands on. 0 or -errno. */
int diskfacts_below(const struct iolat_disk *disk, const struct sink *sink);

#endif
