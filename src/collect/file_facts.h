/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths and file systems: what the kernel side calls a file is put together with where the process that used
 * it has the file system mounted (/proc/PID/mountinfo), and told as FILE and FS events.
 */
#ifndef IOLAT_COLLECT_FILE_FACTS_H
#define IOLAT_COLLECT_FILE_FACTS_H

#include <stdbool.h>

#include "base/map.h"
#include "collect/sink.h"
#include "iolat/wire.h"

struct mount_table;

struct file_facts {
	struct sink sink;
	const char *root;	/* in front of "/proc" */
	bool host_pids;		/* /proc there shows the pids that events have */
	struct map tables;	/* of mounts, by mount namespace */
	struct map told;	/* file systems, by device */
	int changes;		/* our own mount table, for being told of its changes */
};

/* `root` is borrowed. */
void file_facts_init(struct file_facts *f, const char *root, const struct sink *sink, bool host_pids);
void file_facts_free(struct file_facts *f);

/* Before a wait for a file, or instead of a DENTRY event; 0 or -errno. */
int file_facts_wait(struct file_facts *f, const struct iolat_wait *w);
int file_facts_dentry(struct file_facts *f, const struct iolat_dentry *e);

/* From time to time: numbers of file systems are used again, so that after a mount or unmount all is looked up anew. */
void file_facts_refresh(struct file_facts *f);

#endif
