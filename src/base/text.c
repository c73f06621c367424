/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes foreign bytes safe to show: checks UTF-8, replaces what would steer a terminal, and counts
 * columns by the table in width.h, whatever the locale. Used by the renderers, json.c and log.c.
 */
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/width.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* What a lead byte announces: bytes in all (0: it is none), its own payload bits, and the least
 * code point that may be written at this length. */
static int lead_byte(unsigned char c, unsigned int *bits, unsigned int *least)
{
	if (c < 0x80) {
		*bits = c;
		*least = 0;
		return c ? 1 : 0;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		*bits = c & 0x1f;
		*least = 0x80;
		return 2;
	}
	if ((c & 0xf0) == 0xe0) {
		*bits = c & 0x0f;
		*least = 0x800;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*bits = c & 0x07;
		*least = 0x10000;
		return 4;
	}
	return 0;
}

int utf8_next(const char *s, unsigned int *cp)
{
	unsigned int value = 0, least = 0;
	int len = lead_byte((unsigned char)s[0], &value, &least);

	for (int i = 1; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* The NUL is no continuation byte, so nothing behind it is looked at. */
		if ((c & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (c & 0x3f);
	}
	if (!len || value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	if (cp)
		*cp = value;
	return len;
}

/* Characters that move the cursor, reorder or break the line: C0, DEL, C1, the bidirectional
 * marks, embeddings, overrides and isolates, line and paragraph separators. */
static bool is_unsafe(unsigned int cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp <= 0x9f) || cp == 0x61c || cp == 0x200e ||
	       cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

static size_t copy_text(char *dst, size_t size, const char *src, bool printable)
{
	size_t done = 0;

	if (!size)
		return 0;
	while (*src) {
		unsigned int cp = 0;
		int seq = utf8_next(src, &cp);
		const char *from = seq ? src : replacement;
		size_t len = seq ? (size_t)seq : sizeof(replacement) - 1;

		if (seq && printable && is_unsafe(cp)) {
			from = "?";
			len = 1;
		}
		if (len >= size - done)
			break;
		memcpy(dst + done, from, len);
		done += len;
		src += seq ? seq : 1;
	}
	dst[done] = '\0';
	return done;
}

size_t utf8_clean(char *dst, size_t size, const char *src)
{
	return copy_text(dst, size, src, false);
}

size_t text_printable(char *dst, size_t size, const char *src)
{
	return copy_text(dst, size, src, true);
}

int text_printable_char(char out[TEXT_CHAR], const char *s)
{
	int len = utf8_next(s, NULL);
	char one[TEXT_CHAR];

	if (!len)
		len = 1;
	memcpy(one, s, (size_t)len);
	one[len] = '\0';
	text_printable(out, TEXT_CHAR, one);
	return len;
}

static bool in_ranges(const struct width_range *r, size_t n, unsigned int cp)
{
	while (n) {
		size_t mid = n / 2;

		if (cp < r[mid].first) {
			n = mid;
		} else if (cp > r[mid].last) {
			r += mid + 1;
			n -= mid + 1;
		} else {
			return true;
		}
	}
	return false;
}

static int char_columns(unsigned int cp)
{
	if (cp < width_none[0].first)
		return 1;
	if (in_ranges(width_none, ARRAY_LEN(width_none), cp))
		return 0;
	return in_ranges(width_two, ARRAY_LEN(width_two), cp) ? 2 : 1;
}

/* The character at s, or one byte that is none and shows as one column. Returns its length. */
static int measure(const char *s, int *columns)
{
	unsigned int cp = 0;
	int len = utf8_next(s, &cp);

	*columns = len ? char_columns(cp) : 1;
	return len ? len : 1;
}

int text_columns(const char *s)
{
	int sum = 0;

	while (*s) {
		int columns;

		s += measure(s, &columns);
		if (sum > INT_MAX - columns)
			return INT_MAX;
		sum += columns;
	}
	return sum;
}

size_t text_fit(const char *s, int columns)
{
	const char *p = s;

	while (*p) {
		int wide;
		int len = measure(p, &wide);

		if (wide > columns)
			break;
		columns -= wide;
		p += len;
	}
	return (size_t)(p - s);
}

size_t text_break(const char *s, int columns)
{
	char one[TEXT_CHAR];
	size_t fits = text_fit(s, columns), end;

	if (!s[fits])
		return fits;
	for (end = fits; end && s[end] != ' ';)
		end--;
	return end ?: fits ?: (size_t)text_printable_char(one, s);
}
