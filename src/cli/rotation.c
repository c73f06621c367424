// SPDX-License-Identifier: GPL-2.0
/* Reads the folder each time: files that somebody moves away are not missed. */
#include "cli/rotation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

#define DIGITS 6

struct pattern {
	char *folder; /* owned, with the other two in it or behind it */
	char *file;
	const char *stem, *end; /* of the name: "run", ".iolat" */
	size_t stem_len;
};

static int pattern_make(struct pattern *p, const char *path)
{
	char *dot;

	*p = (struct pattern){.folder = strdup(path), .file = strdup(path)};
	if (!p->folder || !p->file)
		return -ENOMEM;
	p->stem = basename(p->file);
	dot = strrchr(p->stem, '.');
	p->end = dot && dot != p->stem ? dot : "";
	p->stem_len = strlen(p->stem) - strlen(p->end);
	return 0;
}

static void pattern_free(struct pattern *p)
{
	free(p->folder);
	free(p->file);
}

/* The number in a file's name, 0: it is none of them. */
static uint64_t number_of(const struct pattern *p, const char *name)
{
	size_t len = strlen(name), digits = len - p->stem_len - 1 - strlen(p->end);
	char text[24];
	uint64_t n;

	if (len < p->stem_len + 1 + DIGITS + strlen(p->end) || digits >= sizeof(text) ||
	    strncmp(name, p->stem, p->stem_len) || name[p->stem_len] != '-' || strcmp(name + len - strlen(p->end), p->end))
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)digits, name + p->stem_len + 1);
	return parse_u64(text, &n) ? 0 : n;
}

/* Removes those up to `last`, and finds the newest of all. */
static int look_through(const struct pattern *p, const char *folder, uint64_t last, uint64_t *newest)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t n;

	*newest = 0;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		n = number_of(p, entry->d_name);
		if (n > *newest)
			*newest = n;
		if (n && n <= last)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
	return 0;
}

char *rotation_next(const char *path, unsigned int keep)
{
	struct pattern p;
	const char *folder;
	uint64_t newest = 0, same;
	char *next = NULL;
	int err = pattern_make(&p, path);

	folder = err ? NULL : dirname(p.folder);
	err = err ?: look_through(&p, folder, 0, &newest);
	if (!err && newest > keep)
		err = look_through(&p, folder, newest - keep, &same);
	if (!err && asprintf(&next, "%s/%.*s-%0*" PRIu64 "%s", folder, (int)p.stem_len, p.stem, DIGITS,
			     newest + 1, p.end) < 0)
		err = -ENOMEM;
	pattern_free(&p);
	errno = -err;
	return err ? NULL : next;
}
