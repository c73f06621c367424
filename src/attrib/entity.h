/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The things that I/O belongs to, as the analysis knows them. Owned by attrib/model.c;
 * strings are raw (any byte may stand in them) until a renderer cleans them.
 */
#ifndef IOLAT_ATTRIB_ENTITY_H
#define IOLAT_ATTRIB_ENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "attrib/role.h"
#include "iolat/wire.h"

struct process {
	uint32_t pid;
	uint32_t ppid;
	uint32_t ns_pid;	/* pid in its own namespace, 0: not known */
	uint32_t uid;		/* ~0: not known */
	uint64_t start_ns;	/* CLOCK_BOOTTIME, 0: not known */
	bool comm_known;
	char comm[IOLAT_COMM_LEN];	/* of the thread-group leader */
	enum role role;
	bool rank_known;	/* in a distributed job */
	uint32_t rank;
	uint32_t world_size;	/* 0: not known */
	bool index_known;	/* a worker's, see struct worker */
	uint32_t index;
	uint32_t gpus;		/* bit a GPU that it uses, of the first 32 */
};

/* One place in a loader: the processes that held it one after the other, epoch by epoch. */
#define WORKER_NAME_LEN 32
struct worker {
	uint32_t index;		/* by creation among those that the loader made together */
	bool rank_known;
	uint32_t rank;
	uint32_t pid;		/* of the latest */
	enum role role;		/* of the latest */
	char name[WORKER_NAME_LEN];	/* for people: "w2", "rank 1 w2" */
};

struct thread {
	uint32_t tid;
	bool comm_known;
	char comm[IOLAT_COMM_LEN];
};

struct cgroup {
	uint64_t key;		/* IOLAT_CGROUP() */
	const char *path;	/* NULL: not resolved */
};

struct container {
	const char *runtime;	/* "docker", "k8s-containerd", ... */
	const char *id;
	const char *name;	/* NULL: not known */
	const char *image;	/* NULL: not known */
	const char *label;	/* short, for people, where there is no name */
	const char *source;	/* the host's file that has the name; NULL: none */
	bool helper;		/* a monitor or logger beside the container */
};

struct pod {
	const char *space;	/* its namespace; NULL: not known, as the name */
	const char *name;
	const char *uid;
};

struct job {
	const char *id;
	const char *step;	/* NULL: none */
	const char *alias;	/* another id of it; NULL: none */
};

struct disk {
	uint32_t number;	/* as in events */
	uint64_t diskseq;	/* the kernel's, cut to 31 bits; 0: it has none (before 5.15) */
	uint32_t major, minor;
	char name[IOLAT_DISK_LEN];	/* never empty: "major:minor" where the kernel tells none */
	bool facts_known;	/* the rest is from sysfs */
	bool accounted;		/* the kernel counts its I/O */
	bool incomparable;	/* ... together with that of the disk before it */
	int rotational;		/* 0, 1, -1: not known */
	uint32_t nr_requests;	/* 0: not known */
	char model[48];		/* "": none */
	char scheduler[16];
	char transport[16];	/* "": not known */
	bool below_known;
	uint32_t n_below;	/* devices that it stands on */
	char (*below)[IOLAT_DISK_LEN];
};

/* A file system, wherever it is mounted. */
struct fs {
	uint64_t id;		/* another one for each */
	uint32_t major, minor;
	uint32_t magic;		/* 0: not known */
	const char *type;	/* NULL each: not known */
	const char *source;
	const char *point;	/* where the process that used it first has it mounted */
};

struct file {
	const char *path;	/* NULL: not known */
	uint64_t inode;		/* 0: none */
};

#endif
