/* SPDX-License-Identifier: GPL-2.0 */
/* What the users of tasks are called, by the passwd file below the host's root: told once each. */
#ifndef IOLAT_COLLECT_USER_FACTS_H
#define IOLAT_COLLECT_USER_FACTS_H

#include "base/map.h"
#include "collect/sink.h"
#include "iolat/wire.h"

struct user_facts {
	const char *root; /* "" or where the host's files are */
	struct sink sink;
	struct map told;  /* user ids */
};

void user_facts_init(struct user_facts *f, const char *root, const struct sink *sink); /* `root` is borrowed */
void user_facts_free(struct user_facts *f);

/* Before a task event goes by. 0 or -errno. */
int user_facts_task(struct user_facts *f, const struct iolat_task *e);

#endif
