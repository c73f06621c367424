/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a renderer gets: one frame or the whole run as plain data, nothing else needed.
 * Made by stats/run.c, read by render/. All pointers belong to the
 * maker and are valid until the renderer returns; NULL where the contract says null.
 */
#ifndef IOLAT_STATS_SNAPSHOT_H
#define IOLAT_STATS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attrib/entity.h"
#include "stats/hist.h"
#include "stats/timeline.h"

enum snapshot_type { SNAPSHOT_INTERVAL, SNAPSHOT_ASKED, SNAPSHOT_SUMMARY };

/* Row keys; the order of the enum is the order of the objects in JSON and CSV. */
enum row_key {
	BY_PROCESS,
	BY_THREAD,
	BY_WORKER,
	BY_CGROUP,
	BY_CONTAINER,
	BY_POD,
	BY_JOB,
	BY_DEVICE,
	BY_OP,
	BY_FILE,
	BY_FS,
	BY_HOST,
	BY_MAX
};
const char *row_key_name(enum row_key key);	/* "process", ...: as in --by */

struct by {
	enum row_key keys[BY_MAX];	/* as the user gave them */
	size_t n;
	unsigned int mask;		/* bit a key */
};
static inline bool by_has(const struct by *by, enum row_key key)
{
	return by->mask & (1u << key);
}

/* The objects a row stands for; NULL for what is not in `by` and for "null". */
struct row_subject {
	const struct process *process;
	const struct thread *thread;
	const struct worker *worker;
	const struct cgroup *cgroup;
	const struct container *container;
	const struct pod *pod;
	const struct job *job;
	const struct disk *disk;
	enum iolat_op op;
	const struct file *file;
	const struct fs *fs;
	const char *host;
};

struct row {
	struct row_subject subject;
	const char *owner_from;		/* "task", "bio", "page", NULL: the step of most of its I/Os */
	const char *via;		/* for a null process, or NULL */
	const struct container *container;	/* the one that all of it was in, or NULL */
	bool copy;			/* made by a device above, where such rows are kept apart */
	uint64_t ios, bytes, errors, requeues, merged;
	uint64_t waits;			/* of `ios`: waits for a file system without a disk, whose bytes are not known */
	bool random_known;		/* false: fewer than two requests to compare */
	double random_pct;
	struct hist total;		/* always; count 0 only when ios is 0 */
	struct hist queue;		/* count 0: null */
	struct hist device;		/* count 0: null */
	struct hist size;		/* bytes of a request */
};

/* One finished I/O, for who wants each. */
struct request {
	struct row_subject subject;
	const char *owner_from, *via;	/* as of a row */
	uint64_t start_wall_ns;		/* its submission */
	uint64_t start_ns;		/* the same from the run's start */
	uint64_t bytes, sector;
	uint64_t total_ns, queue_ns, device_ns;
	bool has_sector;
	bool has_parts;			/* queue_ns and device_ns are known */
	bool issued;			/* it came to the driver: device_ns is known */
	unsigned int merged, requeues, error;	/* error: errno, 0: none */
	unsigned int flags;		/* enum iolat_request_flags */
};

/* A task's wait, or a part of one, for who wants each. */
struct task_wait {
	const struct process *process;
	const struct thread *thread;
	int reason;			/* enum wait_reason */
	uint64_t start_wall_ns, ns;
};

struct hook {
	const char *name;
	bool attached, required;
};

struct coverage_disk {
	const struct disk *disk;
	bool kernel_known;
	uint64_t kernel;	/* the kernel's own count over the run */
	uint64_t seen;
};

/* What was counted, and what was not (tally_words says what each is, in this order). */
#define TALLY_NUMBERS 10
struct tally {
	union {
		struct {
			uint64_t requests, lost, aggregated, unmatched, unowned, map_full, backward, missed, names_lost,
				waits_lost;
		};
		uint64_t all[TALLY_NUMBERS];
	};
};

struct coverage {
	struct tally tally;
	bool missed_known;
	const struct coverage_disk *disks;
	size_t n_disks;
};

/* How a number of struct tally is told; coverage.c has them. */
struct tally_word {
	const char *name;	/* in JSON */
	const char *word;	/* elsewhere */
	const char *what;	/* a fragment of a sentence */
	bool always;		/* the completeness line has it even if it is 0 */
	bool trouble;		/* more than 0 is bad news */
};
extern const struct tally_word tally_words[TALLY_NUMBERS];

bool tally_known(const struct coverage *c, size_t i); /* the kernel does not always tell `missed` */

/* Why a task waited. */
enum wait_reason {
	REASON_DISK,
	REASON_THROTTLE,	/* held back by its cgroup's limit, before the disk */
	REASON_NETWORK_FS,
	REASON_FUSE,
	REASON_PAGE_FAULT,
	REASON_OTHER,
	REASON_MAX
};
const char *reason_name(enum wait_reason reason);	/* "disk", ... */
const char *reason_says(enum wait_reason reason);	/* the task slept ... */

struct task {
	struct row_subject subject;	/* disk and op mean nothing here */
	uint64_t wall_ns;		/* of its life in the frame's time */
	uint64_t blocked_ns;		/* the reasons together */
	uint64_t reasons[REASON_MAX];
};

enum stage { STAGE_QUEUE, STAGE_DEVICE, STAGE_BEFORE_REQUEST };

/* An I/O that is not complete, or a task that waits for one that cannot be seen. */
struct stuck {
	struct row_subject subject;	/* process NULL: not a user task's, but via's, */
	const char *via;		/* or, without that, it is not known whose */
	enum stage stage;
	bool inferred;			/* from a sleeping task; sector and bytes are not known */
	bool has_sector;
	uint64_t sector, bytes, age_ns;
};

#define FINDING_TEXT	 320
#define FINDING_EVIDENCE 12
#define FINDING_FILES	 3

struct finding {
	const char *code;
	char subject[160];
	char text[FINDING_TEXT];
	struct {
		const char *key;
		const char *text; /* NULL: the value */
		double value;
	} evidence[FINDING_EVIDENCE];
	size_t n_evidence;
	struct {
		const struct file *file;
		uint64_t wait_ns;
	} files[FINDING_FILES]; /* where was waited longest */
	size_t n_files;
};

/* A process in a phase, by the one of its tasks that waited longest. */
struct phase_worker {
	const struct process *process;
	const struct worker *worker;	/* NULL: none */
	uint64_t wall_ns, blocked_ns;
};

/* A part of the run, by the training's log. */
struct phase {
	const char *name;		/* "epoch 3" */
	uint64_t start_wall_ns, end_wall_ns, duration_ns;
	bool open;			/* goes on */
	uint64_t ios, bytes;
	bool reread_known;
	uint64_t reread_bytes;		/* read before in this run */
	uint64_t p50_ns, p99_ns;	/* mean nothing while ios is 0 */
	bool blocked_known;
	double blocked_pct;		/* of the time of `workers` */
	const struct phase_worker *workers;	/* a loader's, or else the processes that waited */
	size_t n_workers;
};

struct gpu_process {
	const struct process *process;
	uint64_t memory;		/* 0: not known */
};

struct gpu_period;

struct gpu {
	uint32_t number;
	char name[64];
	bool busy_known;
	uint64_t sampled;		/* ns of the frame that busy_pct is of; 0: no sample fell into it */
	double busy_pct;
	uint64_t memory_used, memory_total;	/* 0: not known */
	/* Of the time that was compared with the waits of its workers: idle, and of that, waited for I/O. */
	uint64_t compared_ns, idle_ns, starved_ns;
	const struct gpu_process *processes;
	size_t n_processes;
	const struct gpu_period *samples;	/* of the whole run; stats/gpus.h */
	size_t n_samples;
};

enum snapshot_clock { CLOCK_UNKNOWN, CLOCK_FREE, CLOCK_SYNCHRONIZED };

struct snapshot {
	enum snapshot_type type;
	const char *host, *kernel;
	uint64_t start_wall_ns, end_wall_ns, duration_ns;
	uint64_t start_ns;		/* the start by CLOCK_MONOTONIC */
	enum snapshot_clock clock;	/* whether something keeps the wall clock right */
	const struct by *by;
	bool bio_submission;
	const struct hook *hooks;
	size_t n_hooks;
	struct coverage coverage;
	const struct row *const *rows;	/* in no order */
	size_t n_rows;
	bool waits;			/* tasks' waits are traced */
	const struct task *tasks;	/* those that were blocked the longest first */
	size_t n_tasks;
	bool stuck_known;		/* what is in flight could be read */
	uint64_t stuck_ns;		/* from what age on */
	const struct stuck *stuck;	/* the oldest first */
	size_t n_stuck;
	size_t n_flying;		/* with those behind `stuck` that are younger, if the run lists them */
	bool phases_known;		/* a log was given */
	const struct phase *phases;	/* in the order of time */
	size_t n_phases;
	const struct gpu *gpus;		/* none: there is no GPU, or nothing is known of any */
	size_t n_gpus;
	bool findings_known;
	const struct finding *findings;	/* the most important first */
	size_t n_findings;
	const char *command;		/* how the tracing iolat was called, or NULL */
	const struct timeline *timeline;	/* of the whole run; NULL: not asked for */
};

#endif
