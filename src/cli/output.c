// SPDX-License-Identifier: GPL-2.0
/* Opens, flushes and closes the stream that a renderer writes to, and explains its errors. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/units.h"

#define SELF_FD "/proc/self/fd"

static bool env_number(const char *name, unsigned int *out)
{
	const char *s = getenv(name);
	uint64_t n;

	if (!s || parse_u64(s, &n) || n > UINT32_MAX)
		return false;
	*out = n;
	return true;
}

bool sudo_user(unsigned int *uid, unsigned int *gid)
{
	return !geteuid() && env_number("SUDO_UID", uid) && env_number("SUDO_GID", gid);
}

static const char *name(const struct output *o)
{
	return o->path ?: "standard output";
}

static int explain(const struct output *o, const char *what, int err)
{
	const char *advice = "";

	if (err == ENOENT)
		advice = "; the folder must exist";
	else if (err == ELOOP)
		advice = " (a symbolic link, which root does not follow)";
	log_error("cannot %s %s: %s%s", what, name(o), strerror(err), advice);
	return -err;
}

static void give_to_sudo_user(int fd)
{
	unsigned int uid, gid;
	struct stat st;

	/* Best effort: a file system without owners is no reason to fail. */
	if (sudo_user(&uid, &gid) && !fstat(fd, &st) && S_ISREG(st.st_mode) && fchown(fd, uid, gid))
		errno = 0;
}

static FILE *open_file(const char *path, int how)
{
	int flags = O_WRONLY | O_CREAT | how | O_CLOEXEC | (geteuid() ? 0 : O_NOFOLLOW);
	int fd = open(path, flags, 0666);

	if (fd < 0)
		return NULL;
	give_to_sudo_user(fd);
	return fdopen(fd, "w");
}

static int open_as(struct output *o, const char *path, int how)
{
	*o = (struct output){.path = path};
	o->stream = path ? open_file(path, how) : stdout;
	if (o->stream)
		return EXIT_OK;
	explain(o, "open", errno);
	return EXIT_FAILED;
}

int output_open(struct output *o, const char *path)
{
	return open_as(o, path, O_TRUNC);
}

int output_open_new(struct output *o, const char *path)
{
	return open_as(o, path, O_EXCL);
}

FILE *output_beside(const char *path, unsigned int n, char **name)
{
	struct output o = {0};

	*name = NULL;
	if (asprintf(name, "%s.%u.log", path, n) < 0) {
		log_error("out of memory");
		return NULL;
	}
	if (output_open(&o, *name) == EXIT_OK)
		return o.stream;
	free(*name);
	return NULL;
}

int output_flush(struct output *o)
{
	if (!fflush(o->stream) && !ferror(o->stream))
		return 0;
	return errno == EPIPE ? -EPIPE : explain(o, "write to", errno ?: EIO);
}

/* A device, a pipe or a folder is opened as it is; of links, what root may not follow is refused there. */
static bool is_replaceable(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* Without a name until it is whole, where the file system can do that: nothing stays of it, however this ends. */
static int open_unnamed(const char *path)
{
	AUTO_FREE char *copy = strdup(path);

	return copy && !access(SELF_FD, X_OK) ? open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
}

static int open_named(char *temporary)
{
	mode_t mask = umask(0);
	int fd = mkostemp(temporary, O_CLOEXEC);

	umask(mask);
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	return fd;
}

static FILE *open_temporary(struct output *o)
{
	int fd;

	if (asprintf(&o->temporary, "%s.XXXXXX", o->path) < 0) {
		o->temporary = NULL;
		errno = ENOMEM;
		return NULL;
	}
	fd = open_unnamed(o->path);
	o->unnamed = fd >= 0;
	if (!o->unnamed)
		fd = open_named(o->temporary);
	if (fd < 0) {
		free(o->temporary);
		o->temporary = NULL;
		return NULL;
	}
	give_to_sudo_user(fd);
	return fdopen(fd, "w");
}

/* What is whole gets the temporary name, for the moment until it takes its own. */
static int give_name(struct output *o)
{
	char *random = o->temporary + strlen(o->path) + 1, self[64];
	unsigned int n;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		return -1;
	snprintf(random, strlen("XXXXXX") + 1, "%06x", n & 0xffffff);
	snprintf(self, sizeof(self), SELF_FD "/%d", fileno(o->stream));
	if (linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW))
		return -1;
	o->unnamed = false;
	return 0;
}

int output_open_whole(struct output *o, const char *path)
{
	if (!path || !is_replaceable(path))
		return output_open(o, path);
	*o = (struct output){.path = path};
	o->stream = open_temporary(o);
	if (o->stream)
		return EXIT_OK;
	explain(o, "open", errno);
	return EXIT_FAILED;
}

static int finish_temporary(struct output *o, int err)
{
	if (err && !o->unnamed)
		unlink(o->temporary);
	else if (!err && rename(o->temporary, o->path))
		err = explain(o, "write to", errno);
	free(o->temporary);
	o->temporary = NULL;
	return err;
}

static int explain_write(const struct output *o)
{
	return errno == EPIPE ? -EPIPE : explain(o, "write to", errno);
}

int output_close(struct output *o)
{
	int err = 0;

	if (!o->stream)
		return 0;
	if (fflush(o->stream) || (o->unnamed && give_name(o)))
		err = explain_write(o);
	if (fclose(o->stream) && !err)
		err = explain_write(o);
	o->stream = NULL;
	return o->temporary ? finish_temporary(o, err) : err;
}

int output_end(struct output *o)
{
	int err = output_close(o);

	return err && err != -EPIPE ? EXIT_FAILED : EXIT_OK;
}

void output_abandon(struct output *o)
{
	if (!o->stream)
		return;
	fclose(o->stream);
	o->stream = NULL;
	if (o->temporary)
		finish_temporary(o, -ECANCELED);
}

int output_width(const struct output *o)
{
	struct winsize w;

	if (!isatty(fileno(o->stream)) || ioctl(fileno(o->stream), TIOCGWINSZ, &w))
		return 0;
	return w.ws_col;
}
