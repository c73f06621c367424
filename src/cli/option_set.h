/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Setters: how an option's argument becomes a value. The option table (option_table.c)
 * points at them; each reads its argument whole or refuses it with a reason, and knows
 * the field it writes to but neither the option's name nor the rest of the command line.
 */
#ifndef IOLAT_CLI_OPTION_SET_H
#define IOLAT_CLI_OPTION_SET_H

#include <stddef.h>

#include "cli/options.h"

struct reason {			/* why an argument was refused: "not a duration" */
	char text[1024];
};

/* The option has done all there is to do (--help): the program ends with status 0. */
#define OPTION_ANSWERED 1

/* 0, OPTION_ANSWERED, -EINVAL with the reason in `why`, or -ENOMEM. */
typedef int option_set(void *field, const char *arg, struct reason *why);

/* The i-th word that an argument may be, for that command; NULL behind the last. */
typedef const char *option_words(enum command command, size_t i);

/*	setter		   field */
option_set set_flag;	/* bool */
option_set set_words;	/* struct words; adds, the word not empty */
option_set set_regex;	/* struct words; adds, a valid expression */
option_set set_pids;	/* struct words; adds a comma list */
option_set set_ops;	/* unsigned int, a mask; adds a comma list */
option_set set_duration;	/* uint64_t; 0 is one */
option_set set_moment;	/* struct moment */
option_set set_limit;	/* uint64_t; a duration above 0 */
option_set set_interval;	/* uint64_t; a duration, 0 or not too short */
option_set set_by;	/* struct by; a later one replaces the earlier */
option_set set_format;	/* const struct renderer * */
option_set set_text;	/* const char * */
option_set set_folder;	/* the same */
option_set set_top;	/* unsigned int */
option_set set_sort;	/* const struct column * */
option_set set_columns;	/* struct render_options; a later one replaces the earlier */
option_set set_address;	/* const char *; an address by its form */
option_set set_series;	/* size_t */
option_set set_fd;	/* int */
option_set set_buffer;	/* uint64_t */
option_set set_size;	/* uint64_t; bytes, at least 64K */
option_set set_as_root;	/* bool */
option_set set_wall;		/* struct moment, of the wall clock */
option_set set_log_pattern, set_codes;	/* struct words; adds a comma list */
option_set set_waits;	/* struct options; --waits */
option_set set_no_waits;	/* struct options; --no-waits */
option_set set_help;	/* enum command, which is read */
option_set set_version;	/* not used */

option_words op_words, key_words, format_words, column_words, root_words, code_words;

#endif
