// SPDX-License-Identifier: GPL-2.0
/* Starts and collects COMMAND for the live view. */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/output.h"

/* Nothing of this program's signal handling reaches COMMAND, nor what its own parent ignored. By the system call: glibc
 * keeps the first two real-time signals to itself, which a parent that is not glibc's may have ignored. */
static void reset_signals(void)
{
	static const unsigned long by_default[8]; /* the kernel's struct sigaction: handler SIG_DFL, no flags, empty mask */
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, by_default, NULL, (NSIG - 1) / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become_sudo_user(void)
{
	const char *user = getenv("SUDO_USER");
	unsigned int uid, gid;

	if (!sudo_user(&uid, &gid))
		return 0;
	if ((user ? initgroups(user, gid) : setgroups(0, NULL)) || setgid(gid) || setuid(uid))
		return -errno;
	return 0;
}

static void run(struct child *c, char **argv, bool as_root, int go)
{
	char byte;
	int err;

	/* The other end closes without a byte when this program gives up. */
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	if (byte != 'g')
		_exit(EXIT_FAILED);
	reset_signals();
	err = as_root ? 0 : -become_sudo_user();
	if (!err) {
		execvp(argv[0], argv);
		err = errno;
	}
	if (write(c->failed, &err, sizeof(err)) < 0)
		_exit(EXIT_FAILED);
	_exit(127);
}

int child_prepare(struct child *c, char **argv, bool as_root)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return -errno;
	c->pid = fork();
	if (c->pid < 0)
		return -errno;
	if (!c->pid) {
		close(go[1]);
		close(failed[0]);
		c->failed = failed[1];
		run(c, argv, as_root, go[0]);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	return 0;
}

int child_start(struct child *c, const char *name)
{
	int err = 0;
	ssize_t n;

	if (write(c->go, "g", 1) != 1)
		err = errno;
	close(c->go);
	c->go = -1;
	/* An exec that works closes the pipe. */
	do
		n = read(c->failed, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(c->failed);
	if (!err)
		return EXIT_OK;
	child_ended(c, true);
	log_error("cannot run %s: %s", name, strerror(err));
	c->status = err == ENOENT || err == ENOTDIR ? 127 : 126;
	return c->status;
}

bool child_ended(struct child *c, bool wait)
{
	int status;
	pid_t got;

	if (c->ended || !c->pid)
		return c->ended;
	do
		got = waitpid(c->pid, &status, wait ? 0 : WNOHANG);
	while (got < 0 && errno == EINTR);
	if (got != c->pid)
		return false;
	c->ended = true;
	c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

void child_abandon(struct child *c)
{
	if (!c->pid || c->go < 0)
		return;
	close(c->go);
	c->go = -1;
	child_ended(c, true);
}
