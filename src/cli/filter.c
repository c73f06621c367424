// SPDX-License-Identifier: GPL-2.0
/* A report's selection. What its words name shows only when the recording has been read. */
#include "cli/filter.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"

static int add_words(struct select_words *to, const struct words *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		err = select_add_word(to, from->at[i]);
	return err;
}

static int add_pids(struct selection *s, const struct options *o)
{
	uint64_t pid;
	int err = 0;

	for (size_t i = 0; !err && i < o->pids.n; i++)
		err = parse_u64(o->pids.at[i], &pid) ?: select_add_pid(s, pid);
	return err;
}

static int add_names(struct selection *s, const struct options *o)
{
	char why[128];
	int err = 0;

	for (size_t i = 0; !err && i < o->names.n; i++)
		err = select_add_name(s, o->names.at[i], why, sizeof(why));
	return err;
}

/* Each word has its place among the uids, in their order; names get theirs when the recording tells them. */
static int add_users(struct selection *s, const struct options *o)
{
	uint64_t uid;
	int err = 0;

	for (size_t i = 0; !err && i < o->users.n; i++) {
		if (parse_u64(o->users.at[i], &uid) || uid > UINT32_MAX)
			uid = SELECT_NO_UID;
		err = select_add_uid(s, (uint32_t)uid);
	}
	return err;
}

void filter_user(struct selection *s, const struct options *o, const struct iolat_user *e)
{
	for (size_t i = 0; i < o->users.n; i++)
		if (!strcmp(o->users.at[i], e->name))
			s->uids[i] = e->uid;
}

int filter_make(struct selection *s, const struct options *o)
{
	int err;

	*s = (struct selection){
		.no_children = o->no_children,
		.op_mask = o->op_mask,
		.min_latency_ns = o->min_latency_ns,
	};
	err = add_pids(s, o) ?: add_names(s, o) ?: add_words(&s->cgroups, &o->cgroups);
	err = err ?: add_words(&s->containers, &o->containers) ?: add_words(&s->pods, &o->pods);
	err = err ?: add_words(&s->jobs, &o->jobs) ?: add_words(&s->devices, &o->devices);
	err = err ?: add_users(s, o);
	if (err == -ENOMEM)
		log_error("out of memory");
	return !err ? EXIT_OK : err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

const char *filter_word(const struct options *o, const char *option)
{
	const struct {
		const char *option;
		const struct words *words;
	} all[] = {
		{"pid", &o->pids},	 {"name", &o->names},		{"user", &o->users}, {"cgroup", &o->cgroups},
		{"device", &o->devices}, {"container", &o->containers}, {"pod", &o->pods},   {"job", &o->jobs},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].option, option) && all[i].words->n)
			return all[i].words->at[0];
	return "";
}
