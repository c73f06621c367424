// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the generated documents to standard output: `gendocs man`, `gendocs bash`, ... Only
 * the build runs it; the text comes from cli/man.c and cli/completion_*.c.
 */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

static const struct {
	const char *name;
	void (*print)(FILE *out);
} documents[] = {
	{"man", options_man},
	{"bash", options_bash_completion},
	{"zsh", options_zsh_completion},
	{"fish", options_fish_completion},
};

int main(int argc, char **argv)
{
	const size_t n = sizeof(documents) / sizeof(documents[0]);
	size_t i = 0;

	while (i < n && (argc != 2 || strcmp(argv[1], documents[i].name)))
		i++;
	if (i == n) {
		fputs("usage: gendocs man|bash|zsh|fish\n", stderr);
		return 2;
	}
	documents[i].print(stdout);
	return fflush(stdout) || ferror(stdout);
}
