// SPDX-License-Identifier: GPL-2.0
/* Runs fio as a child, without a shell, and reads its JSON. */
#include "cli/fio.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "collect/jsonfile.h"

#define OUTPUT_MAX  (1 << 20)
#define NAMES_MAX   (FIO_FILES * 2 * 4096)
#define EXEC_FAILED 127

/* --- what it says -------------------------------------------------------------------------- */

static double real(json_object *o, const char *key)
{
	return json_object_get_double(jsonfile_member(o, key));
}

static uint64_t percentile(json_object *read, const char *key)
{
	double v = real(jsonfile_member(jsonfile_member(read, "clat_ns"), "percentile"), key);

	return v > 0 && v < 9e18 ? (uint64_t)v : 0;
}

static int take(json_object *whole, struct fio_result *out, char why[FIO_REASON])
{
	json_object *jobs = jsonfile_member(whole, "jobs"), *job, *read;

	job = json_object_is_type(jobs, json_type_array) ? json_object_array_get_idx(jobs, 0) : NULL;
	read = jsonfile_member(job, "read");
	if (!read || json_object_get_int64(jsonfile_member(read, "total_ios")) <= 0) {
		snprintf(why, FIO_REASON, "fio read nothing");
		return -EBADMSG;
	}
	if (json_object_get_int(jsonfile_member(job, "error"))) {
		snprintf(why, FIO_REASON, "fio: %s", strerror(json_object_get_int(jsonfile_member(job, "error"))));
		return -EBADMSG;
	}
	out->iops = real(read, "iops");
	out->bytes_per_s = real(read, "bw_bytes");
	out->p50_ns = percentile(read, "50.000000");
	out->p99_ns = percentile(read, "99.000000");
	return 0;
}

/* What it has to complain about stands before the JSON. */
int fio_parse(const char *text, size_t len, struct fio_result *out, char why[FIO_REASON])
{
	const char *start = memmem(text, len, "{\n", 2);
	json_object *whole = start ? jsonfile_parse(start, len - (size_t)(start - text)) : NULL;
	size_t line;
	int err;

	if (!whole) {
		snprintf(why, FIO_REASON, "fio said what is no JSON");
		return -EBADMSG;
	}
	err = take(whole, out, why);
	json_object_put(whole);
	line = strcspn(text, "\r\n"); /* ends before the JSON does */
	if (err && start > text && line) /* it says more itself */
		snprintf(why, FIO_REASON, "%.*s", (int)line, text);
	return err;
}

/* --- running it ------------------------------------------------------------------------------ */

/* fio's list of files: joined by colons; those of names stand behind a backslash, which is one itself elsewhere. */
static void join_names(char *out, size_t size, const struct fio_target *t)
{
	size_t len = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (i && len + 2 < size)
			out[len++] = ':';
		for (const char *c = t->names[i]; *c && len + 3 < size; c++) {
			if (*c == ':')
				out[len++] = '\\';
			out[len++] = *c;
		}
	}
	out[len] = '\0';
}

static void __attribute__((noreturn)) become_fio(int out, const struct fio_job *job, bool direct, const char *names, uint64_t bytes,
						 size_t files)
{
	char block[48], readers[32], size[48], rw[32], direct_word[16], *filename;

	snprintf(block, sizeof(block), "--bs=%" PRIu64, job->block);
	snprintf(readers, sizeof(readers), "--numjobs=%u", job->readers);
	snprintf(size, sizeof(size), "--size=%" PRIu64, bytes);
	snprintf(rw, sizeof(rw), "--rw=%s", job->random ? "randread" : "read");
	snprintf(direct_word, sizeof(direct_word), "--direct=%d", direct);
	if (asprintf(&filename, "--filename=%s", names) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
		_exit(EXEC_FAILED);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	execlp("fio", "fio", "--name=iolat", "--output-format=json", "--readonly", "--ioengine=psync", "--thread", "--group_reporting",
	       "--norandommap", "--randrepeat=0", "--time_based", "--runtime=2", "--invalidate=1", rw, block, readers, direct_word,
	       files == 1 ? size : "--file_service_type=random", filename, NULL);
	_exit(EXEC_FAILED);
}

static size_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += (size_t)n;
	return len;
}

/* Its output's length, or -errno. */
static ssize_t run(const struct fio_target *t, const struct fio_job *job, bool direct, char *buf)
{
	AUTO_FREE char *names = malloc(NAMES_MAX);
	int fds[2], status;
	size_t len;
	pid_t pid;

	if (!names || pipe(fds))
		return names ? -errno : -ENOMEM;
	join_names(names, NAMES_MAX, t);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		become_fio(fds[1], job, direct, names, t->bytes, t->n);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -errno;
	}
	len = read_all(fds[0], buf, OUTPUT_MAX);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == EXEC_FAILED ? -ENOENT : (ssize_t)len;
}

/* Some file systems have no direct I/O; then the page cache is in the way, and that is told. */
int fio_run(const struct fio_target *t, const struct fio_job *job, struct fio_result *out, char why[FIO_REASON])
{
	AUTO_FREE char *buf = malloc(OUTPUT_MAX);
	int err = -ENOMEM;

	for (int direct = 1; buf && err && direct >= 0; direct--) {
		ssize_t len = run(t, job, direct, buf);

		*out = (struct fio_result){.direct = direct};
		err = len < 0 ? (int)len : fio_parse(buf, (size_t)len, out, why);
		if (err == -ENOENT)
			return err;
	}
	return err;
}
