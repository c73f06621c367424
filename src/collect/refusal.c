// SPDX-License-Identifier: GPL-2.0
/* libbpf's callback knows no context, hence the one name of the process. */
#include "collect/refusal.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABOUT_PROGRAM "libbpf: prog '%s'"

static char program[64];

static void note(const char *fmt, va_list args)
{
	va_list copy;

	if (strncmp(fmt, ABOUT_PROGRAM, strlen(ABOUT_PROGRAM)))
		return;
	va_copy(copy, args);
	snprintf(program, sizeof(program), "%s", va_arg(copy, const char *));
	va_end(copy);
}

static int __attribute__((format(printf, 2, 0)))
heard(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (level == LIBBPF_WARN)
		note(fmt, args);
	return getenv("IOLAT_DEBUG") ? vfprintf(stderr, fmt, args) : 0;
}

void refusal_listen(void)
{
	libbpf_set_print(heard);
}

const char *refusal_program(void)
{
	return *program ? program : NULL;
}

void refusal_forget(void)
{
	*program = 0;
}
