/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events for tests of what stands behind the ring: each kind filled with plain values,
 * to be changed where a test cares. 8-byte aligned, as carriers deliver them.
 */
#ifndef IOLAT_TEST_FEED_H
#define IOLAT_TEST_FEED_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "iolat/wire.h"

#define HEAD(KIND, type)                                                                           \
	{                                                                                          \
		.kind = IOLAT_EV_##KIND, .size = sizeof(struct type)                               \
	}

/* A read of 4 KiB by process 100, 10 us queued and 90 us on disk 1. */
static inline struct iolat_request a_request(void)
{
	return (struct iolat_request){
		.head = HEAD(REQUEST, iolat_request),
		.disk = 1,
		.end_ns = 1000000,
		.queue_ns = 10000,
		.device_ns = 90000,
		.sector = 2048,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7),
		.bytes = 4096,
		.tgid = 100,
		.tid = 100,
		.op = IOLAT_OP_READ,
		.owner = IOLAT_OWNER_TASK,
	};
}

static inline struct iolat_share a_share(void)
{
	return (struct iolat_share){
		.head = HEAD(SHARE, iolat_share),
		.disk = 1,
		.end_ns = 1000000,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7),
		.bytes = 8192,
		.tgid = 100,
		.tid = 100,
		.op = IOLAT_OP_READ,
		.owner = IOLAT_OWNER_TASK,
	};
}

/* The leader of a process that started in the nanosecond `start`. */
static inline struct iolat_task a_task(enum iolat_task_what what, uint32_t pid, uint64_t start,
				       const char *comm)
{
	struct iolat_task e = {
		.head = HEAD(TASK, iolat_task),
		.what = what,
		.ts_ns = start,
		.start_ns = start,
		.begun_ns = start,
		.tid = pid,
		.tgid = pid,
		.ppid = 1,
		.ns_pid = pid,
		.uid = 1000,
	};

	snprintf(e.comm, sizeof(e.comm), "%s", comm);
	return e;
}

static inline struct iolat_disk a_disk(uint32_t number, const char *name)
{
	struct iolat_disk e = {
		.head = HEAD(DISK, iolat_disk), .disk = number, .major = 8, .minor = number};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static inline struct iolat_name a_name(uint32_t id, const char *name)
{
	struct iolat_name e = {.head = HEAD(NAME, iolat_name), .id = id};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static inline struct iolat_run a_run(void)
{
	return (struct iolat_run){
		.head = HEAD(RUN, iolat_run),
		.bio_submission = 1,
		.mono_ns = 1000,
		.wall_ns = 5000000000,
		.host = "box",
		.kernel = "6.1",
	};
}

static inline struct iolat_hook a_hook(const char *name)
{
	struct iolat_hook e = {.head = HEAD(HOOK, iolat_hook), .attached = 1, .required = 1};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

#define CGROUP_ROOM 64
union a_cgroup {
	struct iolat_cgroup e;
	uint64_t bytes[(sizeof(struct iolat_cgroup) + CGROUP_ROOM) / 8];
};

static inline union a_cgroup a_cgroup(uint64_t key, const char *path)
{
	union a_cgroup u = {.bytes = {0}};

	u.e.head.kind = IOLAT_EV_CGROUP;
	u.e.head.size = sizeof(u);
	u.e.cgroup = key;
	snprintf((char *)&u + sizeof(u.e), CGROUP_ROOM, "%s", path);
	return u;
}

/* A CONTAINER event; texts by their place, NULL: "". */
union a_container {
	struct iolat_container e;
	uint64_t bytes[128];
};

static inline union a_container a_container(uint64_t cgroup, const char *const texts[IOLAT_TEXT_MAX])
{
	union a_container u = {.bytes = {0}};
	size_t size = sizeof(u.e);

	for (size_t i = 0; i < IOLAT_TEXT_MAX; i++) {
		const char *text = texts[i] ? texts[i] : "";

		assert_true(size + strlen(text) < sizeof(u));
		memcpy((char *)&u + size, text, strlen(text) + 1);
		size += strlen(text) + 1;
	}
	u.e.head = (struct iolat_head){IOLAT_EV_CONTAINER, (__u16)size};
	u.e.cgroup = cgroup;
	return u;
}

/* The same of a plain container. */
static inline union a_container a_docker(uint64_t cgroup, const char *id, const char *name)
{
	return a_container(cgroup, (const char *const[IOLAT_TEXT_MAX]){
					   [IOLAT_TEXT_RUNTIME] = "docker",
					   [IOLAT_TEXT_ID] = id,
					   [IOLAT_TEXT_NAME] = name,
					   [IOLAT_TEXT_LABEL] = "docker:label",
				   });
}

static inline struct iolat_cgroup_gone a_gone_cgroup(uint64_t cgroup)
{
	return (struct iolat_cgroup_gone){.head = HEAD(CGROUP_GONE, iolat_cgroup_gone),
					  .cgroup = cgroup};
}

static inline struct iolat_disk_facts some_facts(uint32_t disk)
{
	return (struct iolat_disk_facts){
		.head = HEAD(DISK_FACTS, iolat_disk_facts),
		.disk = disk,
		.nr_requests = 64,
		.accounted = 1,
		.rotational = 2,
		.model = "Disk",
		.scheduler = "none",
		.transport = "sata",
	};
}

static inline struct iolat_disk_below a_disk_below(uint32_t disk, uint32_t index, uint32_t count,
						   const char *name)
{
	struct iolat_disk_below e = {
		.head = HEAD(DISK_BELOW, iolat_disk_below),
		.disk = disk,
		.index = index,
		.count = count,
	};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static inline struct iolat_end an_end(void)
{
	return (struct iolat_end){.head = HEAD(END, iolat_end), .mono_ns = 5};
}

static inline struct iolat_counters some_counters(void)
{
	return (struct iolat_counters){.head = HEAD(COUNTERS, iolat_counters)};
}

#define AGGREGATE_BUCKETS 4
union an_aggregate {
	struct iolat_aggregate e;
	struct {
		char head[sizeof(struct iolat_aggregate)];
		struct iolat_bucket buckets[AGGREGATE_BUCKETS];
	};
};

/* Three reads of 4 KiB by process 100 on disk 1: total 1, 1 and 2 us, one of them queued for 500 ns, one never issued. */
static inline union an_aggregate an_aggregate(void)
{
	union an_aggregate u = {.e = {
		.head = {.kind = IOLAT_EV_AGGREGATE, .size = sizeof(u)},
		.disk = 1,
		.start_ns = 100000,
		.end_ns = 1000000,
		.last_ns = 900000,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7),
		.tgid = 100,
		.n_buckets = AGGREGATE_BUCKETS,
		.op = IOLAT_OP_READ,
		.owner = IOLAT_OWNER_TASK,
		.ios = 3,
		.bytes = 12288,
		.sum_ns = {4000, 500, 1500},
		.min_ns = {1000, 500, 1500},
		.max_ns = {2000, 500, 1500},
	}};

	u.buckets[0] = (struct iolat_bucket){190, IOLAT_PART_TOTAL, 2};
	u.buckets[1] = (struct iolat_bucket){222, IOLAT_PART_TOTAL, 1};
	u.buckets[2] = (struct iolat_bucket){158, IOLAT_PART_QUEUE, 1};
	u.buckets[3] = (struct iolat_bucket){206, IOLAT_PART_DEVICE, 1};
	return u;
}

static inline struct iolat_process_facts some_process_facts(uint32_t pid, uint64_t start,
							    unsigned int flags)
{
	return (struct iolat_process_facts){
		.head = HEAD(PROCESS_FACTS, iolat_process_facts),
		.tgid = pid,
		.start_ns = start,
		.flags = flags,
		.rank = -1,
	};
}

/* Process 100 asleep for 1 ms in a read from a file on disk 8:1. */
static inline struct iolat_wait a_wait(void)
{
	return (struct iolat_wait){
		.head = HEAD(WAIT, iolat_wait),
		.tid = 100,
		.start_ns = 1000000,
		.end_ns = 2000000,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7),
		.tgid = 100,
		.fs_magic = 0xef53,
		.fs_major = 8,
		.fs_minor = 1,
		.call = IOLAT_CALL_READ,
		.flags = IOLAT_WAIT_DEEP | IOLAT_WAIT_IOWAIT,
	};
}

/* The same I/O as a_request(), by process 200. */
static inline struct iolat_other an_other(void)
{
	return (struct iolat_other){
		.head = HEAD(OTHER, iolat_other),
		.disk = 1,
		.end_ns = 1000000,
		.queue_ns = 10000,
		.device_ns = 90000,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 9),
		.bytes = 4096,
		.tgid = 200,
		.tid = 200,
		.op = IOLAT_OP_READ,
		.owner = IOLAT_OWNER_TASK,
	};
}

static inline struct iolat_look a_look(uint64_t ts_ns)
{
	return (struct iolat_look){.head = HEAD(LOOK, iolat_look), .inflight = 1, .ts_ns = ts_ns};
}

/* A read of process 100 that was issued, submitted in the nanosecond `start`. */
static inline struct iolat_inflight an_inflight(uint64_t start)
{
	return (struct iolat_inflight){
		.head = HEAD(INFLIGHT, iolat_inflight),
		.disk = 1,
		.start_ns = start,
		.issue_ns = start + 10,
		.sector = 2048,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7),
		.bytes = 4096,
		.tgid = 100,
		.tid = 100,
		.op = IOLAT_OP_READ,
		.owner = IOLAT_OWNER_TASK,
	};
}

static inline struct iolat_limit a_limit(void)
{
	return (struct iolat_limit){
		.head = HEAD(LIMIT, iolat_limit),
		.major = 8,
		.minor = 1,
		.cgroup = IOLAT_CGROUP(IOLAT_TREE_V2, 7),
		.read_bps = 1 << 20,
	};
}

/* A line of the training's log, stamped in the nanosecond `wall_ns`. */
static inline struct iolat_mark a_mark(enum iolat_mark_what what, const char *name, uint64_t wall_ns)
{
	struct iolat_mark e = {.head = HEAD(MARK, iolat_mark), .what = what, .wall_ns = wall_ns};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static inline struct iolat_gpu a_gpu(uint32_t number, uint64_t ts_ns, uint32_t busy_pct)
{
	return (struct iolat_gpu){.head = HEAD(GPU, iolat_gpu),
				  .number = number,
				  .ts_ns = ts_ns,
				  .busy_pct = busy_pct,
				  .memory_used = 1 << 20,
				  .memory_total = 1 << 30,
				  .name = "a GPU"};
}

static inline struct iolat_gpu_process a_gpu_process(uint32_t number, uint64_t ts_ns, uint32_t tgid)
{
	return (struct iolat_gpu_process){
		.head = HEAD(GPU_PROCESS, iolat_gpu_process), .number = number, .ts_ns = ts_ns, .memory = 4096, .tgid = tgid};
}

static inline struct iolat_clock a_clock(uint64_t mono_ns, uint64_t wall_ns)
{
	return (struct iolat_clock){.head = HEAD(CLOCK, iolat_clock), .mono_ns = mono_ns, .wall_ns = wall_ns};
}

static inline struct iolat_user a_user(uint32_t uid, const char *name)
{
	struct iolat_user e = {.head = HEAD(USER, iolat_user), .uid = uid};

	snprintf(e.name, sizeof(e.name), "%s", name);
	return e;
}

static inline struct iolat_select a_select(enum iolat_select_what what, const char *text)
{
	struct iolat_select e = {.head = HEAD(SELECT, iolat_select), .what = what};

	snprintf(e.text, sizeof(e.text), "%s", text);
	return e;
}

static inline struct iolat_command a_command(const char *line)
{
	struct iolat_command e = {.head = HEAD(COMMAND, iolat_command)};

	snprintf(e.line, sizeof(e.line), "%s", line);
	return e;
}

/* A generator with a fixed seed: tests fail the same way twice. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct iolat_dentry_event {
	struct iolat_dentry dentry;
	char names[2][IOLAT_DENTRY_LEN];
};

/* The one name lies in the root. */
static inline struct iolat_dentry_event a_dentry(uint32_t major, uint32_t minor, uint64_t inode, const char *name)
{
	struct iolat_dentry_event e = {.dentry = {.head = {IOLAT_EV_DENTRY, sizeof(e)},
						  .tgid = 100,
						  .inode = inode,
						  .fs_major = major,
						  .fs_minor = minor,
						  .in_major = major,
						  .in_minor = minor,
						  .n_names = 1,
						  .rooted = 1}};

	snprintf(e.dentry.names[0], IOLAT_DENTRY_LEN, "%s", name);
	return e;
}

struct iolat_file_event {
	struct iolat_file file;
	char path[64];
};

static inline struct iolat_file_event a_file(uint32_t major, uint32_t minor, uint64_t inode, const char *path)
{
	struct iolat_file_event e = {
		.file = {.head = {IOLAT_EV_FILE, sizeof(e)},
			 .fs_major = major, .inode = inode, .fs_minor = minor}};

	snprintf(e.file.path, sizeof(e.path), "%s", path);
	return e;
}

struct iolat_fs_event {
	struct iolat_fs fs;
	char text[96];
};

static inline struct iolat_fs_event a_fs(uint32_t major, uint32_t minor, uint32_t magic, const char *type,
					 const char *source, const char *point)
{
	struct iolat_fs_event e = {
		.fs = {.head = {IOLAT_EV_FS, sizeof(e)}, .magic = magic, .major = major, .minor = minor}};

	snprintf(e.fs.text, sizeof(e.text), "%s%c%s%c%s", type, 0, source, 0, point);
	return e;
}

static inline struct iolat_called a_called(uint32_t tgid, uint64_t read_bytes, uint64_t reads)
{
	return (struct iolat_called){
		.head = HEAD(CALLED, iolat_called), .tgid = tgid, .read_bytes = read_bytes, .reads = reads};
}

#endif
