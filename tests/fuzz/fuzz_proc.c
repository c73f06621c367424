// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as each file that is read of a process (a process chooses most of what stands in them) and as the list of
 * users: nothing is read beyond them, what comes out ends, and the events that are made of it are taken.
 */
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/fake_host.h"
#include "collect/called.h"
#include "collect/cgroupfs.h"
#include "collect/file_facts.h"
#include "collect/mounts.h"
#include "collect/process_facts.h"
#include "collect/procfs.h"
#include "collect/users.h"
#include "stats/run.h"

#define PID 7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A host on which every file is the same one. */
static char root[FAKE_HOST_ROOT];
static uint32_t space; /* the inode of its only mount namespace */

static void require(int holds)
{
	if (!holds)
		abort();
}

static void remove_root(void)
{
	fake_host_remove(root);
}

static void make_root(void)
{
	static const char *const names[] = {"/proc/7/status", "/proc/7/cmdline", "/proc/7/environ", "/proc/7/cgroup",
					    "/proc/7/mountinfo", "/proc/7/maps", "/proc/7/io", "/proc/7/ns/mnt", "/etc/passwd"};
	char text[PATH_MAX], path[PATH_MAX];
	struct stat st;

	fake_host_make(root);
	atexit(remove_root);
	fake_host_write(root, "/proc/7/task/7/stat", "", 0);
	snprintf(text, sizeof(text), "%s/proc/7/task/7/stat", root);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fake_host_write(root, names[i], "", 0);
		snprintf(path, sizeof(path), "%s%s", root, names[i]);
		require(!unlink(path) && !link(text, path));
	}
	require(!stat(text, &st));
	space = (uint32_t)st.st_ino;
}

static int take(void *ctx, const void *event, size_t size)
{
	struct run *r = ctx;
	uint64_t before = run_refused(r);

	run_event(r, event, size);
	require(run_refused(r) == before);
	return 0;
}

static void read_status(void)
{
	struct proc_status status;
	struct proc_stat stat;

	require(!procfs_status(root, PID, &status) || status.tgid);
	require(memchr(status.comm, 0, sizeof(status.comm)) != NULL);
	procfs_stat(root, PID, PID, &stat);
}

static void read_process(const struct sink *sink)
{
	const struct iolat_task e = {
		.head = {IOLAT_EV_TASK, sizeof(e)}, .what = IOLAT_TASK_SEEN, .flags = IOLAT_TASK_TRACED, .tid = PID, .tgid = PID};
	struct process_facts facts;
	struct called called;

	process_facts_init(&facts, root, sink);
	require(!process_facts_read(&facts, PID, 2));
	process_facts_free(&facts);
	called_init(&called, root, sink);
	require(!called_task(&called, &e) && !called_update(&called));
	called_free(&called);
}

static void read_files(const struct sink *sink)
{
	union {
		struct iolat_dentry e;
		char room[sizeof(struct iolat_dentry) + 2 * IOLAT_DENTRY_LEN];
	} d = {.e = {.head = {IOLAT_EV_DENTRY, sizeof(d)}, .tgid = PID, .fs_minor = 40, .in_minor = 40, .n_names = 2, .rooted = 1,
		     .space = space, .mounts = 1}};
	struct file_facts facts;

	strcpy(d.e.names[0], "x");
	strcpy(d.e.names[1], "set");
	file_facts_init(&facts, root, sink, true);
	require(!file_facts_dentry(&facts, &d.e));
	d.e.inode = d.e.by_inode = 1;
	d.e.rooted = 0;
	require(!file_facts_dentry(&facts, &d.e));
	file_facts_free(&facts);
}

static void read_mounts(const uint8_t *data, size_t size)
{
	FILE *f = fmemopen((void *)data, size, "r");
	struct mount m;

	while (f && !mount_next(f, &m)) {
		char *rest = m.super, *value;
		const char *key;

		while ((value = mount_option(&rest, &key)))
			require(value >= key);
		mount_free(&m);
	}
	if (f)
		fclose(f);
}

static void read_cgroups(void)
{
	const struct cgroupfs c = {.root = root, .host_pids = true};

	for (unsigned int tree = 0; tree < IOLAT_TREE_MAX; tree++)
		free(cgroupfs_path_of_task(&c, tree, PID));
	free(cgroupfs_telling_path_of_task(&c, PID));
}

static void read_users(void)
{
	struct hostfs host;
	char text[32];

	require(!hostfs_open(&host, root));
	require(!users_home(&host, 1000, text, sizeof(text)) || text[0] == '/');
	require(!users_name(&host, 1000, text, sizeof(text)) || memchr(text, 0, sizeof(text)));
	hostfs_close(&host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct run_options o = {.by = {.keys = {BY_PROCESS, BY_FILE}, .n = 2, .mask = 1u << BY_PROCESS | 1u << BY_FILE}};
	struct run *r;
	struct sink sink = {.event = take};

	if (!root[0])
		make_root();
	fake_host_write(root, "/proc/7/status", data, size);
	require(!run_new(&r, &o));
	sink.ctx = r;
	read_status();
	read_process(&sink);
	read_files(&sink);
	read_mounts(data, size);
	read_cgroups();
	read_users();
	run_free(r);
	return 0;
}
