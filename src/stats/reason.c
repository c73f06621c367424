// SPDX-License-Identifier: GPL-2.0
/*
 * The rules, strongest evidence first: the file's file system, requests of the task's own, a limit, and
 * only then what kind of sleep it was. What no rule tells apart is "other".
 */
#include "stats/reason.h"

static const struct {
	const char *name, *says;
} reasons[REASON_MAX] = {
	[REASON_DISK] = {"disk", "for a request of its own, a file system's log (fsync), or data that others were reading"},
	[REASON_THROTTLE] = {"throttle", "held back by its own cgroup's I/O limit (io.max, blkio.throttle)"},
	[REASON_NETWORK_FS] = {"network_fs", "for a file of a network file system"},
	[REASON_FUSE] = {"fuse", "for a file of a FUSE file system"},
	[REASON_PAGE_FAULT] = {"page_fault", "in a page fault: a mapped file, or swap"},
	[REASON_OTHER] = {"other", "uninterruptibly, and none of these can be told"},
};

const char *reason_name(enum wait_reason reason)
{
	return reasons[reason].name;
}

const char *reason_says(enum wait_reason reason)
{
	return reasons[reason].says;
}

static int file_system_reason(uint32_t magic)
{
	switch (iolat_fs_kind(magic)) {
	case IOLAT_FS_FUSE:
		return REASON_FUSE;
	case IOLAT_FS_NETWORK:
		return REASON_NETWORK_FS;
	default:
		return REASON_NONE;
	}
}

/* Waits for I/O that was submitted before, by whichever thread; there may be none at all behind. */
static int reason_of_aio(const struct wait_facts *w)
{
	if (w->process)
		return REASON_DISK;
	return w->limited ? REASON_THROTTLE : REASON_UNDECIDED;
}

/* Sleeps of which no request is known. A journal's commit (ext4's fsync sleeps in D without the kernel's
 * counting it as I/O) and pages that others read are the disk's all the same. */
static int reason_without_request(const struct wait_facts *w)
{
	bool iowait = w->flags & IOLAT_WAIT_IOWAIT;

	if (w->limited && (iowait || w->call == IOLAT_CALL_SYNC))
		return REASON_THROTTLE;
	if (w->call == IOLAT_CALL_NONE)
		return iowait ? REASON_PAGE_FAULT : REASON_OTHER;
	if (w->call == IOLAT_CALL_SYNC || (iowait && w->fs_on_disk))
		return REASON_DISK;
	return REASON_OTHER;
}

int reason_of(const struct wait_facts *w)
{
	int fs = file_system_reason(w->fs_magic);

	if (fs != REASON_NONE)
		return fs;
	if (w->call == IOLAT_CALL_AIO)
		return reason_of_aio(w);
	if (w->own)
		return w->call == IOLAT_CALL_NONE ? REASON_PAGE_FAULT : REASON_DISK;
	return reason_without_request(w);
}
