/* SPDX-License-Identifier: GPL-2.0 */
/*
 * COMMAND: a process that exists before tracing begins and runs its program only once
 * every hook is attached.
 */
#ifndef IOLAT_CLI_CHILD_H
#define IOLAT_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;	/* 0: there is none */
	int go;		/* its end of waiting: closed to let it run */
	int failed;	/* tells the errno of a failed exec */
	bool ended;
	int status;	/* exit status once ended: its own, 128 + signal, 126 or 127 */
};

/* Forks; the child waits. With default signal dispositions, and as the user behind sudo unless
 * `as_root`. 0 or -errno. */
int child_prepare(struct child *c, char **argv, bool as_root);

/* Lets it run. An exit status: EXIT_OK, or 126 / 127 after saying why it cannot be executed. */
int child_start(struct child *c, const char *name);

/* Collects it if it has ended; `wait`: until then. True once it has ended. */
bool child_ended(struct child *c, bool wait);

/* Ends a child that was never started; does nothing otherwise. */
void child_abandon(struct child *c);

#endif
