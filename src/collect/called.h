/* SPDX-License-Identifier: GPL-2.0 */
/* How much the system calls of traced processes have read: read from /proc/PID/io from time to time, told as it grows. */
#ifndef IOLAT_COLLECT_CALLED_H
#define IOLAT_COLLECT_CALLED_H

#include "base/map.h"
#include "collect/sink.h"
#include "iolat/wire.h"

struct called {
	const char *root;	/* in front of "/proc" */
	struct sink sink;
	struct map alive;	/* traced processes, by pid */
};

void called_init(struct called *c, const char *root, const struct sink *sink); /* `root` is borrowed */
void called_free(struct called *c);

/* 0 or -errno. */
int called_task(struct called *c, const struct iolat_task *e); /* behind the event itself */
int called_update(struct called *c);

#endif
