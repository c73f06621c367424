// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a command line, a word a line: it is taken or refused with a status, and what is selected can be made a
 * filter of.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/filter.h"

#define WORDS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void parse(int argc, char **argv)
{
	struct selection s = {0};
	struct options o;
	int status = options_parse(&o, argc, argv);

	if (status >= 0) {
		require(status == EXIT_OK || status == EXIT_USAGE || status == EXIT_FAILED);
		return;
	}
	require(o.command < COMMAND_MAX && o.by.n <= BY_MAX);
	status = filter_make(&s, &o);
	require(status == EXIT_OK || status == EXIT_USAGE);
	select_free(&s);
	options_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *argv[WORDS + 1] = {"iolat"};
	int argc = 1;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	while (argc < WORDS && rest)
		argv[argc++] = strsep(&rest, "\n");
	parse(argc, argv);
	free(text);
	return 0;
}
