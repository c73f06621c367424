/* SPDX-License-Identifier: GPL-2.0 */
/* Single facts from /proc, most of them a process's: status and stat. */
#ifndef IOLAT_COLLECT_PROCFS_H
#define IOLAT_COLLECT_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCFS_HOST_PID_NS 0xEFFFFFFCu /* PROC_PID_INIT_INO, include/linux/proc_ns.h, 3.8 to 7.2 */

struct proc_status {
	uint32_t tgid;
	uint32_t uid;		/* real */
	uint32_t ns_pid;	/* in the innermost pid namespace */
	char comm[64];		/* as the kernel escapes it */
};

/* By the proc file system of the host whose files are below `root` (""). False where there is no such task. */
bool procfs_status(const char *root, uint32_t pid, struct proc_status *out);

struct proc_stat {
	uint32_t ppid;
	uint32_t flags;		/* PF_*, include/linux/sched.h */
	uint64_t start_ns;	/* CLOCK_BOOTTIME, whole clock ticks */
};

/* Of a thread, likewise; tid == pid: of the process. */
bool procfs_stat(const char *root, uint32_t pid, uint32_t tid, struct proc_stat *out);

struct proc_entry {
	uint32_t pid;
	struct proc_stat stat;
};

/* Every process that /proc here shows, to be freed. 0 or -ENOMEM; none where /proc cannot be read. */
int procfs_all(struct proc_entry **out, size_t *n);

/* Whether /proc here shows every process of the host by the host's pids, not those of a namespace. */
bool procfs_is_host(void);

/* Processes whose pid in their own namespace, another one than ours, is `ns_pid`: at most `room`
 * of their host pids; returns how many there are in all. */
size_t procfs_find_ns_pid(uint32_t ns_pid, uint32_t *pids, size_t room);

/* Whether memory may be swapped out to somewhere. */
bool procfs_has_swap(void);
/* How this process was called, its words quoted for a shell where they have to be: what fits, and
 * whether that is all. */
bool procfs_command_line(char *line, size_t size);

#endif
