// SPDX-License-Identifier: GPL-2.0
/* Thin over json-c: every look-up takes what is there or is empty, whatever its type. */
#include "collect/jsonfile.h"

#include <limits.h>
#include <stdio.h>

#define DEPTH 32 /* Docker's files need 6 */

json_object *jsonfile_parse(const char *text, size_t len)
{
	json_tokener *tok = len < INT_MAX ? json_tokener_new_ex(DEPTH) : NULL;
	json_object *o;

	if (!tok)
		return NULL;
	o = json_tokener_parse_ex(tok, text, (int)len);
	if (json_tokener_get_error(tok) != json_tokener_success) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tok);
	return o;
}

json_object *jsonfile_member(json_object *o, const char *key)
{
	json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

const char *jsonfile_string(json_object *o, const char *key)
{
	json_object *v = jsonfile_member(o, key);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
}

void jsonfile_copy(char *to, size_t size, const char *s)
{
	snprintf(to, size, "%s", s);
}
