// SPDX-License-Identifier: GPL-2.0
/* A report's selection. What its words name shows only when the recording has been read. */
#include "cli/filter.h"

#include <errno.h>
#include <stdlib.h>
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

static int set_word(struct select_words *w, size_t i, const char *word)
{
	char *copy = strdup(word);

	if (!copy)
		return -ENOMEM;
	free(w->at[i]);
	w->at[i] = copy;
	return 0;
}

/* What of a path the mount point is, 0: it lies elsewhere. */
static size_t covered(const char *path, const char *point)
{
	size_t len = strlen(point);

	while (len && point[len - 1] == '/')
		len--;
	return path[0] != '/' || strncmp(path, point, len) || (path[len] && path[len] != '/') ? 0 : len + 1;
}

/* The disk or partition, by the name that it was mounted by; a disk that has another (a mapped one) is found by its
 * numbers. */
int filter_fs(struct selection *s, const struct options *o, struct filter_path *paths, const struct iolat_fs *e)
{
	const char *source = e->text + strlen(e->text) + 1, *point = source + strlen(source) + 1;
	int err = 0;

	for (size_t i = 0; !err && i < o->devices.n; i++) {
		const char *path = o->devices.at[i];
		size_t len = strncmp(path, "/dev/", 5) ? covered(path, point) : 0;

		if (!len || len < paths[i].len)
			continue;
		paths[i] = (struct filter_path){len, e->major, e->minor};
		err = set_word(&s->devices, i, strncmp(source, "/dev/", 5) ? path : source);
	}
	return err;
}

int filter_disk(struct selection *s, const struct options *o, const struct filter_path *paths, const struct iolat_disk *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < o->devices.n; i++)
		if (paths[i].len && paths[i].major == e->major && paths[i].minor == e->minor)
			err = set_word(&s->devices, i, e->name);
	return err;
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
