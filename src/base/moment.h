/* SPDX-License-Identifier: GPL-2.0 */
/* A moment of a run as people write it: by its distance from the start, or by a wall clock. */
#ifndef IOLAT_BASE_MOMENT_H
#define IOLAT_BASE_MOMENT_H

#include <stdint.h>

enum moment_kind {
	MOMENT_NONE,
	MOMENT_OFFSET,	/* "90s", "+1.5m": ns from the start */
	MOMENT_WALL,	/* "2026-03-01T12:00:00.5+01:00", without a zone local time: ns since 1970 */
	MOMENT_CLOCK,	/* "12:00:05": ns since a midnight, local time */
};

struct moment {
	enum moment_kind kind;
	uint64_t ns;
};

int moment_parse(const char *s, struct moment *out); /* 0 or -EINVAL */

/* ns since 1970 of a moment in a run that started then; a clock's means the first at or after the start. */
uint64_t moment_resolve(const struct moment *m, uint64_t start_wall_ns);

#endif
