// SPDX-License-Identifier: GPL-2.0
/*
 * What a selection takes. Only the rules are here; which processes inherit from which is
 * the process table's (member.c), which cgroup is in which container the cgroups'.
 */
#include "attrib/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attrib/entity.h"
#include "attrib/pattern.h"
#include "base/regex.h"

#define SELECT_MOST 256 /* entries that a recording may have */
#define ID_LEAST 4 /* digits of an id that are more than a word by chance */

static bool name_matches(const struct selection *s, const char *comm)
{
	for (size_t i = 0; i < s->n_names; i++)
		if (regex_match(s->names[i], comm, strlen(comm), 0))
			return true;
	return false;
}

static bool uid_matches(const struct selection *s, uint32_t uid)
{
	if (uid == SELECT_NO_UID)
		return false;
	for (size_t i = 0; i < s->n_uids; i++)
		if (s->uids[i] == uid)
			return true;
	return false;
}

unsigned int select_match(const struct selection *s, const char *comm, uint32_t uid)
{
	unsigned int bits = 0;

	if (comm && name_matches(s, comm))
		bits |= SELECT_NAME;
	if (uid_matches(s, uid))
		bits |= SELECT_USER;
	return s->also ? bits | select_match(s->also, comm, uid) << SELECT_OWN_KINDS : bits;
}

bool select_has_processes(const struct selection *s)
{
	return s && (s->n_names || s->n_uids || s->n_pids || select_has_processes(s->also));
}

unsigned int select_match_pid(const struct selection *s, uint32_t pid)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (s->pids[i] == pid)
			return SELECT_PID;
	return 0;
}

unsigned int select_not_inherited(const struct selection *s)
{
	return s->no_children ? SELECT_PID : 0;
}

bool select_wants(const struct selection *s, unsigned int bits)
{
	return (!s->n_names || bits & SELECT_NAME) && (!s->n_uids || bits & SELECT_USER) &&
	       (!s->n_pids || bits & SELECT_PID) &&
	       (!s->also || select_wants(s->also, bits >> SELECT_OWN_KINDS));
}

/* --- containers, pods, jobs ------------------------------------------------------- */

static bool equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* The first digits of a hex id. */
static bool begins_id(const char *word, const char *id)
{
	size_t len = strlen(word);

	return len >= ID_LEAST && pattern_hex(word, len) == len && !strncmp(id, word, len);
}

/* Of "namespace/pod/container" the container alone will do. */
static bool is_container(const char *word, const struct container *c)
{
	const char *last = c->name ? strrchr(c->name, '/') : NULL;

	return equal(c->name, word) || (last && equal(last + 1, word)) || equal(c->id, word) ||
	       begins_id(word, c->id);
}

static bool is_pod(const char *word, const struct pod *p)
{
	const char *slash = strchr(word, '/');

	if (!slash)
		return equal(p->name, word) || equal(p->uid, word);
	return p->space && strlen(p->space) == (size_t)(slash - word) &&
	       !strncmp(p->space, word, slash - word) && equal(p->name, slash + 1);
}

static bool is_job(const char *word, const struct job *j)
{
	return equal(j->id, word) || equal(j->alias, word);
}

static bool wants_container(const struct selection *s, const struct container *c)
{
	bool any = !s->containers.n;

	for (size_t i = 0; c && !c->helper && !any && i < s->containers.n; i++)
		any = is_container(s->containers.at[i], c);
	return any;
}

static bool wants_pod(const struct selection *s, const struct pod *p)
{
	bool any = !s->pods.n;

	for (size_t i = 0; p && !any && i < s->pods.n; i++)
		any = is_pod(s->pods.at[i], p);
	return any;
}

static bool wants_job(const struct selection *s, const struct job *j)
{
	bool any = !s->jobs.n;

	for (size_t i = 0; j && !any && i < s->jobs.n; i++)
		any = is_job(s->jobs.at[i], j);
	return any;
}

bool select_has_places(const struct selection *s)
{
	return s && (s->containers.n || s->pods.n || s->jobs.n || select_has_places(s->also));
}

bool select_wants_place(const struct selection *s, const struct container *c, const struct pod *p,
			const struct job *j)
{
	return !select_has_places(s) ||
	       (wants_container(s, c) && wants_pod(s, p) && wants_job(s, j) &&
		(!s->also || select_wants_place(s->also, c, p, j)));
}

/* --- cgroups, disks, requests ----------------------------------------------------- */

bool select_has_cgroups(const struct selection *s)
{
	return s && s->cgroups.n;
}

static bool is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	while (len && top[len - 1] == '/')
		len--;
	return !strncmp(path, top, len) && (!path[len] || path[len] == '/');
}

/* Also as a path in the file system: /sys/fs/cgroup, and the name of a tree on v1 hosts. */
static bool is_cgroup(const char *word, const char *path)
{
	static const char mount[] = "/sys/fs/cgroup/";
	const char *tree;

	if (strncmp(word, mount, strlen(mount)))
		return is_below(path, word);
	word += strlen(mount) - 1;
	tree = strchr(word + 1, '/');
	return is_below(path, word) || is_below(path, tree ? tree : "");
}

bool select_wants_cgroup(const struct selection *s, const char *path)
{
	bool any = !select_has_cgroups(s);

	for (size_t i = 0; path && !any && i < s->cgroups.n; i++)
		any = is_cgroup(s->cgroups.at[i], path);
	return any;
}

/* "sda", "/dev/sda"; "sda1" and "nvme0n1p1" are partitions. */
bool select_is_device(const char *word, const char *disk, unsigned int part)
{
	size_t len = strlen(disk);
	char *end;

	if (!strncmp(word, "/dev/", 5))
		word += 5;
	if (!len || strncmp(word, disk, len))
		return false;
	word += len;
	if (!*word)
		return true;
	if (*word == 'p')
		word++;
	return *word >= '1' && *word <= '9' && strtoul(word, &end, 10) == part && !*end;
}

bool select_has_ios(const struct selection *s)
{
	return s && (s->devices.n || s->op_mask || s->min_latency_ns);
}

bool select_wants_io(const struct selection *s, const struct select_io *io)
{
	bool any = !s->devices.n;

	for (size_t i = 0; !any && i < s->devices.n; i++)
		any = select_is_device(s->devices.at[i], io->disk, io->part);
	return any && (!s->op_mask || s->op_mask & 1u << io->op) &&
	       io->latency_ns >= s->min_latency_ns;
}

int select_add_word(struct select_words *w, const char *word)
{
	char **at = realloc(w->at, (w->n + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	w->at = at;
	at[w->n] = strdup(word);
	if (!at[w->n])
		return -ENOMEM;
	w->n++;
	return 0;
}

static void words_free(struct select_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i]);
	free(w->at);
}

/* --- making one ------------------------------------------------------------------- */

int select_add_name(struct selection *s, const char *regex, char *why, size_t size)
{
	struct regex **names = realloc(s->names, (s->n_names + 1) * sizeof(*names));
	int err;

	if (!names)
		return -ENOMEM;
	s->names = names;
	err = regex_new(&names[s->n_names], regex, false, why, size);
	s->n_names += !err;
	return err;
}

int select_add_uid(struct selection *s, uint32_t uid)
{
	uint32_t *uids = realloc(s->uids, (s->n_uids + 1) * sizeof(*uids));

	if (!uids)
		return -ENOMEM;
	s->uids = uids;
	uids[s->n_uids++] = uid;
	return 0;
}

int select_add_pid(struct selection *s, uint32_t pid)
{
	uint32_t *pids = realloc(s->pids, (s->n_pids + 1) * sizeof(*pids));

	if (!pids)
		return -ENOMEM;
	s->pids = pids;
	pids[s->n_pids++] = pid;
	return 0;
}

static int add_uid_text(struct selection *s, const char *text)
{
	char *end;
	unsigned long uid = strtoul(text, &end, 10);

	return *end || uid > UINT32_MAX ? -EBADMSG : select_add_uid(s, uid);
}

int select_event(struct selection *s, const struct iolat_select *e)
{
	struct select_words *const words[IOLAT_SELECT_MAX] = {
		[IOLAT_SELECT_CONTAINER] = &s->containers,
		[IOLAT_SELECT_POD] = &s->pods,
		[IOLAT_SELECT_JOB] = &s->jobs,
	};
	char why[64];
	int err;

	if (s->n_names + s->n_uids + s->containers.n + s->pods.n + s->jobs.n >= SELECT_MOST)
		return -EBADMSG;
	if (words[e->what])
		return select_add_word(words[e->what], e->text);
	if (e->what == IOLAT_SELECT_UID)
		return add_uid_text(s, e->text);
	err = select_add_name(s, e->text, why, sizeof(why));
	return err == -EINVAL ? -EBADMSG : err;
}

void select_free(struct selection *s)
{
	for (size_t i = 0; i < s->n_names; i++)
		regex_free(s->names[i]);
	free(s->names);
	free(s->uids);
	words_free(&s->containers);
	words_free(&s->pods);
	words_free(&s->jobs);
	words_free(&s->cgroups);
	words_free(&s->devices);
	free(s->pids);
	*s = (struct selection){0};
}
