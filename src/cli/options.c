// SPDX-License-Identifier: GPL-2.0
/*
 * Parses argv into struct options: getopt_long finds the words, with its tables made from
 * the option table, and the rows' setters (option_set.c) read the arguments. Everything
 * wrong is one line on standard error in this program's words.
 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/option_table.h"
#include "serve/listen.h"

#define INTERVAL_DEFAULT UINT64_MAX /* not given */
#define LONG_BASE 256 /* getopt's value of a row: its index above every letter */

/* What a step of parsing comes to, besides an exit status. */
enum { STEP_END = -1, STEP_MORE = -2 };

struct parser {
	struct options *o;
	int argc;
	char **argv;
	bool command_named;
	bool given[OPTIONS_MAX]; /* by row */
	char letters[2 + 2 * OPTIONS_MAX + 1];
	struct option longs[OPTIONS_MAX + 1];
};

/* "+" stops at the first word that is no option, ":" tells a missing argument from an unknown
 * option. */
static void make_letters(struct parser *p)
{
	const struct option_row *row;
	char *at = p->letters;

	*at++ = '+';
	*at++ = ':';
	for (size_t i = 0; (row = option_at(i)); i++) {
		if (!row->letter)
			continue;
		*at++ = row->letter;
		if (row->arg)
			*at++ = ':';
	}
	*at = '\0';
}

static void make_longs(struct parser *p)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(i)); i++)
		p->longs[i] = (struct option){
			.name = row->name,
			.has_arg = row->arg ? required_argument : no_argument,
			.val = LONG_BASE + (int)i,
		};
}

/* The row's index from what getopt said: a letter or LONG_BASE and more. */
static size_t row_index(int value)
{
	size_t i = 0;

	if (value >= LONG_BASE)
		return (size_t)(value - LONG_BASE);
	while (option_at(i)->letter != value)
		i++;
	return i;
}

static int usage_missing(void)
{
	const struct option_row *row = option_at(row_index(optopt));

	log_error("--%s: needs an argument (%s)", row->name, row->arg);
	return EXIT_USAGE;
}

/* The long option that `word` ("--pi", "--pi=1") is short for: how many there are, and the
 * first two. */
static size_t count_matches(const char *word, const struct option_row *first[2])
{
	size_t len = strcspn(word + 2, "="), n = 0;
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(i)); i++) {
		if (strncmp(row->name, word + 2, len))
			continue;
		if (n < 2)
			first[n] = row;
		n++;
	}
	return n;
}

static int usage_unknown(const struct parser *p)
{
	const struct option_row *match[2];
	const char *word = p->argv[optind - 1];

	if (optopt >= LONG_BASE)
		log_error("--%s: takes no argument", option_at(row_index(optopt))->name);
	else if (optopt)
		log_error("unknown option '-%c'; try 'iolat --help'", optopt);
	else if (count_matches(word, match) > 1)
		log_error("option '%s' is ambiguous: --%s or --%s; write it in full", word,
			  match[0]->name, match[1]->name);
	else
		log_error("unknown option '%s'; try 'iolat --help'", word);
	return EXIT_USAGE;
}

/* The end after --help and --version: 0 if it could be written, or nobody reads on. */
static int answered(void)
{
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return EXIT_OK;
	log_error("cannot write to standard output: %s", strerror(errno ? errno : EIO));
	return EXIT_FAILED;
}

static int apply(struct parser *p, size_t i, const char *arg)
{
	const struct option_row *row = option_at(i);
	struct reason why = {""};
	int err = row->set((char *)p->o + row->field, arg, &why);

	p->given[i] = true;
	if (!err)
		return STEP_MORE;
	if (err == OPTION_ANSWERED)
		return answered();
	if (err == -EINVAL) {
		log_error("--%s '%s': %s", row->name, arg, why.text);
		return EXIT_USAGE;
	}
	log_error("--%s: %s", row->name, strerror(-err));
	return EXIT_FAILED;
}

/* Everything behind "--". */
static int take_argv(struct parser *p)
{
	char **rest = p->argv + optind;

	if (optind >= p->argc || !**rest) {
		log_error("no COMMAND behind '--'; try 'iolat --help'");
		return EXIT_USAGE;
	}
	p->o->argv = rest;
	return STEP_END;
}

/* The live view has no name. */
static const char *name_of(const struct parser *p)
{
	return command_rows[p->o->command].name ?: "iolat";
}

/* Says what is wrong and who helps. */
__attribute__((format(printf, 2, 3))) static int refuse(const struct parser *p, const char *fmt, ...)
{
	const char *name = command_rows[p->o->command].name;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_error("%s; try 'iolat%s%s --help'", text, name ? " " : "", name ?: "");
	return EXIT_USAGE;
}

static int usage_word(const struct parser *p, const char *word)
{
	if (p->command_named)
		return refuse(p, "unexpected word '%s' behind '%s'", word, name_of(p));
	return refuse(p, "unknown command '%s'; a program to trace goes behind '--'", word);
}

/* "-" is standard input, as everywhere. */
static int take_file(struct parser *p)
{
	const char *word = strcmp(p->argv[optind], "-") ? p->argv[optind] : "/dev/stdin";
	struct reason why;

	if (set_words(&p->o->files, word, &why)) {
		log_error("'%s': not a file name", p->argv[optind]);
		return EXIT_USAGE;
	}
	optind++;
	return STEP_MORE;
}

/* A word that is no option: the command's name, once, then its files. */
static int take_word(struct parser *p)
{
	const char *word = p->argv[optind];
	enum command command = command_find(word);

	if (p->command_named && command_takes_files(p->o->command))
		return take_file(p);
	if (p->command_named || command == COMMAND_MAX)
		return usage_word(p, word);
	p->command_named = true;
	p->o->command = command;
	optind++;
	return STEP_MORE;
}

/* getopt steps over a "--" and stays in front of any other word. */
static int step(struct parser *p)
{
	int before = optind ? optind : 1;
	int value = getopt_long(p->argc, p->argv, p->letters, p->longs, NULL);

	if (value == -1 && optind > before)
		return take_argv(p);
	if (value == -1)
		return optind < p->argc ? take_word(p) : STEP_END;
	if (value == ':')
		return usage_missing();
	if (value == '?')
		return usage_unknown(p);
	return apply(p, row_index(value), optarg);
}

static int parse(struct parser *p)
{
	int status;

	optind = 0; /* glibc and musl: start anew */
	opterr = 0;
	do
		status = step(p);
	while (status == STEP_MORE);
	return status;
}

static int check_applies(const struct parser *p)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(i)); i++)
		if (p->given[i] && !option_applies(row, p->o->command))
			return refuse(p, "--%s: not an option of '%s'", row->name, name_of(p));
	return STEP_END;
}

/* Files are reported on as a whole unless frames are asked for. */
static void default_interval(struct options *o)
{
	static const uint64_t seconds[COMMAND_MAX] = {
		[COMMAND_LIVE] = 1, [COMMAND_RECORD] = 1, [COMMAND_REPORT] = 0, [COMMAND_DIFF] = 0, [COMMAND_SERVE] = 10};

	if (o->interval_ns == INTERVAL_DEFAULT)
		o->interval_ns = seconds[o->command] * UINT64_C(1000000000);
}

/* Disks differ from run to run. */
static void default_by(struct options *o)
{
	o->by_named = o->by.n;
	if (o->by_named)
		return;
	o->by = (struct by){
		.keys = {BY_PROCESS, BY_DEVICE, BY_OP},
		.n = 3,
		.mask = 1u << BY_PROCESS | 1u << BY_DEVICE | 1u << BY_OP,
	};
	if (o->command == COMMAND_DIFF)
		o->by = (struct by){
			.keys = {BY_PROCESS, BY_OP},
			.n = 2,
			.mask = 1u << BY_PROCESS | 1u << BY_OP,
		};
}

/* COMMAND writes to the same terminal; of a recording nothing is written but the file. */
static void default_format(struct options *o)
{
	o->full_screen = o->command == COMMAND_LIVE && !o->format && !o->plain && !o->output &&
			 !o->argv && o->interval_ns;
	if (o->output && !strcmp(o->output, "-")) /* standard output, as everywhere */
		o->output = NULL;
	if (!o->format && o->command != COMMAND_RECORD)
		o->format = renderer_find("table");
}

/* It would take the place of what is read, by whatever name. */
static bool overwrites_input(const struct options *o)
{
	struct stat out, in;

	if (!o->output || stat(o->output, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < o->files.n; i++)
		if (!stat(o->files.at[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	return false;
}

/* What only the whole command line can tell. */
static int check(const struct parser *p)
{
	const struct command_row *command = &command_rows[p->o->command];
	const struct options *o = p->o;

	if (o->argv && !command->traces_command)
		return refuse(p, "'%s' takes no COMMAND", name_of(p));
	if (command->may_take_file && (o->files.n > 1 || (o->files.n && !o->disk)))
		return refuse(p, "%s: a FILE is only for --disk PATH, and one", name_of(p));
	if (command->takes_files && !o->files.n)
		return refuse(p, "no FILE to %s", name_of(p));
	if (command->needs_output && !o->output)
		return refuse(p, "%s: --output FILE is missing", name_of(p));
	if (overwrites_input(o))
		return refuse(p, "--output %s: that is a recording to be read", o->output);
	if (o->from.kind == o->to.kind && o->from.ns > o->to.ns && o->from.kind != MOMENT_CLOCK) { /* it may be another day's */
		log_error("--from and --to: nothing is between them, for the first is the later one");
		return EXIT_USAGE;
	}
	if (o->log_pattern && !o->log)
		return refuse(p, "--log-pattern: of no use without --log FILE");
	if (o->ready_fd == STDOUT_FILENO && command->traces_command && (command->needs_output || !o->output))
		return refuse(p, "--ready-fd 1: that is standard output, where the answer goes");
	if (o->no_children && !o->pids.n)
		return refuse(p, "--no-children: of no use without --pid");
	if (o->format && !command_takes_format(o->command, o->format->name))
		return refuse(p, "--format '%s': not a format of '%s'", o->format->name, name_of(p));
	if (o->anonymize && (o->names.n || o->containers.n || o->pods.n || o->jobs.n || o->cgroups.n)) {
		log_error("--anonymize: not with a selection by name, cgroup, container, pod or job, whose names are gone then");
		return EXIT_USAGE;
	}
	return check_applies(p);
}

static void set_defaults(struct options *o)
{
	*o = (struct options){
		.max_size = UINT64_C(1) << 30,
		.render.top = 20,
		.interval_ns = INTERVAL_DEFAULT,
		.stuck_ns = UINT64_C(1000000000),
		.ready_fd = -1,
		.listen = LISTEN_DEFAULT,
		.max_series = 50000,
	};
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct parser p = {.o = o, .argc = argc, .argv = argv};
	int status;

	set_defaults(o);
	make_letters(&p);
	make_longs(&p);
	status = parse(&p);
	default_interval(o);
	default_by(o);
	default_format(o);
	o->render.phases = o->log;
	if (status == STEP_END)
		status = check(&p);
	if (status != STEP_END)
		options_free(o);
	return status;
}

static void words_free(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->at[i]);
	free(words->at);
}

void options_free(struct options *o)
{
	words_free(&o->pids);
	words_free(&o->names);
	words_free(&o->users);
	words_free(&o->cgroups);
	words_free(&o->devices);
	words_free(&o->files);
	words_free(&o->containers);
	words_free(&o->pods);
	words_free(&o->jobs);
	words_free(&o->fail_on);
	free(o->render.columns);
	*o = (struct options){.ready_fd = -1};
}
