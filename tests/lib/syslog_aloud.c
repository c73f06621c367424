// SPDX-License-Identifier: GPL-2.0
/* Preloaded: what a program or one of its libraries says to the system's log goes to standard error. */
#include <stdarg.h>
#include <stdio.h>

static void say(const char *format, va_list args)
{
	fputs("to the system's log: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}
