/* SPDX-License-Identifier: GPL-2.0 */
/* Which mount a file lies on, as /proc/PID/mountinfo tells
 * (Documentation/filesystems/proc.rst, 3.5). */
#ifndef IOLAT_COLLECT_MOUNTS_H
#define IOLAT_COLLECT_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct mount {
	char *line; /* owned; the rest points into it, with its escapes undone */
	unsigned int major, minor; /* of the file system */
	const char *root;	   /* the folder of the file system that is shown at point */
	const char *point, *type, *source;
	char *super; /* the file system's options, escapes and all: a comma in a value is one */
};

/* The mount of an open file (O_PATH will do). `path` is how it was named: what lies under
 * /proc/PID/root is in that process's mount table. 0 (for mount_free) or -ENOENT. */
int mount_of(int fd, const char *path, struct mount *out);
void mount_free(struct mount *m);

/* The next mount of an open table. 0 (for mount_free), -ENOENT behind the last. */
int mount_next(FILE *table, struct mount *out);

/* Undoes \ooo escapes in place. */
void mount_unescape(char *s);

/* The value of the next "KEY=VALUE" in `*rest`, whose escapes are undone in place, and *key; moves
 * *rest behind it. An option without a value has "". NULL behind the last. */
char *mount_option(char **rest, const char **key);

#endif
