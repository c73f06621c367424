/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The signals that a run obeys, as a descriptor to poll: INT and TERM (also where they were ignored
 * at the start), HUP unless it was ignored, USR1, CHLD. A closed pipe is an error of
 * writing, not a signal.
 */
#ifndef IOLAT_CLI_SIGNALS_H
#define IOLAT_CLI_SIGNALS_H

#include <stdbool.h>

struct signal_event {
	int number;		/* 0: none is waiting */
	bool from_terminal;	/* the whole process group got it */
};

int signals_open(void);			/* the descriptor, or -errno */
struct signal_event signals_next(int fd);

#endif
