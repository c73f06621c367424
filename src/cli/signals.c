// SPDX-License-Identifier: GPL-2.0
/* Turns signals into something that live.c's loop can wait for. */
#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool is_ignored(int sig)
{
	struct sigaction old;

	return !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN;
}

/* An ignored signal is dropped even while blocked, so the disposition comes first. */
static void take(sigset_t *set, int sig)
{
	signal(sig, SIG_DFL);
	sigaddset(set, sig);
}

int signals_open(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	take(&set, SIGINT);
	take(&set, SIGTERM);
	take(&set, SIGUSR1);
	take(&set, SIGCHLD);
	if (!is_ignored(SIGHUP))
		take(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

struct signal_event signals_next(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return (struct signal_event){0};
	return (struct signal_event){info.ssi_signo, info.ssi_code == SI_KERNEL};
}
