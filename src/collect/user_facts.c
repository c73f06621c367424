// SPDX-License-Identifier: GPL-2.0
/* Only so many users are looked up; a host has few that run anything. */
#include "collect/user_facts.h"

#include <stdio.h>

#include "collect/users.h"

#define USERS_TOLD 1024

void user_facts_init(struct user_facts *f, const char *root, const struct sink *sink)
{
	*f = (struct user_facts){.root = root, .sink = *sink};
	map_init(&f->told, sizeof(uint32_t));
}

void user_facts_free(struct user_facts *f)
{
	map_free(&f->told);
}

static int tell(struct user_facts *f, uint32_t uid)
{
	struct iolat_user e = {.head = {.kind = IOLAT_EV_USER, .size = sizeof(e)}, .uid = uid};
	struct hostfs host;
	bool known;

	if (hostfs_open(&host, *f->root ? f->root : "/"))
		return 0;
	known = users_name(&host, uid, e.name, sizeof(e.name));
	hostfs_close(&host);
	return known ? f->sink.event(f->sink.ctx, &e, sizeof(e)) : 0;
}

int user_facts_task(struct user_facts *f, const struct iolat_task *e)
{
	bool tells = e->what == IOLAT_TASK_SEEN || e->what == IOLAT_TASK_NEW || e->what == IOLAT_TASK_EXEC;

	if (!tells || f->told.count >= USERS_TOLD || map_get(&f->told, &e->uid))
		return 0;
	return map_put(&f->told, &e->uid, f) ?: tell(f, e->uid);
}
