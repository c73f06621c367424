/* SPDX-License-Identifier: GPL-2.0 */
/* Strings out of JSON that came from anywhere, through json-c. */
#ifndef IOLAT_COLLECT_JSONFILE_H
#define IOLAT_COLLECT_JSONFILE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/* The value that the text holds, to be put (json_object_put); NULL if it is none: half-written,
 * nested too deeply. */
json_object *jsonfile_parse(const char *text, size_t len);

/* A member of an object; NULL when `o` is none, or has none of that name. */
json_object *jsonfile_member(json_object *o, const char *key);

/* A string member; "" when there is none or it is no string. Lives as long as `o`. */
const char *jsonfile_string(json_object *o, const char *key);

/* Copies, cutting what does not fit. */
void jsonfile_copy(char *to, size_t size, const char *s);

#endif
