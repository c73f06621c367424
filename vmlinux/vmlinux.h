/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's types as far as iolat reads them, written by hand: names and members
 * only, no offsets. The loader finds where each member is on the running kernel (CO-RE),
 * so one file serves every release and architecture. Members that some supported kernel
 * lacks are in bpf/compat.bpf.h.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
enum { false, true };

typedef int pid_t;
typedef u32 dev_t;
typedef u64 sector_t;
typedef u32 blk_opf_t;
typedef u32 req_flags_t;
typedef struct {
	int counter;
} atomic_t;
typedef struct {
	u32 val;
} kuid_t;

/* UAPI */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
};
enum {
	BPF_F_NO_PREALLOC = 1,
};
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
};

/* cgroups */
struct kernfs_node {
	u64 id;
	void *priv;
};
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};
struct cgroup {
	struct cgroup_subsys_state self;
	int level;
	struct kernfs_node *kn;
	struct cgroup_subsys_state *subsys[16];
};
struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp;
};
enum cgroup_subsys_id {
	io_cgrp_id = 3,
	memory_cgrp_id = 4,
};
struct mem_cgroup {
	struct cgroup_subsys_state css;
};
struct blkcg {
	struct cgroup_subsys_state css;
};
struct blkcg_gq {
	struct blkcg *blkcg;
};

/* tasks */
struct pid_namespace;
struct upid { /* whole: a step in an array of them is as long as this says */
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
struct cred {
	kuid_t uid;
};
struct task_io_accounting {
	u64 rchar;
	u64 syscr;
};
struct signal_struct {
	atomic_t live;
	struct task_io_accounting ioac;
};
struct mm_struct;
struct ns_common {
	unsigned int inum;
};
struct mnt_namespace {
	struct ns_common ns;
	u64 event;
};
struct nsproxy {
	struct mnt_namespace *mnt_ns;
};
struct qstr {
	u64 hash_len;
	const unsigned char *name;
};
struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct super_block *d_sb;
};
struct path {
	struct dentry *dentry;
};
struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags;
	void *private_data;
};
struct nameidata {
	struct path path;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct task_struct {
	void *stack;
	unsigned int flags;
	pid_t pid;
	pid_t tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	u64 start_time;
	u64 start_boottime;
	struct mm_struct *mm;
	const struct cred *cred;
	char comm[16];
	struct signal_struct *signal;
	struct bio_list *bio_list;
	struct css_set *cgroups;
	unsigned in_iowait : 1;
	struct task_io_accounting ioac;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long maj_flt;
	struct files_struct *files;
	struct nameidata *nameidata;
	struct nsproxy *nsproxy;
};

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
struct bpf_map;
struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key;
	void *value;
};
struct pt_regs;

/* work queues */
struct workqueue_struct {
	char name[32];
};
struct pool_workqueue {
	struct workqueue_struct *wq;
};
struct worker {
	struct pool_workqueue *current_pwq;
};
struct kthread {
	void *data;
};

/* memory */
struct page {
	struct address_space *mapping;
};
struct backing_dev_info {
	u64 id;
};
struct super_block {
	dev_t s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
	struct backing_dev_info *s_bdi;
};
struct inode {
	u16 i_mode;
	unsigned int i_flags;
	dev_t i_rdev;
	unsigned long i_ino;
	u32 i_generation;
	struct address_space *i_mapping;
	struct hlist_head i_dentry;
	struct super_block *i_sb;
	struct bdi_writeback *i_wb;
	void *i_private;
};
enum pageflags {
	PG_locked = 0,
	PG_writeback = 1,
	PG_swapcache = 10,
	PG_swapbacked = 17,
};
struct address_space {
	struct inode *host;
};
struct bdi_writeback {
	struct cgroup_subsys_state *memcg_css;
};

/* the block layer */
struct kobject {
	const char *name;
};
struct device {
	struct kobject kobj;
};
struct blk_mq_ops;
struct blk_mq_tags {
	unsigned int nr_tags;
	struct request **rqs;
};
struct blk_mq_tag_set {
	unsigned int nr_hw_queues;
	unsigned int queue_depth;
	struct blk_mq_tags **tags;
};
struct request_queue {
	const struct blk_mq_ops *mq_ops;
	struct blk_mq_tag_set *tag_set;
};
struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
	struct request_queue *queue;
};
struct block_device {
	dev_t bd_dev;
	struct gendisk *bd_disk;
};
struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
};
struct bio_vec {
	struct page *bv_page;
};
struct bio {
	struct bio *bi_next;
	blk_opf_t bi_opf;
	struct bvec_iter bi_iter;
	u8 bi_status;
	void *bi_private;
	struct blkcg_gq *bi_blkg;
	struct bio_vec *bi_io_vec;
};
enum mq_rq_state {
	MQ_RQ_IN_FLIGHT = 1,
};
struct request {
	struct request_queue *q;
	blk_opf_t cmd_flags;
	req_flags_t rq_flags;
	unsigned int __data_len;
	sector_t __sector;
	struct bio *bio;
	struct bio *biotail;
	u64 start_time_ns;
	u64 io_start_time_ns;
	enum mq_rq_state state;
};

enum req_flag_bits {
	__REQ_SYNC = 11,
	__REQ_META = 12,
	__REQ_PREFLUSH = 18,
	__REQ_RAHEAD = 19,
};

#pragma clang attribute pop

#endif /* __VMLINUX_H__ */
