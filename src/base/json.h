/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A streaming JSON writer: one line of text a top-level value, commas and quotes
 * by itself, strings made valid UTF-8, numbers in the C locale. Errors of the
 * stream are left in it for the caller's ferror().
 *
 *	json_open(&j, '{'); json_key(&j, "n"); json_u64(&j, 7); json_close(&j, '}'); json_end(&j);
 */
#ifndef IOLAT_BASE_JSON_H
#define IOLAT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool comma;		/* the next value needs one before it */
};

void json_begin(struct json *j, FILE *out);
void json_open(struct json *j, char bracket);		/* '{' or '[' */
void json_close(struct json *j, char bracket);		/* '}' or ']' */
void json_key(struct json *j, const char *key);		/* key: a literal, not escaped */
void json_str(struct json *j, const char *s);		/* NULL becomes null */
void json_u64(struct json *j, uint64_t v);
void json_double(struct json *j, double v, int decimals);	/* NaN and infinities become null */
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
void json_raw(struct json *j, const char *value);		/* one that is JSON already */
void json_end(struct json *j);				/* the line's end */

/* Key and value in one. */
void json_kstr(struct json *j, const char *key, const char *s);
void json_ku64(struct json *j, const char *key, uint64_t v);

#endif
