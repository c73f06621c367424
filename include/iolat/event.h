/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire: what the kernel side, the host readers and a recording say to the
 * analysis. Everything after the decoder knows the world by these events alone.
 *
 * Included by the BPF programs and by user space: fixed-size integers only,
 * native byte order, no padding left to the compiler. Fields may be added at
 * the end of a struct, not before an open array; what stands here keeps its place and its
 * meaning. 0 in a field that was added later means not known: a recording of before has that.
 *
 * Units: times are nanoseconds of CLOCK_MONOTONIC, sizes are bytes, sectors are
 * 512 bytes. Strings are NUL-terminated and otherwise as the kernel had them:
 * any byte may stand in them.
 */
#ifndef IOLAT_EVENT_H
#define IOLAT_EVENT_H

/* The one list of events: X(KIND, name) declares IOLAT_EV_KIND, struct
 * iolat_name and a handler slot `name` in the decoder. A kind that nobody
 * handles does not build. */
#define IOLAT_EVENTS(X)         \
	X(REQUEST, request)     \
	X(SHARE, share)         \
	X(TASK, task)           \
	X(DISK, disk)           \
	X(NAME, name)           \
	X(RUN, run)             \
	X(HOOK, hook)           \
	X(CGROUP, cgroup)       \
	X(DISK_FACTS, disk_facts) \
	X(COUNTERS, counters)   \
	X(END, end)             \
	X(AGGREGATE, aggregate) \
	X(PROCESS_FACTS, process_facts) \
	X(CONTAINER, container) \
	X(CGROUP_GONE, cgroup_gone) \
	X(WAIT, wait)           \
	X(OTHER, other)         \
	X(LOOK, look)           \
	X(INFLIGHT, inflight)   \
	X(LIMIT, limit)         \
	X(DISK_BELOW, disk_below) \
	X(COMMAND, command)     \
	X(DENTRY, dentry)       \
	X(FILE, file)           \
	X(FS, fs)               \
	X(CALLED, called)       \
	X(MARK, mark)           \
	X(GPU, gpu)             \
	X(GPU_PROCESS, gpu_process) \
	X(SELECT, select)       \
	X(CLOCK, clock)         \
	X(USER, user)

enum iolat_event_kind {
	IOLAT_EV_NONE,
#define X(KIND, name) IOLAT_EV_##KIND,
	IOLAT_EVENTS(X)
#undef X
	IOLAT_EV_MAX
};

#define IOLAT_COMM_LEN 16	/* TASK_COMM_LEN */
#define IOLAT_DISK_LEN 32	/* DISK_NAME_LEN */
#define IOLAT_NAME_LEN 32	/* WQ_NAME_LEN */

/* Opens every event. */
struct iolat_head {
	__u16 kind;		/* enum iolat_event_kind */
	__u16 size;		/* of the whole event */
};

/* What an I/O does. The kernel's REQ_OP_* numbers move between releases; the
 * kernel side translates them. */
enum iolat_op {
	IOLAT_OP_READ,
	IOLAT_OP_WRITE,		/* writes with data, zone appends */
	IOLAT_OP_FLUSH,		/* an empty flush: the wait of fsync */
	IOLAT_OP_DISCARD,	/* discard and secure erase */
	IOLAT_OP_OTHER,		/* write-zeroes, zone management, passthrough */
	IOLAT_OP_MAX
};

/* Which step of the owner's ladder answered. */
enum iolat_owner {
	IOLAT_OWNER_TASK,	/* a user task submitted it: tgid, tid, cgroup */
	IOLAT_OWNER_BIO,	/* kernel thread; cgroup of the bio's blkcg */
	IOLAT_OWNER_PAGE,	/* kernel thread; cgroup the data is charged to */
	IOLAT_OWNER_NONE,	/* nobody: cgroup 0 */
	IOLAT_OWNER_MAX
};

/* Which tree a cgroup id is from: ids of two trees overlap. */
enum iolat_tree {
	IOLAT_TREE_V2,
	IOLAT_TREE_BLKIO,	/* cgroup v1 */
	IOLAT_TREE_MEMORY,	/* cgroup v1 */
	IOLAT_TREE_MAX
};
/* A cgroup as one number: the kernel's 64-bit id with the tree on top. */
#define IOLAT_CGROUP(tree, id) ((__u64)(tree) << 62 | (id))
#define IOLAT_CGROUP_TREE(cg) ((unsigned int)((cg) >> 62))
#define IOLAT_CGROUP_ID(cg) ((cg) & ((1ULL << 62) - 1))

enum iolat_request_flags {
	IOLAT_RQ_NO_DEVICE = 1 << 0,	/* never issued: all time is queue_ns */
	IOLAT_RQ_NO_SPLIT = 1 << 1,	/* bio-based: queue_ns is the total, no parts */
	IOLAT_RQ_COPY = 1 << 2,		/* made by a device above (via names it) */
	IOLAT_RQ_RAHEAD = 1 << 3,	/* readahead */
	IOLAT_RQ_META = 1 << 4,		/* file system metadata */
	IOLAT_RQ_SYNC = 1 << 5,
	IOLAT_RQ_PASSTHROUGH = 1 << 6,	/* a command, not in the disk's statistics */
	IOLAT_RQ_SWAP = 1 << 7,		/* swaps a page in or out; told where swap was on at the start */
};

/* One finished I/O. Submission was at end_ns - device_ns - queue_ns. */
struct iolat_request {
	struct iolat_head head;
	__u32 disk;		/* struct iolat_disk.disk; 0: no disk */
	__u64 end_ns;
	__u64 queue_ns;		/* submission to the last issue to the driver */
	__u64 device_ns;	/* last issue to completion */
	__u64 sector;		/* ~0: none */
	__u64 cgroup;		/* IOLAT_CGROUP(); 0: none */
	__u32 bytes;		/* of the owner; SHARE events carry the others' */
	__u32 tgid;		/* 0 unless owner is IOLAT_OWNER_TASK */
	__u32 tid;		/* of the submitter, also a kernel thread's */
	__u32 via;		/* struct iolat_name.id: the submitting work queue; 0: none */
	__u16 part;		/* partition number, 0: whole disk */
	__u16 merged;		/* bios beyond the first */
	__u8 requeues;		/* saturates */
	__u8 error;		/* errno, 0: none */
	__u8 op : 4, owner : 4;
	__u8 flags;		/* enum iolat_request_flags */
};

enum iolat_request_of {
	IOLAT_OF_UNKNOWN,	/* nobody can tell */
	IOLAT_OF_FILE,
	IOLAT_OF_DIRECT,	/* past the page cache, and no system call tells the file: inode is 0 */
	IOLAT_OF_METADATA,	/* the file system's own: inode is 0 */
	IOLAT_OF_SWAP,		/* inode and file system are 0 */
	IOLAT_OF_MAX
};

/* A REQUEST where files are told: its head's size says so. The file is that of the first page, or of the system call
 * that submitted it. */
struct iolat_request_file {
	struct iolat_request request;
	__u64 inode;
	__u32 fs_magic;
	__u32 fs_major;		/* as WAIT has it */
	__u32 fs_minor;
	__u8 of;		/* enum iolat_request_of */
	__u8 reserved[3];
};

/* Bytes of one owner's bios that were merged into another owner's request. */
struct iolat_share {
	struct iolat_head head;
	__u32 disk;
	__u64 end_ns;
	__u64 cgroup;
	__u32 bytes;
	__u32 tgid;
	__u32 tid;
	__u32 via;
	__u16 part;
	__u8 op : 4, owner : 4;
	__u8 flags;
	__u32 reserved;
};

enum iolat_task_what {
	IOLAT_TASK_SEEN,	/* existed at the start (from /proc) */
	IOLAT_TASK_NEW,
	IOLAT_TASK_COMM,	/* has a new name */
	IOLAT_TASK_EXEC,
	IOLAT_TASK_EXIT,	/* a thread is gone; tid == tgid: the whole process */
	IOLAT_TASK_LISTED,	/* each that exists was SEEN after ts_ns or is NEW since; no task's */
	IOLAT_TASK_MAX
};

enum iolat_task_flags {
	IOLAT_TASK_KTHREAD = 1 << 0,
	IOLAT_TASK_SELECTED = 1 << 1,	/* in the tree of a selected pid */
	IOLAT_TASK_FORKED = 1 << 2,	/* the process runs its parent's program in memory of its own:
					 * it was forked (not by vfork) and has not called exec */
	IOLAT_TASK_TRACED = 1 << 3,	/* the kernel side tells of its waits */
};

struct iolat_task {
	struct iolat_head head;
	__u8 what;		/* enum iolat_task_what */
	__u8 flags;		/* enum iolat_task_flags */
	__u16 reserved;
	__u64 ts_ns;
	__u64 start_ns;		/* the process's start, CLOCK_BOOTTIME */
	__u32 tid;
	__u32 tgid;
	__u32 ppid;		/* NEW, SEEN: tgid of the parent */
	__u32 ns_pid;		/* NEW, SEEN: tgid in the innermost pid namespace */
	__u32 uid;		/* SEEN, NEW, EXEC: real user id */
	__u32 here;		/* SEEN: tgid in the reader's pid namespace, 0: not in it */
	char comm[IOLAT_COMM_LEN];
	__u64 begun_ns;		/* the task's own start, CLOCK_MONOTONIC */
	__u64 cgroup;		/* IOLAT_CGROUP() that its I/O would be of; 0: not known */
};

/* A disk at its first request; may come again. The number is the kernel's diskseq,
 * so a loop device that got another file is another disk; before 5.15 it is made
 * from the disk's address and has the top bit set. */
struct iolat_disk {
	struct iolat_head head;
	__u32 disk;		/* never 0 */
	__u64 ts_ns;
	__u32 major;
	__u32 minor;		/* 20 bits */
	char name[IOLAT_DISK_LEN];
};

/* A work queue that submits I/O ("loop0", "writeback", "kcryptd/..."). */
struct iolat_name {
	struct iolat_head head;
	__u32 id;		/* never 0 */
	char name[IOLAT_NAME_LEN];
};

/* How the run was made. First in every stream. */
struct iolat_run {
	struct iolat_head head;
	__u32 bio_submission;	/* 1: times start when the bio enters the block layer */
	__u64 mono_ns;		/* the same moment on both clocks */
	__u64 wall_ns;		/* CLOCK_REALTIME */
	__u32 blkio_v1;		/* 1: owners' cgroups are of the v1 blkio tree */
	__u32 selected;		/* 1: the kernel side follows selected processes only */
	char host[64];
	char kernel[64];
	__u32 waits;		/* 1: the waits of tasks are traced */
	__u32 unseen;		/* 1: no request has an event of its own, all are aggregated */
	__u32 recorder;		/* tgid, in its own namespace, of whom nothing counts in rows: a recorder that writes; 0: none */
	__u32 part;		/* of a recording in several files, from 1 on; 0: it is one */
	__u64 first_ns;		/* mono_ns of part 1 */
};

/* What a user is called on the recorded host, before the first task of his. */
#define IOLAT_USER_LEN 32
struct iolat_user {
	struct iolat_head head;
	__u32 uid;
	char name[IOLAT_USER_LEN];
};

/* The wall clock at a moment: it may have been set since the run began. Holds for all of the run, as the last one does. */
struct iolat_clock {
	struct iolat_head head;
	__u32 synchronized;	/* 1: by the kernel's word, which NTP and PTP programs keep */
	__u64 mono_ns;		/* the same moment on both clocks */
	__u64 wall_ns;		/* CLOCK_REALTIME */
};

struct iolat_hook {
	struct iolat_head head;
	__u8 attached;
	__u8 required;
	__u16 reserved;
	char name[32];
};

struct iolat_cgroup {
	struct iolat_head head;
	__u32 reserved;
	__u64 cgroup;		/* IOLAT_CGROUP() */
	char path[];		/* from the tree's root: "/", "/a/b"; NUL ends it */
};

/* What sysfs says of a disk. May come again; the last one holds. */
struct iolat_disk_facts {
	struct iolat_head head;
	__u32 disk;
	__u64 kernel_ios;	/* growth of the disk's own count since the start */
	__u32 nr_requests;
	__u8 accounted;		/* 0: no statistics (queue/iostats, driver) */
	__u8 rotational;	/* 0, 1, 2: unknown */
	__u8 incomparable;	/* 1: the count includes another disk's or ended with the disk, kernel_ios is 0 */
	__u8 reserved;
	char model[48];
	char scheduler[16];
	__u64 unselected;	/* I/Os finished on it that no event was sent for, since the start */
	char transport[16];	/* "nvme", "sata", "loop", "dm", ...; "": unknown */
};

/* One of the devices that a disk stands on, or that there are none. */
struct iolat_disk_below {
	struct iolat_head head;
	__u32 disk;
	__u32 index;		/* 0: the list begins anew */
	__u32 count;		/* of the whole list; 0: it stands on none, and there is no name */
	char name[IOLAT_DISK_LEN];
};

/* What the kernel side lost so far, since the start of the run. */
#define IOLAT_COUNTERS 7
struct iolat_counters {
	struct iolat_head head;
	__u32 missed_known;	/* 1: the kernel tells `missed` */
	union {
		struct {
			__u64 lost;	  /* records that found the ring full */
			__u64 unmatched;  /* completions whose start was not seen */
			__u64 map_full;	  /* starts that found no room */
			__u64 backward;	  /* times that ran backwards, clamped to 0 */
			__u64 missed;	  /* runs that the kernel skipped */
			__u64 names_lost; /* TASK, DISK and NAME events that found their ring full */
			__u64 waits_lost; /* waits of tasks that no event was sent for */
		};
		__u64 all[IOLAT_COUNTERS];
	};
};

/* The parts of a latency, and buckets of them: a value below 32 has a bucket of its own; above, every
 * power of two has 32, each 1/32 of the power wide; what is longer than the last (73 min) is in the last. */
enum iolat_part {
	IOLAT_PART_TOTAL,
	IOLAT_PART_QUEUE,
	IOLAT_PART_DEVICE,
	IOLAT_PART_MAX
};
#define IOLAT_BUCKET_BITS 5
#define IOLAT_BUCKETS	  (38 << IOLAT_BUCKET_BITS)

struct iolat_bucket {
	__u16 number;		/* 0 to IOLAT_BUCKETS - 1 */
	__u16 part;		/* enum iolat_part */
	__u32 count;		/* never 0 */
};

/* I/Os of one owner, disk and operation that were counted in the kernel instead of being sent one by one. */
struct iolat_aggregate {
	struct iolat_head head;
	__u32 disk;
	__u64 start_ns;		/* since when they are counted */
	__u64 end_ns;		/* until when */
	__u64 last_ns;		/* submission of the latest */
	__u64 cgroup;
	__u32 tgid;		/* 0 unless owner is IOLAT_OWNER_TASK */
	__u32 tid;		/* 0 if it is: not known which of its threads */
	__u32 via;
	__u16 n_buckets;
	__u8 op : 4, owner : 4;
	__u8 flags;		/* enum iolat_request_flags, of those that decide where it counts */
	__u32 other;		/* 1: of any owner, disk and operation, for want of room; those are 0 */
	__u32 reserved;
	__u64 ios;		/* 0: bytes of shares only */
	__u64 bytes;
	__u64 errors;
	__u64 requeues;
	__u64 merged;
	__u64 sum_ns[IOLAT_PART_MAX];
	__u64 min_ns[IOLAT_PART_MAX];	/* ~0 and */
	__u64 max_ns[IOLAT_PART_MAX];	/* 0: none */
	struct iolat_bucket buckets[];
};

/* The last event of a recording that ended properly. */
struct iolat_end {
	struct iolat_head head;
	__u32 reserved;
	__u64 mono_ns;
};

/* What the command line and the program file of a process say. */
enum iolat_fact_flags {
	IOLAT_FACT_PYTHON = 1 << 0,	/* a Python interpreter runs it */
	IOLAT_FACT_SPAWNED = 1 << 1,	/* multiprocessing's child by "spawn" */
	IOLAT_FACT_FORKSERVER = 1 << 2,	/* multiprocessing's fork server, and what it forks */
	IOLAT_FACT_TRACKER = 1 << 3,	/* multiprocessing's resource tracker */
	IOLAT_FACT_SHELL_COMMAND = 1 << 4,	/* sh -c */
	IOLAT_FACT_LOCAL_RANK = 1 << 5,	/* `rank` is LOCAL_RANK, all that this launcher tells */
};

/* What only the host can tell of a process, once it does I/O or runs Python; may come again
 * after an exec. The last one holds. */
struct iolat_process_facts {
	struct iolat_head head;
	__u32 tgid;
	__u64 start_ns;		/* CLOCK_BOOTTIME, whole clock ticks */
	__u32 flags;		/* enum iolat_fact_flags */
	__s32 rank;		/* in its distributed job; -1: none */
	__u32 world_size;	/* ranks in all; 0: not known */
	__u32 reserved;
	__u64 slurm_job;	/* 0: none */
};

enum iolat_container_flags {
	IOLAT_CONTAINER_HELPER = 1 << 0, /* a monitor or logger beside it, not its payload */
};

/* The texts of a container event, in this order; "": not known, or not so. */
enum iolat_container_text {
	IOLAT_TEXT_RUNTIME,	/* "docker", "k8s-containerd", ...; "": in no container */
	IOLAT_TEXT_ID,
	IOLAT_TEXT_NAME,
	IOLAT_TEXT_IMAGE,
	IOLAT_TEXT_LABEL,	/* short, for people, from the path: "docker:0123456789ab" */
	IOLAT_TEXT_SOURCE,	/* the file that has the name, from the host's root */
	IOLAT_TEXT_POD_NAMESPACE,
	IOLAT_TEXT_POD_NAME,
	IOLAT_TEXT_POD_UID,	/* "": in no pod */
	IOLAT_TEXT_JOB,		/* "": in no job */
	IOLAT_TEXT_JOB_STEP,
	IOLAT_TEXT_JOB_ALIAS,	/* its other id: of Slurm's two */
	IOLAT_TEXT_MAX
};

/* Whose a cgroup is, behind the event with its path. May come again; the last one holds. */
struct iolat_container {
	struct iolat_head head;
	__u32 flags;		/* enum iolat_container_flags */
	__u64 cgroup;		/* IOLAT_CGROUP() */
	char text[];		/* enum iolat_container_text, a NUL behind each */
};

/* A cgroup was removed. */
struct iolat_cgroup_gone {
	struct iolat_head head;
	__u32 reserved;
	__u64 cgroup;		/* IOLAT_CGROUP() */
};

/* What a sleeping task had asked the kernel for. */
enum iolat_call {
	IOLAT_CALL_NONE,	/* nothing: it is in no system call, but in a page fault */
	IOLAT_CALL_OTHER,	/* nothing to do with files */
	IOLAT_CALL_READ,
	IOLAT_CALL_WRITE,
	IOLAT_CALL_SYNC,	/* fsync and its like, a write that ends with it (O_SYNC) */
	IOLAT_CALL_AIO,		/* the completion of I/O submitted before: io_getevents, io_uring_enter */
	IOLAT_CALL_PATH,	/* files by their names: open, stat, rename, execve */
	IOLAT_CALL_MAX
};

enum iolat_wait_flags {
	IOLAT_WAIT_DEEP = 1 << 0,	/* uninterruptible: state D */
	IOLAT_WAIT_IOWAIT = 1 << 1,	/* the kernel itself counts it as a wait for I/O */
	IOLAT_WAIT_OPEN = 1 << 2,	/* goes on at end_ns */
	IOLAT_WAIT_EARLIER = 1 << 3,	/* began before tracing did; start_ns is when that began */
};

/* A sleep of a traced task that may be a wait for I/O. It ends when the task is woken, not when it
 * gets a CPU again. Comes behind the requests that ended before it. */
struct iolat_wait {
	struct iolat_head head;
	__u32 tid;
	__u64 end_ns;
	__u64 start_ns;
	__u64 cgroup;		/* IOLAT_CGROUP() of the task */
	__u32 tgid;
	__u32 fs_magic;		/* statfs(2)'s f_type of the file asked for; 0: not known, or a disk itself */
	__u32 fs_major;		/* its device, and which one (see IOLAT_FS_MAJOR); 0: on none of its own, or not known */
	__u32 fs_minor;
	__u32 major_faults;	/* of the task so far, before this sleep */
	__u8 call;		/* enum iolat_call */
	__u8 flags;		/* enum iolat_wait_flags */
	__u16 reserved;
	__u64 inode;		/* of the file, or the folder that a name is looked up in; 0: not known */
};

/* A finished I/O that is not selected, but ran beside selected ones on their disk, or is a selected
 * task's own. Counts in no row. */
struct iolat_other {
	struct iolat_head head;
	__u32 disk;
	__u64 end_ns;
	__u64 queue_ns;
	__u64 device_ns;
	__u64 cgroup;
	__u32 bytes;
	__u32 tgid;
	__u32 tid;
	__u32 via;
	__u8 op : 4, owner : 4;
	__u8 flags;		/* enum iolat_request_flags */
	__u16 reserved;
	__u32 reserved2;
};

/* The state at a moment. INFLIGHT events and open WAITs follow, up to the next of these, and
 * replace the ones before. */
struct iolat_look {
	struct iolat_head head;
	__u32 inflight;		/* 1: what is in flight could be read */
	__u64 ts_ns;
};

/* A request, or a bio that has none yet, that is not complete. */
struct iolat_inflight {
	struct iolat_head head;
	__u32 disk;
	__u64 start_ns;		/* of its submission */
	__u64 issue_ns;		/* last issue to the driver, 0: not issued */
	__u64 sector;		/* ~0: none */
	__u64 cgroup;
	__u32 bytes;
	__u32 tgid;
	__u32 tid;
	__u32 via;
	__u16 part;
	__u8 op : 4, owner : 4;
	__u8 flags;
	__u32 earlier;		/* 1: it was in flight when tracing began: nothing is known of its submitter; start_ns is the
				 * kernel's stamp, or the moment when it was found, issue_ns never 0 */
};

/* A cgroup may do only so much on a disk, by its own limit or an ancestor's. 0 each: no limit (any
 * more). */
struct iolat_limit {
	struct iolat_head head;
	__u32 major;
	__u64 cgroup;		/* of the tasks that are limited */
	__u64 read_bps, write_bps, read_iops, write_iops;
	__u32 minor;
	__u32 reserved;
};

/* How iolat was called, quoted for a shell. */
struct iolat_command {
	struct iolat_head head;
	__u32 cut;		/* 1: it was longer */
	char line[1000];
};

/*
 * Files are told by their inode's number and the file system's device, as WAIT events have them. A device's number may be
 * another file system's later, so above the 12 bits of `fs_major` stands which of them it is: a number that those that
 * follow on each other at a device do not share; 0: not known.
 */
#define IOLAT_FS_MAJOR_BITS 12
#define IOLAT_FS_MAJOR(fs_major) ((fs_major) & ((1u << IOLAT_FS_MAJOR_BITS) - 1))

/* What a file is called, from the kernel's own tables: its name, its folder's, and so on upwards. A name that is too
 * long is cut. Goes to whoever knows the mounts, who makes a FILE of it; in no recording. */
#define IOLAT_DENTRY_NAMES 16
#define IOLAT_DENTRY_LEN   72
struct iolat_dentry {
	struct iolat_head head;
	__u32 tgid;		/* who used it */
	__u64 inode;
	__u32 fs_magic;
	__u32 fs_major;
	__u32 fs_minor;
	__u16 n_names;		/* 0: it is the file system's root itself */
	__u8 rooted;		/* 1: the last name lies in the file system's root */
	__u8 by_inode;		/* 1: one of its names; its user may know it by another, through an overlay */
	__u32 in_major;		/* of the file system that has the name: a disk's node has it on another */
	__u32 in_minor;
	__u32 space;		/* the mount namespace of who used it, by its inode's number; 0: not known */
	__u64 mounts;		/* another one after each change of its mounts, and in each namespace */
	char names[][IOLAT_DENTRY_LEN]; /* n_names at least, IOLAT_DENTRY_NAMES at most */
};

/* A file's path, as the process that used it first sees it; where it is mounted nowhere, its name alone. May come again;
 * the last one holds. */
struct iolat_file {
	struct iolat_head head;
	__u32 fs_major;
	__u64 inode;
	__u32 fs_minor;
	__u32 reserved;
	char path[];		/* NUL ends it */
};

/* The texts of a file system event, in this order; "": not known. */
enum iolat_fs_text {
	IOLAT_FS_TYPE,		/* "nfs4", "fuse.sshfs", ... */
	IOLAT_FS_SOURCE,	/* "server:/export", "/dev/sda1", ... */
	IOLAT_FS_POINT,		/* where the process that used it first has it mounted */
	IOLAT_FS_MAX
};

/* A file system; may come again, the last one holds. */
struct iolat_fs {
	struct iolat_head head;
	__u32 magic;		/* statfs(2)'s f_type; 0: nobody has used it, it was mounted when tracing began */
	__u32 major;		/* its device, or the number that stands for one, as WAIT has it */
	__u32 minor;
	char text[];		/* enum iolat_fs_text, a NUL behind each */
};

/* What the system calls of a traced process have read so far, since it was started: from files of all kinds, the page
 * cache, pipes and sockets (rchar and syscr of /proc/PID/io), and those of its children that have ended and that it has waited
 * for (wait_task_zombie() adds theirs). Comes again as it grows, and at its end. */
struct iolat_called {
	struct iolat_head head;
	__u32 tgid;
	__u64 ts_ns;
	__u64 read_bytes;
	__u64 reads;
	__u32 before;		/* 1: so much it was when tracing began */
	__u32 ended;		/* enum iolat_called_end */
};

enum iolat_called_end {
	IOLAT_CALLED_GOES_ON,
	IOLAT_CALLED_LAST,		/* the process ends */
	IOLAT_CALLED_CHILDS_LAST,	/* that of one which is not traced itself, but its parent is */
	IOLAT_CALLED_END_MAX
};

/* What serves a file system, by statfs(2)'s f_type: linux/magic.h, and for those that have no number there their own
 * sources. */
enum iolat_fs_kind {
	IOLAT_FS_LOCAL,		/* a disk, memory, another file system, or not known */
	IOLAT_FS_NETWORK,
	IOLAT_FS_FUSE,		/* a process, or (virtiofs) the host of a virtual machine */
};
static inline __attribute__((always_inline)) int iolat_fs_kind(__u32 magic)
{
	switch (magic) {
	case 0x65735546: /* FUSE, virtiofs */
		return IOLAT_FS_FUSE;
	case 0x00006969: /* NFS */
	case 0x0000517b: /* SMB */
	case 0xff534d42: /* CIFS */
	case 0xfe534d42: /* SMB2 */
	case 0x00c36400: /* Ceph */
	case 0x01021997: /* 9P */
	case 0x0bd00bd0: /* Lustre */
	case 0x47504653: /* GPFS */
	case 0x19830326: /* BeeGFS */
	case 0x5346414f: /* OpenAFS */
	case 0x6b414653: /* AFS */
	case 0x20030528: /* OrangeFS */
	case 0x73757245: /* Coda */
	case 0xaad7aaea: /* PanFS */
	case 0xbeefdead: /* StorNext */
	case 0x786f4256: /* VirtualBox's shared folders */
	case 0xbacbacbc: /* VMware's */
		return IOLAT_FS_NETWORK;
	}
	return IOLAT_FS_LOCAL;
}

enum iolat_mark_what {
	IOLAT_MARK_LOG,		/* a log is followed from here on; `name` is empty */
	IOLAT_MARK_START,	/* what it names begins, */
	IOLAT_MARK_INSIDE,	/* goes on, */
	IOLAT_MARK_END,		/* has ended */
	IOLAT_MARK_WHATS
};

enum iolat_mark_kind {
	IOLAT_MARK_EPOCH,
	IOLAT_MARK_STEP,
	IOLAT_MARK_NAMED,	/* by the user's pattern */
	IOLAT_MARK_KINDS
};

/* A line of the training's log. Comes when it was read, which is later than it was written. */
#define IOLAT_MARK_LEN 48
struct iolat_mark {
	struct iolat_head head;
	__u8 what;		/* enum iolat_mark_what */
	__u8 kind;		/* enum iolat_mark_kind */
	__u16 reserved;
	__u64 wall_ns;		/* CLOCK_REALTIME, the line's own stamp */
	__u64 number;		/* of the epoch or step */
	__u64 step, steps;	/* in the epoch, and of how many; 0: not told */
	char name[IOLAT_MARK_LEN];	/* "epoch 3", "step 100" */
};

/* A sample of a GPU. The processes that use it follow, and replace those before. */
#define IOLAT_GPU_UNKNOWN 0xffffffffu
struct iolat_gpu {
	struct iolat_head head;
	__u32 number;		/* from 0 on; NVIDIA's before AMD's */
	__u64 ts_ns;
	__u64 memory_used, memory_total; /* 0: not known */
	__u32 busy_pct;		/* of the time before, as the driver averages it; IOLAT_GPU_UNKNOWN */
	__u32 reserved;
	char name[64];
};

struct iolat_gpu_process {
	struct iolat_head head;
	__u32 number;		/* the GPU's */
	__u64 ts_ns;
	__u64 memory;		/* 0: not known */
	__u32 tgid;
	__u32 reserved;
};

/* What the analysis itself selects; the kernel side knows nothing of it. Before all else in a
 * recording, a kind or an entry each. */
enum iolat_select_what {
	IOLAT_SELECT_NAME,	/* a regular expression */
	IOLAT_SELECT_UID,	/* a number */
	IOLAT_SELECT_CONTAINER,
	IOLAT_SELECT_POD,
	IOLAT_SELECT_JOB,
	IOLAT_SELECT_MAX
};

struct iolat_select {
	struct iolat_head head;
	__u32 what;		/* enum iolat_select_what */
	char text[256];
};

#endif /* IOLAT_EVENT_H */
