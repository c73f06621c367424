// SPDX-License-Identifier: GPL-2.0
/*
 * The bash completion script: fixed functions around lists made from the option table.
 * Used by the build only (docs/gendocs.c). It needs nothing but bash 4 itself, so it works
 * where the bash-completion package is not installed.
 */
#include <stdio.h>

#include "cli/option_table.h"

static const char opening[] =
	"# bash completion for iolat; generated from the program's table of options\n"
	"# shellcheck shell=bash\n"
	"\n"
	"# What is typed ($1) from the words ($2).\n"
	"_iolat_word()\n"
	"{\n"
	"	mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$1\")\n"
	"}\n"
	"\n"
	"# The same for a comma list, without the words that it has already.\n"
	"_iolat_list()\n"
	"{\n"
	"	local before='' left='' word\n"
	"	[[ $1 == *,* ]] && before=${1%,*},\n"
	"	for word in $2; do\n"
	"		[[ ,$before == *,\"$word\",* ]] || left+=\" $word\"\n"
	"	done\n"
	"	mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$left\" -- \"${1##*,}\")\n"
	"	compopt -o nospace 2>/dev/null\n"
	"}\n"
	"\n"
	"_iolat_path()\n"
	"{\n"
	"	mapfile -t COMPREPLY < <(compgen \"-$2\" -- \"$1\")\n"
	"	compopt -o filenames 2>/dev/null\n"
	"}\n"
	"\n"
	"_iolat_device()\n"
	"{\n"
	"	local disks=(/sys/class/block/*)\n"
	"	if [[ $1 == */* ]]; then\n"
	"		_iolat_path \"$1\" f\n"
	"	else\n"
	"		_iolat_word \"$1\" \"${disks[*]##*/}\"\n"
	"	fi\n"
	"}\n"
	"\n"
	"_iolat_pids()\n"
	"{\n"
	"	local pids=(/proc/[0-9]*)\n"
	"	_iolat_list \"$1\" \"${pids[*]##*/}\"\n"
	"}\n"
	"\n"
	"_iolat_user()\n"
	"{\n"
	"	mapfile -t COMPREPLY < <(compgen -u -- \"$1\")\n"
	"}\n"
	"\n"
	"# The command to trace, which begins at word $1.\n"
	"_iolat_traced()\n"
	"{\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]}\n"
	"	if declare -F _command_offset >/dev/null; then\n"
	"		_command_offset \"$1\"\n"
	"	elif ((COMP_CWORD == $1)); then\n"
	"		mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"	else\n"
	"		_iolat_path \"$cur\" f\n"
	"	fi\n"
	"}\n";

static const char closing[] =
	"\n"
	"_iolat()\n"
	"{\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} command=live option='' word i\n"
	"	COMPREPLY=()\n"
	"	for ((i = 1; i < COMP_CWORD; i++)); do\n"
	"		word=${COMP_WORDS[i]}\n"
	"		if [[ -n $option ]]; then\n"
	"			[[ $word == = ]] || option=''\n"
	"		elif [[ $word == -- ]]; then\n"
	"			_iolat_traced $((i + 1))\n"
	"			return\n"
	"		elif _iolat_has_value \"$command $word\"; then\n"
	"			option=$word\n"
	"		elif [[ \" $(_iolat_commands) \" == *\" $word \"* ]]; then\n"
	"			command=$word\n"
	"		fi\n"
	"	done\n"
	"	if [[ -n $option ]]; then\n"
	"		[[ $cur == = ]] && cur=''\n"
	"		_iolat_value \"$command $option\" \"$cur\"\n"
	"	elif [[ $cur != -* && \" $(_iolat_file_commands) \" == *\" $command \"* ]]; then\n"
	"		_iolat_path \"$cur\" f\n"
	"	elif [[ $cur == -* || $command != live ]]; then\n"
	"		_iolat_word \"$cur\" \"$(_iolat_options \"$command\")\"\n"
	"	else\n"
	"		_iolat_word \"$cur\" \"$(_iolat_commands) $(_iolat_options live)\"\n"
	"	fi\n"
	"}\n"
	"\n"
	"complete -F _iolat iolat\n";

static const char *command_word(enum command c)
{
	return command_rows[c].name ? command_rows[c].name : "live";
}

static void print_commands(FILE *out, const char *function, bool with_files)
{
	fprintf(out, "\n%s()\n{\n\techo", function);
	for (enum command c = 0; c < COMMAND_MAX; c++)
		if (command_rows[c].name && (!with_files || command_takes_files(c)))
			fprintf(out, " %s", command_rows[c].name);
	fputs("\n}\n", out);
}

static void print_options_of(FILE *out, enum command c)
{
	const struct option_row *row;

	fprintf(out, "\t%s) echo \"", command_word(c));
	for (size_t i = 0; (row = option_at(i)); i++) {
		if (!option_applies(row, c))
			continue;
		if (row->letter)
			fprintf(out, "-%c ", row->letter);
		fprintf(out, "--%s ", row->name);
	}
	fprintf(out, "%s\" ;;\n", command_rows[c].traces_command ? "--" : "");
}

static void print_options(FILE *out)
{
	fputs("\n_iolat_options()\n{\n\tcase $1 in\n", out);
	for (enum command c = 0; c < COMMAND_MAX; c++)
		print_options_of(out, c);
	fputs("\tesac\n}\n", out);
}

/* A pattern of "command option" words. */
static void print_pattern(FILE *out, const struct option_row *row, enum command c)
{
	fputc('\t', out);
	if (row->letter)
		fprintf(out, "'%s -%c' | ", command_word(c), row->letter);
	fprintf(out, "'%s --%s'", command_word(c), row->name);
}

/* What stands in `words` where a list of words is asked for. */
static void print_word_call(FILE *out, const char *function, const struct option_row *row,
			    enum command c)
{
	const char *word;

	fprintf(out, "%s \"$2\" '", function);
	for (size_t i = 0; (word = row->word_at(c, i)); i++)
		fprintf(out, "%s%s", i ? " " : "", word);
	fputc('\'', out);
}

static void print_call(FILE *out, const struct option_row *row, enum command c)
{
	switch (row->value) {
	case VALUE_WORD:
		print_word_call(out, "_iolat_word", row, c);
		break;
	case VALUE_WORDS:
		print_word_call(out, "_iolat_list", row, c);
		break;
	case VALUE_PIDS:
		fputs("_iolat_pids \"$2\"", out);
		break;
	case VALUE_USER:
		fputs("_iolat_user \"$2\"", out);
		break;
	case VALUE_CGROUP:
		fputs("_iolat_path \"${2:-/sys/fs/cgroup/}\" d", out);
		break;
	case VALUE_DEVICE:
		fputs("_iolat_device \"$2\"", out);
		break;
	case VALUE_FILE:
		fputs("_iolat_path \"$2\" f", out);
		break;
	case VALUE_ANY:
		break;
	}
}

typedef void print_action(FILE *out, const struct option_row *row, enum command c);

/* One line of a `case` for each option with an argument, of each command. */
static void print_cases(FILE *out, print_action *action)
{
	const struct option_row *row;

	for (enum command c = 0; c < COMMAND_MAX; c++) {
		for (size_t i = 0; (row = option_at(i)); i++) {
			if (!row->arg || !option_applies(row, c))
				continue;
			print_pattern(out, row, c);
			fputs(") ", out);
			action(out, row, c);
			fputs(" ;;\n", out);
		}
	}
}

static void print_true(FILE *out, const struct option_row *row, enum command c)
{
	fputs("return 0", out);
}

void options_bash_completion(FILE *out)
{
	fputs(opening, out);
	print_commands(out, "_iolat_commands", false);
	print_commands(out, "_iolat_file_commands", true);
	print_options(out);
	fputs("\n# Whether \"command option\" takes a value.\n"
	      "_iolat_has_value()\n{\n\tcase $1 in\n",
	      out);
	print_cases(out, print_true);
	fputs("\tesac\n\treturn 1\n}\n"
	      "\n# Values for \"command option\" ($1) that begin with $2.\n"
	      "_iolat_value()\n{\n\tcase $1 in\n",
	      out);
	print_cases(out, print_call);
	fputs("\tesac\n}\n", out);
	fputs(closing, out);
}
