/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of the host below a root of its own: "/", another mount of it, or another
 * process's. Paths are resolved inside of that root, whatever links stand in them; the
 * files may be anything and anybody's, so the last part is never followed, nothing blocks
 * and no more than a limit is read.
 */
#ifndef IOLAT_COLLECT_HOSTFS_H
#define IOLAT_COLLECT_HOSTFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOSTFS_FILE (1u << 20) /* limit for a file about one thing */
#define HOSTFS_LIST (8u << 20) /* ... about all things of a kind */

struct hostfs {
	int root; /* descriptor; -1: none */
};

int hostfs_open(struct hostfs *h, const char *dir); /* 0 or -errno */
void hostfs_close(struct hostfs *h);

/* The root of a process; `h` is that of the /proc in which the pid is known. 0 or -errno. */
int hostfs_open_process(struct hostfs *out, const struct hostfs *h, uint32_t pid);

/* A regular file whole, malloc'ed, with a NUL behind it; NULL if there is none, or if it is
 * longer than `limit`. `len` may be NULL. Files of /proc count as regular. */
char *hostfs_read(const struct hostfs *h, const char *path, size_t limit, size_t *len);

DIR *hostfs_dir(const struct hostfs *h, const char *path); /* NULL: none */
bool hostfs_same_root(const struct hostfs *a, const struct hostfs *b);

/* Also below the root of a process, "/proc/PID/root/...". */
bool hostfs_exists(const struct hostfs *h, const char *path);

/* Calls `each` with the pids in the root's /proc until it returns true, which is returned. */
bool hostfs_each_pid(const struct hostfs *h, bool (*each)(void *ctx, uint32_t pid), void *ctx);

/* "key = value" of a text of lines (TOML as far as its plain keys go); the value without quotes
 * into out. False: not there. */
bool hostfs_setting(const char *text, const char *key, char *out, size_t size);

#endif
