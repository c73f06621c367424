/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files and file systems by their numbers, and what they are called. Made by whoever meets one, named by FILE
 * and FS events, which may come before or after.
 */
#ifndef IOLAT_ATTRIB_FILES_H
#define IOLAT_ATTRIB_FILES_H

#include "attrib/entity.h"
#include "attrib/lru.h"

enum files_limits {
	FILES_KEPT = 12000, /* more than rows; the longest unused goes */
	SYSTEMS_KEPT = 1024,
};

/* A file system's device as one number, with which of those that had it. */
#define FS_DEV(major, minor) ((uint64_t)(major) << 32 | (minor))

struct known_fs {
	struct lru_node node;
	uint64_t dev;
	struct fs pub;
	char *text;	/* owned; pub's texts are in it */
	unsigned int refs;
};

struct file_key {
	uint64_t dev;	/* FS_DEV() */
	uint64_t inode;
};

struct known_file {
	struct lru_node node;
	struct file_key key;
	struct file pub;
	char *path;	/* owned */
	unsigned int refs;
};

struct files {
	struct lru files;
	struct lru systems;
};

void files_init(struct files *t);
void files_free(struct files *t);

/* Made when it is new; NULL: out of memory. */
struct known_fs *files_system(struct files *t, uint64_t dev);
struct known_file *files_get(struct files *t, const struct file_key *key);

/* What an I/O is for, if it can be told and is no file: "(direct)" and its like, one for all file systems. */
struct known_file *files_special(struct files *t, enum iolat_request_of of);

/* 0 or -ENOMEM. */
int files_fs(struct files *t, const struct iolat_fs *e);
int files_file(struct files *t, const struct iolat_file *e);

void known_fs_ref(struct known_fs *fs); /* NULL is nobody, also for the others */
void known_fs_unref(struct known_fs *fs);
void known_file_ref(struct known_file *f);
void known_file_unref(struct known_file *f);

#endif
