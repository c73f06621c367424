// SPDX-License-Identifier: GPL-2.0
/*
 * --help: examples first, then the options of the command by section, each with its short
 * line and the words it takes, then what is common to all. At most 80 columns.
 */
#include "cli/help.h"

#include <string.h>

#include "cli/option_table.h"

#define TEXT_COLUMN 28 /* where what is said about an option begins */
#define LINE_WIDTH  80

static void print_usage(FILE *out, enum command command)
{
	fprintf(out, "Usage: iolat %s\n", command_rows[command].synopsis);
	for (enum command c = 0; command == COMMAND_LIVE && c < COMMAND_MAX; c++)
		if (c != command)
			fprintf(out, "       iolat %s\n", command_rows[c].synopsis);
	fprintf(out, "\n%s\n", command_rows[command].summary);
}

static void print_examples(FILE *out)
{
	const struct example *e;

	fputs("\nExamples:\n", out);
	for (size_t i = 0; (e = example_at(i)); i++)
		fprintf(out, "  %-47s %s\n", e->line, e->what);
}

static void print_name(FILE *out, const struct option_row *row)
{
	int width = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "      ");

	width += fprintf(out, "--%s%s%s", row->name, row->arg ? " " : "", row->arg ? row->arg : "");
	fprintf(out, "%*s", width < TEXT_COLUMN ? TEXT_COLUMN - width : 1, "");
}

/* The words, wrapped, under the text. */
static void print_words(FILE *out, const struct option_row *row, enum command command)
{
	char buf[OPTION_WORDS_LEN], *rest = option_words_line(buf, row, command), *word;
	size_t column = LINE_WIDTH;

	while ((word = strsep(&rest, " ")) && *word) {
		if (column + 1 + strlen(word) > LINE_WIDTH)
			column = (size_t)fprintf(out, "\n%*s", TEXT_COLUMN - 1, "") - 1;
		column += (size_t)fprintf(out, " %s", word);
	}
}

static void print_section(FILE *out, enum option_section section, enum command command)
{
	const struct option_row *row;
	bool any = false;

	for (size_t i = 0; (row = option_at(i)); i++) {
		if (row->section != section || !option_applies(row, command))
			continue;
		if (!any)
			fprintf(out, "\n%s:\n", option_section_name(section));
		any = true;
		print_name(out, row);
		fputs(row->help, out);
		print_words(out, row, command);
		fputc('\n', out);
	}
}

static void print_commands(FILE *out)
{
	fputs("\nCommands:\n", out);
	for (enum command c = 0; c < COMMAND_MAX; c++)
		if (command_rows[c].name)
			fprintf(out, "  %-8s %s\n", command_rows[c].name, command_rows[c].summary);
}

static void print_statuses(FILE *out)
{
	const struct status_row *s;

	fputs("\nExit status:\n", out);
	for (size_t i = 0; (s = status_at(i)); i++)
		fprintf(out, "  %s  %s\n", s->status, s->what);
}

/* What the options of all that select have in common. */
static void print_common(FILE *out)
{
	fputs("\nDUR takes ns us ms s m h, SIZE takes K M G. Selections of one kind are OR-ed,\n"
	      "of different kinds AND-ed.\n",
	      out);
}

static void print_rest(FILE *out)
{
	print_commands(out);
	print_statuses(out);
	fputs("With a COMMAND it is the command's own.\n", out);
}

void help_print(FILE *out, enum command command)
{
	print_usage(out, command);
	if (command == COMMAND_LIVE)
		print_examples(out);
	for (enum option_section s = 0; s < SECTION_MAX; s++)
		print_section(out, s, command);
	if (command != COMMAND_DOCTOR)
		print_common(out);
	if (command == COMMAND_LIVE)
		print_rest(out);
	fputs("\nThe man page, iolat(8), says more.\n", out);
}
