// SPDX-License-Identifier: GPL-2.0
/* Chooses what is read. A scratch file loses its name before it is written, so that nothing is left however this ends. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/fio.h"

#define ENOUGH_BYTES  (64ull << 20) /* less is in the caches of some disks themselves */
#define SCRATCH_BYTES (256ull << 20)
#define SMALL_FILE    (1 << 20)
#define VISITS_MAX    20000 /* entries looked at */
#define DEPTH_MAX     8

/* --- files that there are ---------------------------------------------------------------- */

static void add_file(struct fio_target *t, const char *name, uint64_t size)
{
	if (t->n == FIO_FILES || size < SMALL_FILE || access(name, R_OK))
		return;
	t->names[t->n] = strdup(name);
	if (!t->names[t->n])
		return;
	t->n++;
	t->bytes += size;
}

static bool is_enough(const struct fio_target *t, unsigned int visits)
{
	return t->n == FIO_FILES || visits > VISITS_MAX;
}

/* Links are not followed, and other file systems not entered: this is about the disk below the path. */
static void look_into(struct fio_target *t, const char *folder, dev_t dev, unsigned int depth, unsigned int *visits)
{
	AUTO_DIR DIR *dir = opendir(folder);
	struct dirent *e;
	char name[4096];
	struct stat st;

	while (dir && !is_enough(t, *visits) && (e = readdir(dir))) {
		++*visits;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (size_t)snprintf(name, sizeof(name), "%s/%s", folder, e->d_name) >= sizeof(name) ||
		    lstat(name, &st) || st.st_dev != dev)
			continue;
		if (S_ISREG(st.st_mode) && (uint64_t)st.st_blocks * 512 >= (uint64_t)st.st_size)
			add_file(t, name, (uint64_t)st.st_size);
		else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			look_into(t, name, dev, depth + 1, visits);
	}
}

/* --- a scratch file ------------------------------------------------------------------------ */

static int fill(int fd, uint64_t size)
{
	AUTO_FREE char *block = malloc(SMALL_FILE);
	int err = 0;

	if (!block)
		return -ENOMEM;
	for (size_t at = 0; at < SMALL_FILE; at += 256)
		if (getrandom(block + at, 256, 0) != 256)
			return -EIO;
	for (uint64_t at = 0; !err && at < size; at += SMALL_FILE) {
		ssize_t n = write(fd, block, SMALL_FILE);

		err = n == SMALL_FILE ? 0 : n < 0 ? -errno : -ENOSPC;
	}
	return err ?: fdatasync(fd) ? -errno : 0;
}

/* No more than a quarter of what is free. */
static uint64_t scratch_size(const char *folder)
{
	struct statvfs v;
	uint64_t quarter;

	if (statvfs(folder, &v))
		return 0;
	quarter = (uint64_t)v.f_bavail * v.f_frsize / 4;
	return (quarter < SCRATCH_BYTES ? quarter : SCRATCH_BYTES) & ~(uint64_t)(SMALL_FILE - 1);
}

static int open_scratch(const char *folder)
{
	char name[4096];
	int fd;

	if ((size_t)snprintf(name, sizeof(name), "%s/.iolat-XXXXXX", folder) >= sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

static int make_scratch(struct fio_target *t, const char *folder, char why[FIO_REASON])
{
	uint64_t size = scratch_size(folder);
	char name[64];
	int err;

	if (size < SCRATCH_BYTES / 16) {
		snprintf(why, FIO_REASON, "no files to read, and too little room for one");
		return -ENOSPC;
	}
	t->scratch = open_scratch(folder);
	err = t->scratch < 0 ? t->scratch : fill(t->scratch, size);
	if (err) {
		snprintf(why, FIO_REASON, "no files to read, and none can be written: %s", strerror(-err));
		return err;
	}
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)getpid(), t->scratch);
	t->names[0] = strdup(name);
	t->n = t->names[0] ? 1 : 0;
	t->bytes = size;
	return t->n ? 0 : -ENOMEM;
}

/* --- either ----------------------------------------------------------------------------------- */

void fio_target_free(struct fio_target *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->names[i]);
	if (t->scratch >= 0)
		close(t->scratch);
	*t = (struct fio_target){.scratch = -1};
}

int fio_target_make(struct fio_target *t, const char *path, char why[FIO_REASON])
{
	unsigned int visits = 0;
	struct stat st;

	*t = (struct fio_target){.scratch = -1};
	if (stat(path, &st)) {
		snprintf(why, FIO_REASON, "%s", strerror(errno));
		return -errno;
	}
	if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) {
		t->names[0] = strdup(path);
		t->n = t->names[0] ? 1 : 0;
		t->bytes = (uint64_t)st.st_size;
		return t->n ? 0 : -ENOMEM;
	}
	look_into(t, path, st.st_dev, 0, &visits);
	if (t->bytes >= ENOUGH_BYTES)
		return 0;
	fio_target_free(t);
	return make_scratch(t, path, why);
}
