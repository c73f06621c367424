/* SPDX-License-Identifier: GPL-2.0 */
/* A host of a test's own: a folder with the files that the test writes there. */
#ifndef IOLAT_TEST_FAKE_HOST_H
#define IOLAT_TEST_FAKE_HOST_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FAKE_HOST_ROOT 32

static inline void fake_host_make(char root[FAKE_HOST_ROOT])
{
	snprintf(root, FAKE_HOST_ROOT, "/tmp/iolat-test.XXXXXX");
	if (!mkdtemp(root))
		abort();
}

/* Opens "/proc/7/stat" for writing, in folders that are made for it. */
static inline FILE *fake_host_open(const char *root, const char *name, const char *mode)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, mode);
	if (!f)
		abort();
	return f;
}

static inline void fake_host_write(const char *root, const char *name, const void *data, size_t size)
{
	FILE *f = fake_host_open(root, name, "w");

	if (fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static inline int fake_host_remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	return remove(path);
}

static inline void fake_host_remove(const char *root)
{
	if (nftw(root, fake_host_remove_one, 8, FTW_DEPTH | FTW_PHYS))
		abort();
}

#endif
