// SPDX-License-Identifier: GPL-2.0
/*
 * The table of system calls. Architectures differ in which there are (arm64 has no open(2)), so most rows
 * are asked for by name. A call that is not here has nothing to do with files.
 */
#include "collect/calls.h"

#include <stddef.h>
#include <sys/syscall.h>

struct row {
	long number;
	__u8 call;
};

#define READS(name)	 {SYS_##name, IOLAT_CALL_READ | IOLAT_CALL_HAS_FILE}
#define WRITES(name)	 {SYS_##name, IOLAT_CALL_WRITE | IOLAT_CALL_HAS_FILE}
#define SYNCS(name)	 {SYS_##name, IOLAT_CALL_SYNC | IOLAT_CALL_HAS_FILE}
#define SYNCS_ALL(name)	 {SYS_##name, IOLAT_CALL_SYNC}
#define AWAITS(name)	 {SYS_##name, IOLAT_CALL_AIO}
#define BY_PATH(name)	 {SYS_##name, IOLAT_CALL_PATH}
#define CHANGES(name)	 {SYS_##name, IOLAT_CALL_PATH | IOLAT_CALL_HAS_FILE}

static const struct row rows[] = {
	READS(read), READS(pread64), READS(readv), READS(preadv), READS(readahead), READS(fadvise64),
	WRITES(write), WRITES(pwrite64), WRITES(writev), WRITES(pwritev),
	{SYS_sendfile, IOLAT_CALL_READ | IOLAT_CALL_HAS_FILE | IOLAT_CALL_SECOND}, READS(splice),
	{SYS_io_submit, IOLAT_CALL_READ},
	SYNCS(fsync), SYNCS(fdatasync), SYNCS(syncfs), SYNCS_ALL(sync), SYNCS_ALL(msync), SYNCS_ALL(umount2),
	AWAITS(io_getevents), CHANGES(getdents64), CHANGES(fstat), CHANGES(ftruncate), CHANGES(fallocate),
	CHANGES(flock), CHANGES(fcntl), CHANGES(lseek), CHANGES(fstatfs), CHANGES(fchmod), CHANGES(fchown),
	CHANGES(fsetxattr), CHANGES(fgetxattr), CHANGES(flistxattr), CHANGES(fremovexattr),
	BY_PATH(openat), BY_PATH(close), BY_PATH(mkdirat), BY_PATH(unlinkat), BY_PATH(linkat),
	BY_PATH(symlinkat), BY_PATH(mknodat), BY_PATH(fchownat), BY_PATH(fchmodat), BY_PATH(faccessat),
	BY_PATH(readlinkat), BY_PATH(truncate), BY_PATH(utimensat), BY_PATH(statfs), BY_PATH(execve),
	BY_PATH(execveat), BY_PATH(mount), BY_PATH(chdir), BY_PATH(fchdir), BY_PATH(getxattr),
	BY_PATH(setxattr), BY_PATH(listxattr), BY_PATH(removexattr), BY_PATH(lgetxattr), BY_PATH(lsetxattr),
	BY_PATH(llistxattr), BY_PATH(lremovexattr),
#ifdef SYS_preadv2
	READS(preadv2), WRITES(pwritev2),
#endif
#ifdef SYS_copy_file_range
	READS(copy_file_range),
#endif
#ifdef SYS_sync_file_range
	SYNCS(sync_file_range),
#endif
#ifdef SYS_io_pgetevents
	AWAITS(io_pgetevents),
#endif
#ifdef SYS_io_uring_enter
	AWAITS(io_uring_enter),
#endif
#ifdef SYS_newfstatat
	BY_PATH(newfstatat),
#endif
#ifdef SYS_statx
	BY_PATH(statx),
#endif
#ifdef SYS_renameat2
	BY_PATH(renameat2),
#endif
#ifdef SYS_renameat
	BY_PATH(renameat),
#endif
#ifdef SYS_openat2
	BY_PATH(openat2),
#endif
#ifdef SYS_open /* and the others that openat(2) and its like replaced */
	BY_PATH(open), BY_PATH(creat), BY_PATH(stat), BY_PATH(lstat), BY_PATH(access), BY_PATH(rename),
	BY_PATH(mkdir), BY_PATH(rmdir), BY_PATH(link), BY_PATH(unlink), BY_PATH(symlink), BY_PATH(readlink),
	BY_PATH(chmod), BY_PATH(chown), BY_PATH(lchown), BY_PATH(mknod), BY_PATH(utimes), CHANGES(getdents),
#endif
};

void calls_fill(struct iolat_calls *c)
{
	for (size_t i = 0; i < IOLAT_CALLS; i++)
		c->call[i] = IOLAT_CALL_OTHER;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number >= 0 && rows[i].number < IOLAT_CALLS)
			c->call[rows[i].number] = rows[i].call;
}
