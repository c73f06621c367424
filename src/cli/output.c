// SPDX-License-Identifier: GPL-2.0
/* Opens, flushes and closes the stream that a renderer writes to, and explains its errors. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"

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

static FILE *open_file(const char *path)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (geteuid() ? 0 : O_NOFOLLOW);
	int fd = open(path, flags, 0666);
	unsigned int uid, gid;
	struct stat st;

	if (fd < 0)
		return NULL;
	/* Best effort: a file system without owners is no reason to fail. */
	if (sudo_user(&uid, &gid) && !fstat(fd, &st) && S_ISREG(st.st_mode) && fchown(fd, uid, gid))
		errno = 0;
	return fdopen(fd, "w");
}

int output_open(struct output *o, const char *path)
{
	o->path = path;
	o->stream = path ? open_file(path) : stdout;
	if (o->stream)
		return EXIT_OK;
	explain(o, "open", errno);
	return EXIT_FAILED;
}

int output_flush(struct output *o)
{
	if (!fflush(o->stream) && !ferror(o->stream))
		return 0;
	return errno == EPIPE ? -EPIPE : explain(o, "write to", errno ?: EIO);
}

int output_close(struct output *o)
{
	int err = 0;

	if (!o->stream)
		return 0;
	if (fclose(o->stream))
		err = errno == EPIPE ? -EPIPE : explain(o, "write to", errno);
	o->stream = NULL;
	return err;
}

int output_width(const struct output *o)
{
	struct winsize w;

	if (!isatty(fileno(o->stream)) || ioctl(fileno(o->stream), TIOCGWINSZ, &w))
		return 0;
	return w.ws_col;
}
