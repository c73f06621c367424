// SPDX-License-Identifier: GPL-2.0
/*
 * Processes are followed from their first event to their end, of which the kernel side tells; so many, as each costs a
 * file to read.
 */
#include "collect/called.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define FOLLOWED 256

struct followed {
	uint32_t tgid;
	uint64_t reads; /* when it was last told */
};

void called_init(struct called *c, const char *root, const struct sink *sink)
{
	*c = (struct called){.root = root, .sink = *sink};
	map_init(&c->alive, sizeof(uint32_t));
}

void called_free(struct called *c)
{
	struct followed *f;

	for (size_t i = 0; (f = map_next(&c->alive, &i, NULL));)
		free(f);
	map_free(&c->alive);
}

static bool read_io(const struct called *c, uint32_t tgid, struct iolat_called *e)
{
	AUTO_FILE FILE *file = NULL;
	char path[PATH_MAX], line[128];
	int found = 0;

	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/io", c->root, tgid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		found += sscanf(line, "rchar: %llu", &e->read_bytes) == 1 ||
			 sscanf(line, "syscr: %llu", &e->reads) == 1;
	return found == 2;
}

static int tell(struct called *c, struct followed *f, bool before)
{
	struct iolat_called e = {.head = {IOLAT_EV_CALLED, sizeof(e)},
				 .tgid = f->tgid,
				 .ts_ns = monotonic_ns(),
				 .before = before};

	if (!read_io(c, f->tgid, &e) || (e.reads == f->reads && !before))
		return 0;
	f->reads = e.reads;
	return c->sink.event(c->sink.ctx, &e, sizeof(e));
}

/* A process that was there before has read things that are none of this run's. */
static int follow(struct called *c, const struct iolat_task *e)
{
	struct followed *f;
	int err;

	if (map_get(&c->alive, &e->tgid) || c->alive.count >= FOLLOWED)
		return 0;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->tgid = e->tgid;
	err = map_put(&c->alive, &f->tgid, f);
	if (err)
		free(f);
	else if (e->what == IOLAT_TASK_SEEN)
		err = tell(c, f, true);
	return err;
}

int called_task(struct called *c, const struct iolat_task *e)
{
	if (e->tid != e->tgid)
		return 0;
	if (e->what == IOLAT_TASK_EXIT)
		free(map_del(&c->alive, &e->tgid));
	else if (e->flags & IOLAT_TASK_TRACED)
		return follow(c, e);
	return 0;
}

int called_update(struct called *c)
{
	struct followed *f;
	int err = 0;

	for (size_t i = 0; !err && (f = map_next(&c->alive, &i, NULL));)
		err = tell(c, f, false);
	return err;
}
