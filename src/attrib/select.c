// SPDX-License-Identifier: GPL-2.0
/*
 * Which processes a selection by name or owner takes. Only the rule is here; who
 * inherits from whom is the process table's (proc.c).
 */
#include "attrib/select.h"

#include <errno.h>
#include <stdlib.h>

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
	*s = (struct selection){0};
}
