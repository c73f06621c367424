/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every map, and what one entry means. Sizes here are defaults; user space sets them
 * before loading. Weak, so that each object file of a variant may include this.
 */
#ifndef IOLAT_MAPS_BPF_H
#define IOLAT_MAPS_BPF_H

#include "compat.bpf.h"
#include "iolat/aggregate.h"
#include "iolat/event.h"

/* Who submitted, decided once at submission and kept. */
struct owner {
	u64 pid_tgid;	/* of the submitter, kernel threads too */
	u64 cgroup;	/* IOLAT_CGROUP(), 0: none */
	u32 via;	/* work queue, 0: none */
	u8 from;	/* enum iolat_owner */
	u8 copy;	/* made by the device that `via` names */
	u8 selected;
	u8 throttled;	/* held back by a cgroup's limit until now */
};

/* A request between its start and its end. */
struct flight {
	u64 rq;		/* the request's address; 0: the slot is free */
	u64 start_ns;
	u64 issue_ns;	/* last issue, 0: not issued */
	struct owner owner;
	u32 bytes;	/* of the parts completed so far */
	u16 merged;
	u8 requeues;
	u8 op;		/* enum iolat_op */
	u8 flags;	/* enum iolat_request_flags */
	u8 shared;	/* some of its bios are others' */
	u8 in_place;	/* its bios are those of the device above, not copies of them */
	u8 reserved[5];
};

/* Requests that were in flight when tracing began, by their address; in none of the tables of those that were seen starting.
 * start_ns is the kernel's own stamp where there is one. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct flight);
} iolat_earlier SEC(".maps") __weak;

/* Whether there ever was any. */
u32 had_earlier __weak = 0;

/* A bio between entering the block layer and its request. */
struct arrival {
	u64 bio;	/* 0: the slot is free */
	u64 start_ns;
	u32 above;	/* iolat_name.id of the device that passed it on, 0: none */
	u32 in_place;	/* ... and it is that device's own bio */
	u64 pid_tgid;	/* of the submitter */
};

/* An I/O of a device that has no requests, from its bio's entering to its end. */
struct bio_flight {
	u64 bio;	/* 0: the slot is free */
	u64 start_ns;
	u64 sector;
	struct owner owner;	/* `selected` says all but the latency */
	u32 bytes;
	u32 disk;
	u32 name;	/* iolat_name.id of the disk */
	u32 pieces;	/* passed on in place: not finished ones, the bio itself counts */
	u16 part;
	u8 op;		/* enum iolat_op */
	u8 flags;	/* enum iolat_request_flags */
	u32 reserved;
};

/* A device without requests that has done I/O. */
struct layer {
	u32 number;	/* of the disk */
	u32 name;	/* iolat_name.id, 0: not announced yet */
};

/* The owner of a bio whose request does not tell: merged into another one's request, or (before
 * block_io_start) waiting to be found through its request's first bio. */
struct bio_owner {
	struct owner owner;
	u64 start_ns;
	u8 first;	/* its request was made for it, to do this: */
	u8 op;		/* enum iolat_op */
	u8 flags;	/* enum iolat_request_flags */
	u8 in_place;	/* as in struct flight */
	u8 reserved[4];
};

/*
 * Requests and arrivals live in direct-mapped slots by the hash of their address; what finds its
 * slot taken goes to a hash map. Claiming a slot needs an atomic exchange; without it everything
 * goes to the hash maps.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct flight);
} iolat_flights SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct flight);
} iolat_flights2 SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct arrival);
} iolat_bios SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct arrival);
} iolat_bios2 SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u64); /* the bio's address */
	__type(value, struct bio_owner);
} iolat_owners SEC(".maps") __weak;

#define BIO_FLIGHT_SLOTS 4096
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BIO_FLIGHT_SLOTS);
	__type(key, u32);
	__type(value, struct bio_flight);
} iolat_bflights SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct bio_flight);
} iolat_bflights2 SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, u32); /* its dev_t */
	__type(value, struct layer);
} iolat_layers SEC(".maps") __weak;

/* Whether there is any in iolat_layers: on most hosts nothing has to be looked up. */
u32 layered __weak = 0;

/* Finished requests, many; and everything else, few. Apart, so that a flood of requests
 * cannot cost a name. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} iolat_requests SEC(".maps") __weak;

/* On machines with many CPUs, several rings instead of iolat_requests: their CPUs would wait for each
 * other's turn at one. */
struct request_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct request_ring);
} iolat_rings SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} iolat_facts SEC(".maps") __weak;

/* Selected processes, by tgid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct iolat_task_entry);
} iolat_tasks SEC(".maps") __weak;

/* Disks that have been announced: the number of the last one, by its low bits. */
#define ANNOUNCED_DISKS 4096
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ANNOUNCED_DISKS);
	__type(key, u32);
	__type(value, u32);
} iolat_disks SEC(".maps") __weak;

/* Work queues and devices that have been announced: their number and name, mixed up. They come and go,
 * and a queue's number may come again under another name. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u64);
} iolat_names SEC(".maps") __weak;

/* Finished I/Os that the selection left out, by disk number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, struct iolat_unselected);
} iolat_unselect SEC(".maps") __weak;

/*
 * Waits of tasks; unless they are traced, each of these has one entry. Traced tasks that are asleep, by tid.
 * Preallocated: sched_switch runs with the run queue locked, where no memory can be had.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, u32);
	__type(value, struct iolat_wait);
} iolat_sleeps SEC(".maps") __weak;

/* The file that a task is about to wait for, where no system call tells, by the low bits of its tid: the last one of
 * these that used it. */
#define NOTED_FILES 4096
struct noted {
	u32 tid;
	u32 slept;	/* it has waited for this file already */
	u64 inode;	/* its address */
	u64 switches;	/* of the task until then */
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NOTED_FILES);
	__type(key, u32);
	__type(value, struct noted);
} iolat_noted SEC(".maps") __weak;

/* Which file something is for. */
struct file_ref {
	u64 inode;	/* its number */
	u32 fs_magic;
	u32 fs_major;
	u32 fs_minor;
	u8 of;		/* enum iolat_request_of */
	u8 reserved[3];
};

/* The files of requests and bios in flight, by their address; unless files are told, this has one entry. What is
 * left over makes way. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct file_ref);
} iolat_files SEC(".maps") __weak;

/* Files whose names have been told: below, which file that was, above, by which name. One of another file makes way. */
#define TOLD_BITS 14
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << TOLD_BITS);
	__type(key, u32);
	__type(value, u64);
} iolat_told SEC(".maps") __weak;

/* When a disk last did a selected I/O, by the low bits of its number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ANNOUNCED_DISKS);
	__type(key, u32);
	__type(value, u64);
} iolat_watched SEC(".maps") __weak;

/* One entry, to be walked over; to iolat_find_earlier it says which file of the reader's. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} iolat_once SEC(".maps") __weak;

const volatile struct iolat_calls calls __weak = {};
extern struct iolat_marks marks; /* in task.bpf.c: of weak data, each object file's copy takes its room */
struct iolat_losses losses __weak = {};

/* Entries that the hash maps beside slots ever got. */
u64 spilled __weak = 0;

#define count(what) __sync_fetch_and_add(&losses.what, 1)

#endif /* IOLAT_MAPS_BPF_H */
