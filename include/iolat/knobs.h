/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What user space tells the kernel side: written into the object's read-only
 * data before loading, so that the verifier drops what is switched off, plus the
 * counters that come back. The other direction is event.h.
 */
#ifndef IOLAT_KNOBS_H
#define IOLAT_KNOBS_H

#define IOLAT_MAX_FILTERS 16	/* cgroups and disks that the kernel side can select */

/* A cgroup and everything below it: `id` stands at `level` of its path. */
struct iolat_cgroup_filter {
	__u64 id;
	__u32 level;		/* 0: the root */
	__u32 tree;		/* enum iolat_tree */
};

/* A disk (part 0) or one of its partitions; or, if there is a name, the disk of that name: paths of an NVMe
 * multipath disk may have no numbers. */
struct iolat_disk_filter {
	__u32 major;
	__u32 minor;
	__u32 part;
	__u32 reserved;
	char name[32];		/* DISK_NAME_LEN, zeros behind the end */
};

struct iolat_knobs {
	/* Positions of tracepoint arguments, found in BTF: the request_queue
	 * argument before them left in 5.11 and was backported to 5.10.137. */
	__u8 arg_rq;		/* block_rq_issue, _requeue, _merge */
	__u8 arg_bio;		/* block_bio_queue, _backmerge, _frontmerge, block_getrq */
	__u8 errno_status;	/* block_rq_complete: errno (before 5.16) or blk_status_t */
	__u8 flush_seq_bit;	/* of RQF_FLUSH_SEQ: 4 until 6.11, then an enumerator */
	__u8 has_io_start;	/* block_io_start (6.5) names a request's submitter */
	__u8 has_bio_queue;	/* block_bio_queue is attached */
	__u8 blkio_v1;		/* cgroups come from the v1 blkio tree */
	__u8 memory_v1;		/* the memory controller is a v1 tree */
	__u32 slot_mask;	/* slots of the in-flight tables - 1; table sizes are powers of two */

	/* Selection; all that are on must hold. */
	__u8 by_task;		/* the owner is in iolat_tasks */
	__u8 no_children;	/* ... which do not hand it on at fork */
	__u8 op_mask;		/* bit an op; 0: all */
	__u8 n_cgroups;		/* 0: all */
	__u8 n_disks;		/* 0: all */
	__u8 aggregate_only;	/* every request is counted in the kernel, none is sent */

	/* Waits of tasks. */
	__u8 waits;		/* on */
	__u8 has_prev_state;	/* sched_switch tells the state of the task that leaves (5.18) */
	__u8 has_swap;		/* requests may be for swap */

	__u8 files;		/* the file of each request is told */
	__u8 coarse;		/* what is counted in the kernel is counted as struct iolat_coarse_value says */
	__u8 reserved[5];
	__u64 min_latency_ns;
	struct iolat_cgroup_filter cgroups[IOLAT_MAX_FILTERS];
	struct iolat_disk_filter disks[IOLAT_MAX_FILTERS];
	__u32 n_rings;		/* for requests: a CPU uses the one of its number modulo this */
	__u32 thread_size;	/* of a kernel stack */
};

/* System calls by number: what each is (enum iolat_call), and whether its first argument is a file, or its second. */
#define IOLAT_CALLS 512
#define IOLAT_CALL_HAS_FILE 0x80
#define IOLAT_CALL_SECOND   0x40 /* with the above */
#define IOLAT_CALL_WHAT(call) ((call) & 0x3f)
struct iolat_calls {
	__u8 call[IOLAT_CALLS];
};

/* How many processes with such a tgid are selected, and tasks with such a tid asleep: what is at 0
 * needs no look into a map. By the low bits. */
#define IOLAT_MARKS 16384
struct iolat_marks {
	__u32 selected[IOLAT_MARKS];
	__u32 asleep[IOLAT_MARKS];
	__u32 telling;		/* raised: what files are called is told anew */
	__u32 reserved;
};

/* Counters that the programs add to and user space reads (one instance, in .bss). */
struct iolat_losses {
	__u64 lost;		/* struct iolat_counters has their meaning */
	__u64 unmatched;
	__u64 map_full;
	__u64 backward;
	__u64 names_lost;
	__u64 aggregated;	/* additions to the table of aggregate.h; not counted with knobs.coarse */
	__u64 waits_lost;
};

/* iolat_tasks: a process that is selected, by tgid. */
struct iolat_task_entry {
	__u64 start_ns;		/* which process of that pid; 0: any */
};

/* iolat_unselected: finished I/Os that no event was sent for, by disk number. */
struct iolat_unselected {
	__u64 ios;
};

#endif /* IOLAT_KNOBS_H */
