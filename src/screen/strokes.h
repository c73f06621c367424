/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bars and lines of a minute as text: in block elements where the locale has them, else in ASCII. What a bar is made of shows
 * in its characters, so nothing depends on colour. Pure.
 */
#ifndef IOLAT_SCREEN_STROKES_H
#define IOLAT_SCREEN_STROKES_H

#include "screen/board.h"

#define STROKES_MAX  200 /* columns of a bar or a line at most */
#define STROKES_SIZE (STROKES_MAX * 3 + 1)

/* `width` columns, of which pct percent are drawn, in the character of each reason by its part. NULL: `reasons` are not
 * known. */
void stroke_bar(char out[STROKES_SIZE], int width, double pct, const uint64_t reasons[REASON_MAX], bool utf8);

/* The character of a reason in bars. */
const char *stroke_of(enum wait_reason reason, bool utf8);

enum line_of { LINE_BLOCKED, LINE_P99, LINE_IOPS, LINE_BYTES, LINE_MAX };
const char *line_name(enum line_of what);

/* The last minute in `width` columns, the latest at the right; a column shows the highest of its seconds. Blocked shares are drawn on
 * a scale to 100 %, the rest to the highest of the minute. Nothing: a blank. */
void stroke_line(char out[STROKES_SIZE], int width, const struct group *g, enum line_of what, bool utf8);

#endif
