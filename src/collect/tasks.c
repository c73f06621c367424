// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the tasks by /proc/PID/{stat,status} and /proc/PID/task/TID/comm (proc(5)), for
 * tracer.c where the kernel's own iterator cannot be used.
 */
#include "collect/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "collect/procfs.h"
#include "collect/tracer.h"

/* include/linux/sched.h, the same in 5.10 to 7.2 */
#define PF_FORKNOEXEC 0x00000040
#define PF_KTHREAD    0x00200000

/* CLOCK_BOOTTIME also runs while the machine sleeps. */
static uint64_t slept_ns(void)
{
	struct timespec boot, mono;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (uint64_t)(boot.tv_sec - mono.tv_sec) * 1000000000 + boot.tv_nsec - mono.tv_nsec;
}

/* What only the leader's stat tells. False where the process is gone. */
static bool read_leader(uint32_t pid, struct iolat_task *e)
{
	struct proc_stat st;

	if (!procfs_stat("", pid, pid, &st))
		return false;
	e->ppid = st.ppid;
	e->flags = (st.flags & PF_KTHREAD ? IOLAT_TASK_KTHREAD : 0) |
		   (st.flags & PF_FORKNOEXEC ? IOLAT_TASK_FORKED : 0);
	e->start_ns = st.start_ns;
	return true;
}

/* To the tick, as all of /proc's starts. */
static uint64_t read_begun(uint32_t pid, uint32_t tid, uint64_t slept)
{
	struct proc_stat st;

	return procfs_stat("", pid, tid, &st) && st.start_ns > slept ? st.start_ns - slept : 0;
}

static bool read_comm(struct iolat_task *e)
{
	char path[64];
	AUTO_FILE FILE *f = NULL;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", e->tgid, e->tid);
	f = fopen(path, "re");
	len = f ? fread(e->comm, 1, sizeof(e->comm) - 1, f) : 0;
	e->comm[len] = 0;
	if (len && e->comm[len - 1] == '\n')
		e->comm[len - 1] = 0;
	return len;
}

/* Each thread of the process that `e` describes. */
static int send_threads(struct iolat_task *e, const struct sink *sink)
{
	const uint64_t slept = slept_ns();
	char path[64];
	AUTO_DIR DIR *dir = NULL;
	struct dirent *d;
	uint64_t tid;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", e->tgid);
	dir = opendir(path);
	while (!err && dir && (d = readdir(dir))) {
		if (parse_u64(d->d_name, &tid))
			continue;
		e->tid = tid;
		e->begun_ns = read_begun(e->tgid, e->tid, slept);
		if (read_comm(e))
			err = sink->event(sink->ctx, e, sizeof(*e));
	}
	return err;
}

int tasks_read(uint64_t now_ns, const struct sink *sink)
{
	AUTO_DIR DIR *dir = opendir("/proc");
	struct dirent *d;
	uint64_t pid;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (d = readdir(dir))) {
		struct iolat_task e = {
			.head = {.kind = IOLAT_EV_TASK, .size = sizeof(e)},
			.what = IOLAT_TASK_SEEN,
			.ts_ns = now_ns,
		};
		struct proc_status st;

		if (parse_u64(d->d_name, &pid) || !procfs_status("", pid, &st) || !read_leader(pid, &e))
			continue;
		e.tgid = e.here = st.tgid;
		e.ns_pid = st.ns_pid;
		e.uid = st.uid;
		err = send_threads(&e, sink);
	}
	return err;
}
