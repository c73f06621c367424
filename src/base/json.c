/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON straight to a stream; the only state is whether the next value needs a comma. Names
 * that the kernel or other users chose come through json_str(), which makes them valid UTF-8.
 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

#define MAX_DECIMALS 17 /* a double carries no more */

void json_begin(struct json *j, FILE *out)
{
	*j = (struct json){.out = out};
}

static void begin_value(struct json *j)
{
	if (j->comma)
		putc(',', j->out);
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	begin_value(j);
	putc(bracket, j->out);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	putc(bracket, j->out);
	j->comma = true;
}

void json_key(struct json *j, const char *key)
{
	begin_value(j);
	fprintf(j->out, "\"%s\":", key);
	j->comma = false;
}

/* Beyond what JSON demands: DEL, C1 and the two separators, which steer a terminal or end a line
 * where the output is shown or pasted into a script. */
static bool must_escape(unsigned int cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp <= 0x9f) || cp == 0x2028 || cp == 0x2029;
}

static void write_escape(FILE *out, unsigned int cp)
{
	static const char named[] = "\b\f\n\r\t";
	static const char letters[] = "bfnrt";
	const char *at = cp < 0x20 ? strchr(named, (int)cp) : NULL;

	if (at)
		fprintf(out, "\\%c", letters[at - named]);
	else
		fprintf(out, "\\u%04x", cp);
}

/* One character of the string at s, or one byte that is none. Returns its length. */
static int write_char(FILE *out, const char *s)
{
	unsigned int cp = 0;
	int len = utf8_next(s, &cp);

	if (!len) {
		fputs("\xef\xbf\xbd", out); /* U+FFFD */
		return 1;
	}
	if (must_escape(cp)) {
		write_escape(out, cp);
		return len;
	}
	if (cp == '"' || cp == '\\')
		putc('\\', out);
	fwrite(s, 1, (size_t)len, out);
	return len;
}

void json_str(struct json *j, const char *s)
{
	if (!s) {
		json_null(j);
		return;
	}
	begin_value(j);
	putc('"', j->out);
	while (*s)
		s += write_char(j->out, s);
	putc('"', j->out);
}

void json_u64(struct json *j, uint64_t v)
{
	begin_value(j);
	fprintf(j->out, "%" PRIu64, v);
}

/* printf's decimal point is the locale's and may have several bytes: all of it becomes '.'. */
static void fix_point(char *s)
{
	static const char plain[] = "0123456789-+e";
	char *point = s + strspn(s, plain);
	char *rest = point + strcspn(point, plain);

	if (!*point)
		return;
	*point = '.';
	memmove(point + 1, rest, strlen(rest) + 1);
}

/* "1.500" to "1.5", "2.000" to "2", "-0.00" to "0". */
static void trim_zeros(char *s)
{
	char *end = s + strlen(s);

	if (!strchr(s, '.') || strchr(s, 'e'))
		return;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	*end = '\0';
}

void json_double(struct json *j, double v, int decimals)
{
	char buf[64];

	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	if (decimals < 0)
		decimals = 0;
	if (decimals > MAX_DECIMALS)
		decimals = MAX_DECIMALS;
	/* Beyond 2^53 there are no decimals, and %f would print up to 309 digits. */
	if (fabs(v) < 1e16)
		snprintf(buf, sizeof(buf), "%.*f", decimals, v);
	else
		snprintf(buf, sizeof(buf), "%.17g", v);
	fix_point(buf);
	trim_zeros(buf);
	begin_value(j);
	fputs(strcmp(buf, "-0") ? buf : "0", j->out);
}

void json_bool(struct json *j, bool v)
{
	begin_value(j);
	fputs(v ? "true" : "false", j->out);
}

void json_null(struct json *j)
{
	begin_value(j);
	fputs("null", j->out);
}

void json_raw(struct json *j, const char *value)
{
	begin_value(j);
	fputs(value, j->out);
}

void json_end(struct json *j)
{
	putc('\n', j->out);
	j->comma = false;
}

void json_kstr(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_str(j, s);
}

void json_ku64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}
