// SPDX-License-Identifier: GPL-2.0
/* Compiles with the options that hostile text asks for, and keeps the text of the last match for its groups. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/regex.h"

#include <errno.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_LIMIT 100000 /* steps of a match; a log's line takes a few hundred, a name fewer */

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	const char *text;
};

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->context);
	pcre2_match_data_free(r->data);
	pcre2_code_free(r->code);
	free(r);
}

static int refuse(int code, size_t offset, char *why, size_t why_size)
{
	char text[128];

	if (code == PCRE2_ERROR_NOMEMORY)
		return -ENOMEM;
	pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof(text));
	snprintf(why, why_size, "%s, at character %zu", text, offset);
	return -EINVAL;
}

int regex_new(struct regex **out, const char *pattern, bool any_case, char *why, size_t why_size)
{
	const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C |
				 (any_case ? PCRE2_CASELESS : 0);
	struct regex *r = calloc(1, sizeof(*r));
	size_t offset;
	int code;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &code, &offset, NULL);
	if (!r->code) {
		free(r);
		return refuse(code, offset, why, why_size);
	}
	r->data = pcre2_match_data_create_from_pattern(r->code, NULL);
	r->context = pcre2_match_context_create(NULL);
	if (!r->data || !r->context) {
		regex_free(r);
		return -ENOMEM;
	}
	pcre2_set_match_limit(r->context, MATCH_LIMIT);
	*out = r;
	return 0;
}

bool regex_match(struct regex *r, const char *text, size_t len, size_t from)
{
	r->text = text;
	return pcre2_match(r->code, (PCRE2_SPTR)text, len, from, 0, r->data, r->context) > 0;
}

struct span regex_span(const struct regex *r)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->data);

	/* \K can put the start behind the end. */
	return (struct span){at[0] < at[1] ? at[0] : at[1], at[1]};
}

/* The groups of that name as entries of PCRE2's table; their number. */
static size_t entries(const struct regex *r, const char *name, PCRE2_SPTR *first, size_t *size)
{
	PCRE2_SPTR last;
	int entry = pcre2_substring_nametable_scan(r->code, (PCRE2_SPTR)name, first, &last);

	if (entry <= 0)
		return 0;
	*size = (size_t)entry;
	return (size_t)(last - *first) / *size + 1;
}

bool regex_has_group(const struct regex *r, const char *name)
{
	PCRE2_SPTR first;
	size_t size;

	return entries(r, name, &first, &size);
}

bool regex_group(const struct regex *r, const char *name, const char **at, size_t *len)
{
	const PCRE2_SIZE *span = pcre2_get_ovector_pointer(r->data);
	size_t groups = pcre2_get_ovector_count(r->data), size = 0;
	PCRE2_SPTR entry;
	size_t n = entries(r, name, &entry, &size);

	for (; n; n--, entry += size) {
		size_t group = (size_t)entry[0] << 8 | entry[1];

		if (group >= groups || span[2 * group] == PCRE2_UNSET || span[2 * group] > span[2 * group + 1])
			continue;
		*at = r->text + span[2 * group];
		*len = span[2 * group + 1] - span[2 * group];
		return true;
	}
	return false;
}

bool regex_text(const struct regex *r, const char *name, char *out, size_t size)
{
	const char *at;
	size_t len;

	out[0] = '\0';
	if (!regex_group(r, name, &at, &len))
		return false;
	if (len >= size)
		len = size - 1;
	memcpy(out, at, len);
	out[len] = '\0';
	return true;
}
