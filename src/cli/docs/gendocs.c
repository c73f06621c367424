// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the generated documents to standard output: `gendocs man`, `gendocs bash`. Only
 * the build runs it; the text comes from cli/man.c and cli/completion.c.
 */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "man")) {
		options_man(stdout);
	} else if (!strcmp(what, "bash")) {
		options_bash_completion(stdout);
	} else {
		fputs("usage: gendocs man|bash\n", stderr);
		return 2;
	}
	return fflush(stdout) || ferror(stdout);
}
