/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that came from elsewhere (kernel names, paths): valid UTF-8 for machines,
 * printable and measured in columns for people.
 */
#ifndef IOLAT_BASE_TEXT_H
#define IOLAT_BASE_TEXT_H

#include <stddef.h>

/* Length of the valid UTF-8 sequence at s (1-4, shortest form, no surrogates), 0 if there is none.
 * Never reads behind the NUL. *cp is its code point; cp may be NULL. */
int utf8_next(const char *s, unsigned int *cp);

/* Copies src to dst (size bytes, always NUL-terminated, never cut inside a sequence) with each
 * invalid byte replaced by U+FFFD. Returns the length of what it wrote. */
size_t utf8_clean(char *dst, size_t size, const char *src);

/* For a person: as utf8_clean, and control characters, also C1 and bidirectional overrides, become '?'. */
size_t text_printable(char *dst, size_t size, const char *src);

/* The first character of a text that is not empty, or one byte that is none, made printable in the same
 * way into `out`. Returns how many bytes of `s` that was. */
#define TEXT_CHAR 8
int text_printable_char(char out[TEXT_CHAR], const char *s);

/* Columns that a printable string takes on a terminal; wide (CJK) characters count two, combining ones none. */
int text_columns(const char *s);

/* Bytes of s that fit into `columns` columns. */
size_t text_fit(const char *s, int columns);

/* The same up to a blank, where there is one: a line of a text that goes on in the next. At least one character. */
size_t text_break(const char *s, int columns);

#endif
