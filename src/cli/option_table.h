/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line as data: a row an option, a row a command, the examples and the exit
 * statuses. Parsing (options.c), --help (help.c), the man page (man.c) and completion
 * (completion_*.c) are all made from it, so a new option is one more row in option_table.c.
 */
#ifndef IOLAT_CLI_OPTION_TABLE_H
#define IOLAT_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/option_set.h"
#include "cli/options.h"

enum option_section {
	SECTION_SELECTION,
	SECTION_OUTPUT,
	SECTION_SERVE,
	SECTION_RUN,
	SECTION_MAX
};
const char *option_section_name(enum option_section section);

/* What an argument is, as far as completion can help with it. */
enum option_value {
	VALUE_ANY,
	VALUE_WORD,		/* one of word_at's */
	VALUE_WORDS,		/* a comma list of them */
	VALUE_PIDS,		/* a comma list of process ids */
	VALUE_USER,
	VALUE_CGROUP,
	VALUE_DEVICE,
	VALUE_FILE,
};

struct option_row {
	char letter;		/* 0: long only */
	const char *name;
	const char *arg;	/* NULL: takes none */
	enum option_section section;
	unsigned int commands;	/* bit a command that takes it */
	option_set *set;
	size_t field;		/* offset in struct options of what `set` gets */
	enum option_value value;
	option_words *word_at;	/* the words that the argument may be, or NULL */
	bool lists;		/* documents list these words */
	const char *help;	/* a short line, no capital and no full stop: it goes on */
	const char *more;	/* sentences for the man page, in its mark-up (man.c); NULL: none */
};

#define OPTIONS_MAX 64

const struct option_row *option_at(size_t i);	/* NULL behind the last */
bool option_applies(const struct option_row *row, enum command command);

/* The row's words as "a, b, c" into buf (always terminated); "" where it lists none. */
#define OPTION_WORDS_LEN 1024
char *option_words_line(char buf[OPTION_WORDS_LEN], const struct option_row *row,
			enum command command);

struct command_row {
	const char *name;	/* NULL: what runs when no command is named */
	const char *synopsis;	/* behind "iolat " */
	const char *summary;	/* a line of help */
	const char *const *formats;	/* what --format may be; NULL: every renderer */
	bool traces_command;	/* takes "-- COMMAND" */
	bool takes_files;	/* at least one */
	bool may_take_file;	/* with --disk */
	bool needs_output;	/* --output is no option but a must */
};

extern const struct command_row command_rows[COMMAND_MAX];
/* The command of that name, COMMAND_MAX for none. */
enum command command_find(const char *name);
bool command_takes_files(enum command command);	/* it may, or has to */
bool command_takes_format(enum command command, const char *format);

struct example {
	const char *line, *what;
};
const struct example *example_at(size_t i);	/* NULL behind the last */

struct status_row {
	const char *status, *what;
};
const struct status_row *status_at(size_t i);	/* NULL behind the last */

#endif
