/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regular expressions with named groups, a thin layer over PCRE2. A match takes bounded time, whatever the
 * expression and the text.
 */
#ifndef IOLAT_BASE_REGEX_H
#define IOLAT_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct regex;

/* Text may be any bytes. 0, -ENOMEM, or -EINVAL with the reason in `why`. */
int regex_new(struct regex **out, const char *pattern, bool any_case, char *why, size_t why_size);
void regex_free(struct regex *r);

/* Whether it matches anywhere from `from` on; the groups are those of this match until the next. */
bool regex_match(struct regex *r, const char *text, size_t len, size_t from);

/* The whole match. */
struct span {
	size_t from, to;
};
struct span regex_span(const struct regex *r);

bool regex_has_group(const struct regex *r, const char *name); /* in the pattern */
/* What a named group matched; false: nothing. A name may stand for several groups. */
bool regex_group(const struct regex *r, const char *name, const char **at, size_t *len);

/* Copied into `out` (always terminated, cut where it is full); false: nothing matched. */
bool regex_text(const struct regex *r, const char *name, char *out, size_t size);

#endif
