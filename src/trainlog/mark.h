/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a line of a training log says about where the training is: which epoch or step, and whether that begins,
 * goes on or ends. Knows the words of common loggers, English and Chinese, or a pattern of the user's.
 */
#ifndef IOLAT_TRAINLOG_MARK_H
#define IOLAT_TRAINLOG_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

struct mark {
	enum iolat_mark_what what;	/* how it stands to the line: START, INSIDE or END */
	enum iolat_mark_kind kind;
	uint64_t number;	/* of the epoch or step; 0 for a name */
	uint64_t step, steps;	/* in the epoch, and of how many; 0: not told */
	char name[IOLAT_MARK_LEN];
};

struct marks;

/* `pattern` replaces the built-in ones (NULL: those): groups `epoch`, `step`, `steps`, `name`, `start`, `end`, `time`.
 * 0, -ENOMEM, or -EINVAL with the reason in `why`. */
int marks_new(struct marks **out, const char *pattern, char *why, size_t why_size);
void marks_free(struct marks *m);

bool marks_find(struct marks *m, const char *line, size_t len, struct mark *out);

/* Where the user's pattern found the time in that line; false: it has no such group. */
bool marks_time(const struct marks *m, const char **at, size_t *len);

#endif
