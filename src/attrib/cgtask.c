// SPDX-License-Identifier: GPL-2.0
/*
 * Which line of a /proc/PID/cgroup says most about a task: managers keep their own tree
 * (name=systemd) or the v2 one in full and others only as far as they need them.
 */
#include "attrib/cgpath.h"

#include <stdio.h>
#include <string.h>

static const char removed[] = " (deleted)"; /* cgroups(7) */

static bool is_removed(const char *path, size_t len)
{
	size_t n = sizeof(removed) - 1;

	return len >= n && !memcmp(path + len - n, removed, n);
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

/* How much a line's tree is worth where several are equally deep; 0: it is not asked. */
static int rank(const char *controllers, size_t len)
{
	static const char *const trusted[] = {"", "name=systemd", "pids", "memory", "blkio"};
	int best = 0;

	for (size_t at = 0; at <= len;) {
		size_t n = strcspn(controllers + at, ",:");

		for (int i = 0; i < 5; i++)
			if (is_word(controllers + at, n, trusted[i]) && i + 1 > best)
				best = i + 1;
		at += n + 1;
	}
	return best;
}

static int depth(const char *path, size_t len)
{
	int n = 0;

	for (size_t i = 0; i + 1 < len; i++)
		n += path[i] == '/' && path[i + 1] != '/';
	return n;
}

/* "ID:CONTROLLERS:PATH", where the path may hold further ':'. */
static bool read_line(const char *line, size_t len, const char **path, size_t *path_len, int *worth)
{
	const char *end = line + len, *controllers = memchr(line, ':', len), *rest;

	if (!controllers)
		return false;
	controllers++;
	rest = memchr(controllers, ':', end - controllers);
	if (!rest)
		return false;
	*path = rest + 1;
	*path_len = end - *path;
	*worth = rank(controllers, rest - controllers);
	return *worth > 0;
}

bool cgpath_of_task(const char *text, char *out, size_t size)
{
	const char *path, *best = NULL;
	size_t len, best_len = 0;
	int worth, best_worth = 0, best_depth = -1;

	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");

		if (read_line(line, n, &path, &len, &worth) &&
		    (depth(path, len) > best_depth ||
		     (depth(path, len) == best_depth && worth > best_worth))) {
			best = path;
			best_len = len;
			best_worth = worth;
			best_depth = depth(path, len);
		}
		line += n + (line[n] == '\n');
	}
	if (!best)
		return false;
	if (is_removed(best, best_len))
		best_len -= sizeof(removed) - 1;
	snprintf(out, size, "%.*s", (int)best_len, best);
	return true;
}
