/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages for the person: one line each on standard error, "iolat: " first,
 * control characters replaced. Errors say what failed, on what, why and what to do;
 * a run prints at most one warning, so further ones are dropped. errno survives both.
 */
#ifndef IOLAT_BASE_LOG_H
#define IOLAT_BASE_LOG_H

/* Exit statuses of the program; functions that end a run return one of them. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* failed while running */
	EXIT_USAGE = 2,		/* usage, or a selection that names nothing */
	EXIT_KERNEL = 3,	/* the kernel lacks what is required */
	EXIT_PERM = 4,		/* not permitted, lockdown included */
	EXIT_FINDING = 5,	/* --fail-on holds */
};

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
