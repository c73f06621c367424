// SPDX-License-Identifier: GPL-2.0
/* Follows a name, as tail -F does: an open file that was moved away is read to its end before the new one is begun. */
#include "cli/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "collect/privilege.h"

#define TAIL_BYTES    (1 << 20)
#define LONG_EPOCH_NS 1800000000000ull /* what ended longer ago is taken for a mistake, as in the time's zone */

struct logfile {
	const char *path;
	enum logfile_how how;
	struct trainlog *log;
	int fd; /* -1: not there yet */
	struct stat stat;
	off_t at;
	bool cut; /* starts inside of a line */
	char buf[65536];
};

/* 0 or a negative errno; -EINVAL: no regular file. */
static int open_file(struct logfile *l)
{
	int fd, err;

	privilege_as_user(true);
	fd = open(l->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	err = -errno;
	privilege_as_user(false);
	if (fd < 0)
		return err;
	if (fstat(fd, &l->stat) || !S_ISREG(l->stat.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	l->fd = fd;
	l->at = 0;
	return 0;
}

static void start_at_tail(struct logfile *l)
{
	if (l->how == LOGFILE_WHOLE || l->fd < 0 || l->stat.st_size <= TAIL_BYTES)
		return;
	l->at = l->stat.st_size - TAIL_BYTES;
	l->cut = true;
}

static int refuse(struct logfile *l, int err)
{
	if (err == -ENOENT && l->how == LOGFILE_COMES)
		return EXIT_OK;
	log_error("--log %s: %s", l->path, err == -EINVAL ? "not a regular file" : strerror(-err));
	return EXIT_FAILED;
}

int logfile_open(struct logfile **out, const char *path, const char *pattern, enum logfile_how how)
{
	struct logfile *l = calloc(1, sizeof(*l));
	char why[128];
	int err;

	*out = l;
	if (!l || trainlog_new(&l->log, pattern, why, sizeof(why))) {
		log_error("--log %s: %s", path, strerror(ENOMEM));
		return EXIT_FAILED;
	}
	l->path = path;
	l->how = how;
	l->fd = -1;
	err = open_file(l);
	if (err)
		return refuse(l, err);
	start_at_tail(l);
	return EXIT_OK;
}

void logfile_close(struct logfile *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	trainlog_free(l->log);
	free(l);
}

/* The first line of a part may be the end of one. */
static size_t skip_cut(struct logfile *l, size_t n)
{
	const char *end = l->cut ? memchr(l->buf, '\n', n) : NULL;

	if (!l->cut)
		return 0;
	l->cut = !end;
	return end ? (size_t)(end - l->buf) + 1 : n;
}

static int read_on(struct logfile *l, uint64_t wall_ns, const struct mark_sink *to)
{
	ssize_t n;
	int err = 0;

	while (!err && l->fd >= 0 && (n = pread(l->fd, l->buf, sizeof(l->buf), l->at)) > 0) {
		size_t skip = skip_cut(l, (size_t)n);

		l->at += n;
		err = trainlog_feed(l->log, l->buf + skip, (size_t)n - skip, wall_ns, to);
	}
	return err;
}

/* Another file has the name by now, or this one was begun anew. */
static bool is_replaced(const struct logfile *l)
{
	struct stat now;

	if (l->fd < 0)
		return true;
	if (stat(l->path, &now))
		return false;
	return now.st_ino != l->stat.st_ino || now.st_dev != l->stat.st_dev || now.st_size < l->at;
}

int logfile_read(struct logfile *l, uint64_t wall_ns, const struct mark_sink *to)
{
	int err = read_on(l, wall_ns, to);

	if (err || l->how == LOGFILE_WHOLE || !is_replaced(l))
		return err;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	l->cut = false;
	trainlog_restart(l->log);
	return open_file(l) ? 0 : read_on(l, wall_ns, to);
}

int logfile_finish(struct logfile *l, uint64_t wall_ns, const struct mark_sink *to)
{
	return logfile_read(l, wall_ns, to) ?: trainlog_finish(l->log, wall_ns, to);
}

static void warn_nothing(const struct logfile *l, const struct trainlog_found *f)
{
	if (l->fd < 0)
		log_warn("--log %s: it was never made, so there are no phases", l->path);
	else if (!f->failed[0])
		log_warn("--log %s: it is empty, so there are no phases", l->path);
	else
		log_warn("--log %s: no line tells both a time and an epoch or step, so there are no phases; the first that failed is "
			 "line %" PRIu64 " (%s): %s", l->path, f->failed_line, f->lacks, f->failed);
}

void logfile_judge(const struct logfile *l, uint64_t from_ns, uint64_t to_ns)
{
	struct trainlog_found f = trainlog_found(l->log);
	char first[RFC3339_LEN], last[RFC3339_LEN], from[RFC3339_LEN], to[RFC3339_LEN];

	if (!f.marks) {
		warn_nothing(l, &f);
		return;
	}
	if (f.last_ns + LONG_EPOCH_NS >= from_ns && f.first_ns <= to_ns)
		return;
	log_warn("--log %s: it tells of %s to %s, and the run was from %s to %s (a time without zone is taken as local: set TZ)",
		 l->path, fmt_rfc3339(first, f.first_ns), fmt_rfc3339(last, f.last_ns), fmt_rfc3339(from, from_ns),
		 fmt_rfc3339(to, to_ns));
}
