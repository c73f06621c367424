/* SPDX-License-Identifier: GPL-2.0 */
/* What this process may do, and in words what it lacks. Reads /proc and securityfs only. */
#ifndef IOLAT_COLLECT_PRIVILEGE_H
#define IOLAT_COLLECT_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

enum privilege { PRIVILEGE_BPF, PRIVILEGE_PERFMON, PRIVILEGE_READ, PRIVILEGE_PTRACE, PRIVILEGE_MAX };

struct privilege_def {
	const char *name;	/* "CAP_BPF" */
	int number;
	bool required;
	const char *what;	/* what is lost without it */
};

const struct privilege_def *privilege_def(enum privilege p);

/* Whether the process has it now; CAP_SYS_ADMIN stands for the first two. */
bool privilege_has(enum privilege p);

/* Why loading may be refused, as the end of a sentence; into buf, which is returned. */
const char *privilege_missing(char *buf, size_t size);

/* "none", "integrity", "confidentiality", or NULL where the kernel does not tell. */
const char *privilege_lockdown(void);

/* With file capabilities (`make setcap`) the program may read what its user may not, so files that the user names are
 * opened as the user: between on and off. Does nothing for root. */
void privilege_as_user(bool on);

#endif
