// SPDX-License-Identifier: GPL-2.0
/* Compares findings with the list of --fail-on. */
#include "cli/verdict.h"

#include <string.h>

static bool is_listed(const struct words *codes, const char *code)
{
	for (size_t i = 0; i < codes->n; i++)
		if (!strcmp(codes->at[i], code))
			return true;
	return false;
}

bool verdict_fails(const struct words *codes, const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (is_listed(codes, s->findings[i].code))
			return true;
	return false;
}
