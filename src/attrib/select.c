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

#define ID_LEAST 4 /* digits of an id that are more than a word by chance */

static bool name_matches(const struct selection *s, const char *comm)
{
	for (size_t i = 0; i < s->n_names; i++)
		if (regexec(&s->names[i], comm, 0, NULL, 0) == 0)
			return true;
	return false;
}

static bool uid_matches(const struct selection *s, uint32_t uid)
{
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
	return bits;
}

bool select_wants(const struct selection *s, unsigned int bits)
{
	return (!s->n_names || bits & SELECT_NAME) && (!s->n_uids || bits & SELECT_USER);
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
	return s && (s->containers.n || s->pods.n || s->jobs.n);
}

bool select_wants_place(const struct selection *s, const struct container *c, const struct pod *p,
			const struct job *j)
{
	return !select_has_places(s) ||
	       (wants_container(s, c) && wants_pod(s, p) && wants_job(s, j));
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
	regex_t *names = realloc(s->names, (s->n_names + 1) * sizeof(*names));
	int err;

	if (!names)
		return -ENOMEM;
	s->names = names;
	err = regcomp(&names[s->n_names], regex, REG_EXTENDED | REG_NOSUB);
	if (!err) {
		s->n_names++;
		return 0;
	}
	regerror(err, &names[s->n_names], why, size);
	return err == REG_ESPACE ? -ENOMEM : -EINVAL;
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

void select_free(struct selection *s)
{
	for (size_t i = 0; i < s->n_names; i++)
		regfree(&s->names[i]);
	free(s->names);
	free(s->uids);
	words_free(&s->containers);
	words_free(&s->pods);
	words_free(&s->jobs);
	*s = (struct selection){0};
}
