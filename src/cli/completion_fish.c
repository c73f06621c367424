// SPDX-License-Identifier: GPL-2.0
/*
 * The completion for fish: one `complete` line an option and subcommand, made from the option table. Used by the
 * build only (docs/gendocs.c).
 */
#include <stdio.h>
#include <string.h>

#include "cli/option_table.h"

static const char opening[] =
	"# fish completion for iolat; generated from the program's table of options\n"
	"\n"
	"# Whether what is typed so far is of one of the commands $argv, and not yet COMMAND's own.\n"
	"function __iolat_in\n"
	"    set -l words (commandline -opc)\n"
	"    contains -- -- $words; and return 1\n"
	"    set -l command live\n"
	"    for word in $words[2..-1]\n"
	"        contains -- $word (__iolat_commands); and set command $word\n"
	"    end\n"
	"    contains -- $command $argv\n"
	"end\n"
	"\n"
	"# The words $argv that a comma list does not have yet, each with what stands before it.\n"
	"function __iolat_list\n"
	"    set -l before (commandline -ct | string replace -r '^(--[a-z-]+=|-[A-Za-z])' '' | string match -r '.*,')\n"
	"    for word in $argv\n"
	"        string match -q -- \"*,$word,*\" \",$before\"; or echo \"$before$word\"\n"
	"    end\n"
	"end\n"
	"\n"
	"function __iolat_pids\n"
	"    __iolat_list (string replace -r '.*/' '' /proc/* | string match -r '^[0-9]+$')\n"
	"end\n"
	"\n"
	"complete -c iolat -f\n"
	"complete -c iolat -n 'contains -- -- (commandline -opc)' -a '(__fish_complete_subcommand)'\n";

/* In single quotes fish takes but \ and ' as its own. */
static void print_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

static const char *command_word(enum command c)
{
	return command_rows[c].name ? command_rows[c].name : "live";
}

static void print_commands(FILE *out)
{
	fputs("function __iolat_commands\n    printf '%s\\n'", out);
	for (enum command c = 0; c < COMMAND_MAX; c++)
		if (command_rows[c].name)
			fprintf(out, " %s", command_rows[c].name);
	fputs("\nend\n", out);
	for (enum command c = 0; c < COMMAND_MAX; c++) {
		if (!command_rows[c].name)
			continue;
		fprintf(out, "complete -c iolat -n '__iolat_in live' -a %s -d ", command_rows[c].name);
		print_quoted(out, command_rows[c].summary);
		fputc('\n', out);
		if (command_takes_files(c))
			fprintf(out, "complete -c iolat -n '__iolat_in %s' -F\n", command_rows[c].name);
	}
}

static void print_words(FILE *out, const struct option_row *row, enum command c)
{
	const char *word;

	for (size_t i = 0; (word = row->word_at(c, i)); i++)
		fprintf(out, " %s", word);
}

/* The argument's words, as what fish runs for them. */
static void print_values(FILE *out, const struct option_row *row, enum command c)
{
	fputs(row->value == VALUE_FILE || row->value == VALUE_DEVICE ? " -r -F" : " -x", out);
	switch (row->value) {
	case VALUE_WORD:
		fputs(" -a '", out);
		print_words(out, row, c);
		fputc('\'', out);
		break;
	case VALUE_WORDS:
		fputs(" -a '(__iolat_list", out);
		print_words(out, row, c);
		fputs(")'", out);
		break;
	case VALUE_PIDS:
		fputs(" -a '(__iolat_pids)'", out);
		break;
	case VALUE_USER:
		fputs(" -a '(__fish_complete_users)'", out);
		break;
	case VALUE_CGROUP:
		fputs(" -a '(__fish_complete_directories)'", out);
		break;
	case VALUE_DEVICE:
		fputs(" -a '(string replace -r \".*/\" \"\" /sys/class/block/*)'", out);
		break;
	case VALUE_FILE:
	case VALUE_ANY:
		break;
	}
}

static void print_option(FILE *out, const struct option_row *row, enum command c)
{
	fprintf(out, "complete -c iolat -n '__iolat_in %s' -l %s", command_word(c), row->name);
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	if (row->arg)
		print_values(out, row, c);
	fputs(" -d ", out);
	print_quoted(out, row->help);
	fputc('\n', out);
}

void options_fish_completion(FILE *out)
{
	const struct option_row *row;

	fputs(opening, out);
	print_commands(out);
	for (enum command c = 0; c < COMMAND_MAX; c++)
		for (size_t i = 0; (row = option_at(i)); i++)
			if (option_applies(row, c))
				print_option(out, row, c);
}
