// SPDX-License-Identifier: GPL-2.0
/*
 * The completion for zsh: _arguments specifications (zshcompsys(1)), a list for each command, made from the option
 * table. Used by the build only (docs/gendocs.c).
 */
#include <stdio.h>
#include <string.h>

#include "cli/option_table.h"

static const char opening[] =
	"#compdef iolat\n"
	"# zsh completion for iolat; generated from the program's table of options\n"
	"\n"
	"_iolat_devices() {\n"
	"\tlocal -a disks=(/sys/class/block/*(N:t))\n"
	"\t_alternative 'disks:disk:compadd -a disks' 'files:path:_files'\n"
	"}\n"
	"\n"
	"_iolat() {\n"
	"\tlocal command=live at=${words[(i)--]}\n"
	"\tlocal -a subcommands options\n"
	"\tif (( at < CURRENT )); then\n"
	"\t\tshift $at words\n"
	"\t\tif (( (CURRENT -= at) == 1 )); then _command_names -e; else _normal; fi\n"
	"\t\treturn\n"
	"\tfi\n";

static const char closing[] =
	"\tif [[ $command == live ]]; then\n"
	"\t\toptions+=('1:command:{_describe command subcommands}')\n"
	"\telse\n"
	"\t\twords[${words[(i)$command]}]=() && (( CURRENT-- ))\n"
	"\tfi\n"
	"\t_arguments -s -S : $options\n"
	"}\n"
	"\n"
	"_iolat \"$@\"\n";

/* Text inside of single quotes; with the marks that _arguments would take as its own, escaped. */
static void print_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		if (strchr("[]:\\", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_words(FILE *out, const struct option_row *row, enum command c)
{
	const char *word;

	for (size_t i = 0; (word = row->word_at(c, i)); i++)
		fprintf(out, "%s%s", i ? " " : "", word);
}

/* What completes the argument. */
static void print_action(FILE *out, const struct option_row *row, enum command c)
{
	switch (row->value) {
	case VALUE_WORD:
		fputc('(', out);
		print_words(out, row, c);
		fputc(')', out);
		break;
	case VALUE_WORDS:
		fputs("_values -s , word ", out);
		print_words(out, row, c);
		break;
	case VALUE_PIDS:
		fputs("_sequence _pids", out);
		break;
	case VALUE_USER:
		fputs("_users", out);
		break;
	case VALUE_CGROUP:
		fputs("_directories", out);
		break;
	case VALUE_DEVICE:
		fputs("_iolat_devices", out);
		break;
	case VALUE_FILE:
		fputs("_files", out);
		break;
	case VALUE_ANY:
		fputc(' ', out);
		break;
	}
}

/* '(-d --device)'{-d+,--device=}'[help]:NAME:action' */
static void print_option(FILE *out, const struct option_row *row, enum command c)
{
	fputs("\t\t\t'*'", out);
	if (row->letter)
		fprintf(out, "{-%c%s,--%s%s}", row->letter, row->arg ? "+" : "", row->name, row->arg ? "=" : "");
	else
		fprintf(out, "--%s%s", row->name, row->arg ? "=" : "");
	fputs("'[", out);
	print_text(out, row->help);
	fputc(']', out);
	if (row->arg) {
		fputc(':', out);
		print_text(out, row->arg);
		fputc(':', out);
		print_action(out, row, c);
	}
	fputs("'\n", out);
}

static void print_commands(FILE *out)
{
	fputs("\tsubcommands=(\n", out);
	for (enum command c = 0; c < COMMAND_MAX; c++) {
		if (!command_rows[c].name)
			continue;
		fprintf(out, "\t\t'%s:", command_rows[c].name);
		print_text(out, command_rows[c].summary);
		fputs("'\n", out);
	}
	fputs("\t)\n\tlocal word\n\tfor word in ${words[2,CURRENT-1]}; do\n"
	      "\t\t(( ${subcommands[(I)$word:*]} )) && command=$word && break\n\tdone\n", out);
}

void options_zsh_completion(FILE *out)
{
	const struct option_row *row;

	fputs(opening, out);
	print_commands(out);
	fputs("\tcase $command in\n", out);
	for (enum command c = 0; c < COMMAND_MAX; c++) {
		fprintf(out, "\t%s)\n\t\toptions=(\n", command_rows[c].name ? command_rows[c].name : "live");
		for (size_t i = 0; (row = option_at(i)); i++)
			if (option_applies(row, c))
				print_option(out, row, c);
		if (command_takes_files(c))
			fputs("\t\t\t'*:FILE:_files'\n", out);
		fputs("\t\t) ;;\n", out);
	}
	fputs("\tesac\n", out);
	fputs(closing, out);
}
