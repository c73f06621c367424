/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The little language in which the table of cgroup shapes (shapes.c) is written. A
 * pattern is matched at the beginning of a path segment and must end with one; it may
 * span several. Everything but these stands for itself:
 *
 *   %I  64 lower-case hex digits    -> id      %J  digits                        -> job
 *   %N  any text in the segment     -> id      %L  a Slurm SLUID                 -> job
 *   %D  digits                      -> id      %E  32 hex digits or a UUID       -> job
 *   %G  a UUID                      -> id      %A  a UUID                        -> job
 *   %B  25 base-36 digits           -> id      %H  hex digits                    -> job
 *   %F  32 hex digits, "-", digits  -> id      %S  any text                      -> step
 *   %U  a pod's uid                 -> pod     %T  any text                      -> text
 *   %u  digits                      -> user    %d  digits, %*  any text or none  -> nothing
 *   [x] x or nothing                (x) x                                        -> id
 */
#ifndef IOLAT_ATTRIB_PATTERN_H
#define IOLAT_ATTRIB_PATTERN_H

#include <stddef.h>

struct capture {
	const char *at; /* in the path; NULL: not captured */
	size_t len;
};

enum captured { CAPTURE_ID, CAPTURE_POD, CAPTURE_JOB, CAPTURE_STEP, CAPTURE_TEXT, CAPTURE_USER, CAPTURES };

/* Length of what `pattern` matches at `s`, 0 if it does not; captures as they were if not. */
size_t pattern_match(const char *pattern, const char *s, struct capture captures[CAPTURES]);

/* The number of hex digits at s, at most `max`. */
size_t pattern_hex(const char *s, size_t max);

#endif
