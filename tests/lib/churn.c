// SPDX-License-Identifier: GPL-2.0
/*
 * What comes and goes, thousands in a few seconds. Each of it has a number from FIRST on, there are N:
 *
 *   churn processes FIRST N DISK               processes that read 4 KiB from the disk and end
 *   churn cgroups FIRST N DISK EACH FORMAT     cgroups in which EACH such processes run; their folders by their number
 *   churn disks FIRST N FILE                   loop devices of that number over the file, each of them read once
 *
 * Ends with 1 and says why if anything went wrong.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES	4096
#define WORKERS 8
#define RATE	600 /* processes a second that a worker makes; of many more, iolat says that it lost names */
static _Alignas(BYTES) char data[BYTES];

static void read_once(int fd)
{
	if (pread(fd, data, BYTES, 0) != BYTES)
		err(1, "read");
}

static int open_disk(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void keep_to_rate(void)
{
	static double due;
	double t = now();

	if (due > t)
		usleep((useconds_t)((due - t) * 1e6));
	else
		due = t;
	due += 1.0 / RATE;
}

/* A process of its own, whose memory need not be copied for one call. */
static void read_in_child(int fd)
{
	int status;
	pid_t child;

	keep_to_rate();
	child = vfork();
	if (!child)
		_exit(pread(fd, data, BYTES, 0) != BYTES);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		errx(1, "a process that should read could not");
}

/* --- cgroups ---------------------------------------------------------------------- */

static void enter(const char *folder)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err(1, "%s", path);
	close(fd);
}

/* A process that has ended may still be in it for a moment. */
static void leave(const char *folder)
{
	while (rmdir(folder)) {
		if (errno != EBUSY)
			err(1, "%s", folder);
		usleep(100);
	}
}

/* This process goes from one to the next, then the one behind it is removed. */
static void cgroups(int fd, long n, long first, long each, const char *format)
{
	char folders[2][4096], *top = strdup(format), *here = folders[0], *before = NULL;

	*strrchr(top, '/') = '\0';
	for (long i = first; i < first + n; i++) {
		here = folders[i & 1];
		snprintf(here, sizeof(folders[0]), format, i);
		if (mkdir(here, 0755))
			err(1, "%s", here);
		enter(here);
		if (before)
			leave(before);
		for (long k = 0; k < each; k++)
			read_in_child(fd);
		before = here;
	}
	enter(top);
	leave(here);
}

/* --- disks ------------------------------------------------------------------------ */

/* Its node is made by the kernel (devtmpfs) before the call returns; others that look at new devices may hold it. */
static void remove_disk(int control, long number)
{
	while (ioctl(control, LOOP_CTL_REMOVE, number)) {
		if (errno != EBUSY)
			err(1, "remove loop%ld", number);
		usleep(1000);
	}
}

static void disks(const char *file, long n, long first)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int image = open(file, O_RDWR | O_CLOEXEC);

	if (control < 0 || image < 0)
		err(1, "%s", control < 0 ? "/dev/loop-control" : file);
	for (long i = first; i < first + n; i++) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/loop%ld", i);
		if (ioctl(control, LOOP_CTL_ADD, i) < 0)
			err(1, "add %s", path);
		fd = open_disk(path);
		if (ioctl(fd, LOOP_SET_FD, image))
			err(1, "set up %s", path);
		read_once(fd);
		if (ioctl(fd, LOOP_CLR_FD, 0))
			err(1, "take down %s", path);
		close(fd);
		remove_disk(control, i);
	}
}

/* --- all of it -------------------------------------------------------------------- */

static void work(char **argv, long n, long first)
{
	if (!strcmp(argv[1], "processes"))
		for (int fd = open_disk(argv[4]); n; n--)
			read_in_child(fd);
	else if (!strcmp(argv[1], "cgroups"))
		cgroups(open_disk(argv[4]), n, first, atol(argv[5]), argv[6]);
	else
		disks(argv[4], n, first);
}

/* Most of it is waiting for the kernel, so several do it at once. */
int main(int argc, char **argv)
{
	long first = argc > 4 ? atol(argv[2]) : 0, n = argc > 4 ? atol(argv[3]) : 0;
	int status, failed = n < 1;

	for (long i = 0; i < WORKERS && n > 0; i++) {
		long from = n * i / WORKERS, to = n * (i + 1) / WORKERS;
		pid_t child = from < to ? fork() : 1;

		if (child < 0)
			err(1, "fork");
		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(argv, to - from, first + from);
			exit(0);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}
