// SPDX-License-Identifier: GPL-2.0
/* openat2() below a root; used by everything that reads names from files (names.h). */
#include "collect/hostfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"

#define FIRST_READ 16384

int hostfs_open(struct hostfs *h, const char *dir)
{
	h->root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return h->root < 0 ? -errno : 0;
}

void hostfs_close(struct hostfs *h)
{
	if (h->root >= 0)
		close(h->root);
	h->root = -1;
}

/* Links from a root that is our own lead to the same files without openat2(). */
static int open_below_own(const struct hostfs *h, const char *path, int flags)
{
	AUTO_CLOSE int own = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (own < 0 || !hostfs_same_root(h, &(struct hostfs){own})) {
		errno = ENOSYS;
		return -1;
	}
	path += strspn(path, "/");
	return openat(h->root, *path ? path : ".", flags);
}

/* There since 5.6, so on every kernel that iolat runs on; but systemd takes it from whom it lets make no set-user-ID file, as
 * it cannot see what is asked for (each unit with DynamicUser=). */
static int open_below(const struct hostfs *h, const char *path, int flags)
{
	/* openat2() refuses flags that mean nothing together. */
	int careful = flags & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY, fd;
	struct open_how how = {
		.flags = (uint64_t)(flags | careful | O_NOFOLLOW | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};

	fd = (int)syscall(SYS_openat2, h->root, path, &how, sizeof(how));
	return fd < 0 && errno == ENOSYS ? open_below_own(h, path, (int)how.flags) : fd;
}

int hostfs_open_process(struct hostfs *out, const struct hostfs *h, uint32_t pid)
{
	char path[32];
	AUTO_CLOSE int proc = open_below(h, "/proc", O_PATH | O_DIRECTORY);

	out->root = -1;
	if (proc < 0)
		return -errno;
	snprintf(path, sizeof(path), "%" PRIu32 "/root", pid);
	out->root = openat(proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return out->root < 0 ? -errno : 0;
}

/* Reads to the end; NULL when there is more than the limit. */
static char *read_all(int fd, size_t limit, size_t *len)
{
	size_t room = FIRST_READ, n = 0;
	char *text = malloc(room + 1), *larger;
	ssize_t got = 0;

	while (text && (got = read(fd, text + n, room - n)) > 0) {
		n += (size_t)got;
		if (n < room)
			continue;
		larger = n > limit ? NULL : realloc(text, 2 * room + 1);
		if (!larger)
			break;
		text = larger;
		room *= 2;
	}
	if (!text || got != 0 || n > limit) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = n;
	return text;
}

char *hostfs_read(const struct hostfs *h, const char *path, size_t limit, size_t *len)
{
	AUTO_CLOSE int fd = open_below(h, path, O_RDONLY);
	struct stat st;
	size_t unused;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > limit)
		return NULL;
	return read_all(fd, limit, len ?: &unused);
}

DIR *hostfs_dir(const struct hostfs *h, const char *path)
{
	int fd = open_below(h, path, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

bool hostfs_same_root(const struct hostfs *a, const struct hostfs *b)
{
	struct stat one, other;

	return !fstat(a->root, &one) && !fstat(b->root, &other) && one.st_ino == other.st_ino &&
	       one.st_dev == other.st_dev;
}

static bool exists(const struct hostfs *h, const char *path)
{
	AUTO_CLOSE int fd = open_below(h, path, O_PATH);

	return fd >= 0;
}

/* No path leads through the link to a process's root (RESOLVE_IN_ROOT). */
bool hostfs_exists(const struct hostfs *h, const char *path)
{
	struct hostfs other;
	uint32_t pid;
	int end = 0;
	bool there;

	if (sscanf(path, "/proc/%" SCNu32 "/root/%n", &pid, &end) != 1 || !end)
		return exists(h, path);
	if (hostfs_open_process(&other, h, pid))
		return false;
	there = exists(&other, path + end);
	hostfs_close(&other);
	return there;
}

bool hostfs_each_pid(const struct hostfs *h, bool (*each)(void *ctx, uint32_t pid), void *ctx)
{
	DIR *dir = hostfs_dir(h, "/proc");
	const struct dirent *d;
	bool done = false;
	uint64_t pid;

	while (dir && !done && (d = readdir(dir)))
		if (!parse_u64(d->d_name, &pid) && pid <= UINT32_MAX)
			done = each(ctx, (uint32_t)pid);
	if (dir)
		closedir(dir);
	return done;
}

/* The value behind "key =", quoted or not, a comment behind it left out. */
static bool read_value(const char *s, char *out, size_t size)
{
	size_t len;

	s += strspn(s, " \t");
	if (*s == '"' || *s == '\'') {
		len = strcspn(s + 1, "\"'\n");
		s++;
	} else {
		len = strcspn(s, " \t\r\n#");
	}
	if (!len || len >= size)
		return false;
	memcpy(out, s, len);
	out[len] = '\0';
	return true;
}

bool hostfs_setting(const char *text, const char *key, char *out, size_t size)
{
	size_t key_len = strlen(key);

	for (const char *line = text; *line; line += line[0] == '\n') {
		const char *s = line + strspn(line, " \t");

		if (!strncmp(s, key, key_len)) {
			s += key_len;
			s += strspn(s, " \t");
			if ((*s == '=' || *s == ':') && read_value(s + 1, out, size))
				return true;
		}
		line += strcspn(line, "\n");
	}
	return false;
}
