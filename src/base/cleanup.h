/* SPDX-License-Identifier: GPL-2.0 */
/* Variables that clean up after themselves when they go out of scope. */
#ifndef IOLAT_BASE_CLEANUP_H
#define IOLAT_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}
static inline void cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}
static inline void cleanup_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}
static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define AUTO_FREE  __attribute__((cleanup(cleanup_free)))
#define AUTO_FILE  __attribute__((cleanup(cleanup_file)))
#define AUTO_DIR   __attribute__((cleanup(cleanup_dir)))
#define AUTO_CLOSE __attribute__((cleanup(cleanup_fd)))

#endif
