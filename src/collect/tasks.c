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
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "collect/procfs.h"
#include "collect/tracer.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, same in 5.10 to 7.2 */

/* What only the leader's stat tells; the name may hold any byte. False where the process is gone. */
static bool read_stat(uint32_t pid, struct iolat_task *e)
{
	char path[64], line[1024];
	AUTO_FILE FILE *f = NULL;
	uint64_t ticks;
	uint32_t flags;
	const char *s;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return false;
	s = strrchr(line, ')');
	/* Behind the name: state, ppid, four, flags, eleven, ..., starttime. */
	if (!s || sscanf(s, ") %*c %" SCNu32 " %*d %*d %*d %*d %" SCNu32
			    " %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
			 &e->ppid, &flags, &ticks) != 3)
		return false;
	e->flags = flags & PF_KTHREAD ? IOLAT_TASK_KTHREAD : 0;
	e->start_ns = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
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

		if (parse_u64(d->d_name, &pid) || !procfs_status(pid, &st) || !read_stat(pid, &e))
			continue;
		e.tgid = st.tgid;
		e.ns_pid = st.ns_pid;
		e.uid = st.uid;
		err = send_threads(&e, sink);
	}
	return err;
}
