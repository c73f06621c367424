/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that writes messages to standard error. A message may quote names and paths that
 * another user chose, so it passes text_printable() and cannot move the cursor or forge a line.
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/text.h"

#define LINE_LEN 8192 /* holds a longest path and the words around it; the rest is cut */

static void print_line(const char *prefix, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void print_line(const char *prefix, const char *fmt, va_list ap)
{
	char raw[LINE_LEN];
	char clean[LINE_LEN];
	int saved = errno;

	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	text_printable(clean, sizeof(clean), raw);
	fprintf(stderr, "iolat: %s%s\n", prefix, clean);
	errno = saved;
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line("", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	/* The one piece of state that belongs to the run itself: has it warned already? */
	static atomic_flag warned = ATOMIC_FLAG_INIT;
	va_list ap;

	if (atomic_flag_test_and_set(&warned))
		return;
	va_start(ap, fmt);
	print_line("warning: ", fmt, ap);
	va_end(ap);
}
