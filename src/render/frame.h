/* SPDX-License-Identifier: GPL-2.0 */
/* What every format says of a frame in the same words. */
#ifndef IOLAT_RENDER_FRAME_H
#define IOLAT_RENDER_FRAME_H

#include "stats/snapshot.h"

/* "interval", "snapshot", "summary". */
static inline const char *frame_type(const struct snapshot *s)
{
	static const char *const names[] = {
		[SNAPSHOT_INTERVAL] = "interval",
		[SNAPSHOT_ASKED] = "snapshot",
		[SNAPSHOT_SUMMARY] = "summary",
	};

	return names[s->type];
}

/* Of what is in flight. */
static inline const char *stage_name(enum stage stage)
{
	static const char *const names[] = {
		[STAGE_QUEUE] = "queue",
		[STAGE_DEVICE] = "device",
		[STAGE_BEFORE_REQUEST] = "before-request",
	};

	return names[stage];
}

#endif
