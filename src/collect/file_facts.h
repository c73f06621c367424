/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths and file systems: what the kernel side calls a file is put together with where the process that used
 * it has the file system mounted (/proc/PID/mountinfo), and told as FILE and FS events.
 */
#ifndef IOLAT_COLLECT_FILE_FACTS_H
#define IOLAT_COLLECT_FILE_FACTS_H

#include <stdbool.h>

#include "base/map.h"
#include "collect/mounts.h"
#include "collect/sink.h"
#include "iolat/wire.h"

struct mount_table {
	struct mount *at;
	size_t n;
	uint64_t mounts;	/* as in events: which state of the namespace this is, or a later one */
	bool borrowed;		/* it is our own: nobody was left to ask for theirs */
};

struct file_facts {
	struct sink sink;
	const char *root;	/* in front of "/proc" */
	bool host_pids;		/* /proc there shows the pids that events have */
	uint32_t own;		/* our mount namespace; 0: not known */
	uint64_t search_ns;	/* when /proc may be searched again for a process of another one */
	struct mount_table ours;
	struct map tables;	/* of the others */
	struct map told;	/* file systems, by device; and those that are mounted nowhere: */
	struct map missed;
};

/* `root` is borrowed. */
void file_facts_init(struct file_facts *f, const char *root, const struct sink *sink, bool host_pids);
void file_facts_free(struct file_facts *f);

/* Tells of everything that is mounted, as we see it. 0 or -errno. */
int file_facts_begin(struct file_facts *f);

/* Instead of a DENTRY event; 0 or -errno. */
int file_facts_dentry(struct file_facts *f, const struct iolat_dentry *e);

#endif
