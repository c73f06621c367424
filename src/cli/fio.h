/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fio, run for a few seconds to see what a disk can do. It only ever reads: existing files, or a scratch file that has
 * no name any more when fio gets it.
 */
#ifndef IOLAT_CLI_FIO_H
#define IOLAT_CLI_FIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIO_FILES  32
#define FIO_REASON 160

/* What is read. */
struct fio_target {
	char *names[FIO_FILES];	/* owned */
	size_t n;
	uint64_t bytes;		/* together */
	int scratch;		/* the scratch file's descriptor, -1: none */
};

/* A way of reading: so many readers at a time, each with one request. */
struct fio_job {
	bool random;
	uint64_t block;
	unsigned int readers;
};

struct fio_result {
	bool direct;		/* false: it could only be read through the page cache */
	double iops, bytes_per_s;
	uint64_t p50_ns, p99_ns;
};

/* Files at or below `path` that are worth reading, else a scratch file there. 0, or -errno with the reason in `why`. */
int fio_target_make(struct fio_target *t, const char *path, char why[FIO_REASON]);
void fio_target_free(struct fio_target *t);

/* Takes about two seconds. 0, -ENOENT: fio is not installed, or -errno with the reason in `why`. */
int fio_run(const struct fio_target *t, const struct fio_job *job, struct fio_result *out, char why[FIO_REASON]);

/* What its output (JSON) says; for fio_run() and tests. 0 or -EBADMSG. */
int fio_parse(const char *text, size_t len, struct fio_result *out, char why[FIO_REASON]);

#endif
