// SPDX-License-Identifier: GPL-2.0
#include "render/lines.h"

#include <string.h>

#include "base/text.h"

enum { WRAP_LEAST = 40, WRAP_INDENT = 2 }; /* columns of the terminal */

static void put_line(FILE *out, const char *line, int width)
{
	size_t len = width > 0 ? text_fit(line, width) : strlen(line);

	while (len && line[len - 1] == ' ')
		len--;
	fwrite(line, 1, len, out);
	fputc('\n', out);
}

/* Goes on in the next line. */
static void put_sentence(FILE *out, const char *line, int width)
{
	for (int indent = 0; *line; indent = WRAP_INDENT) {
		size_t len = text_break(line, width - indent);

		fprintf(out, "%*s%.*s\n", indent, "", (int)len, line);
		line += len + strspn(line + len, " ");
	}
}

void lines_put(FILE *out, char *text, long sentences, int width)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && rest) {
		if (line - text >= sentences && width >= WRAP_LEAST)
			put_sentence(out, line, width);
		else
			put_line(out, line, width);
	}
}
