/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line as one table (option_table.c): a row an option, which drives parsing
 * (options.c), --help, the man page and shell completion. Parsing only reads words and
 * numbers; what they name on this host is looked up later (target.h).
 */
#ifndef IOLAT_CLI_OPTIONS_H
#define IOLAT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/moment.h"
#include "render/render.h"
#include "stats/snapshot.h"

enum command {
	COMMAND_LIVE,
	COMMAND_RECORD,
	COMMAND_REPORT,
	COMMAND_DIFF,
	COMMAND_SERVE,
	COMMAND_DOCTOR,
	COMMAND_MAX
};

struct words {			/* a list option's arguments, in order; owned */
	char **at;
	size_t n;
};

struct options {
	enum command command;

	/* selection */
	struct words pids;		/* checked to be numbers > 0 */
	bool no_children;
	struct words names, users, cgroups, devices;
	struct words containers, pods, jobs;
	unsigned int op_mask;		/* bit an enum iolat_op; 0: all */
	uint64_t min_latency_ns;
	struct moment from, to;		/* of a recording */

	/* presentation */
	struct by by;
	bool by_named;			/* not the default */
	const struct renderer *format;	/* of record NULL: nothing but the recording */
	bool plain;			/* frames, also where the full-screen view could be */
	bool full_screen;		/* what is asked for, if standard output has a place for it */
	struct render_options render;	/* width is set by the live view */
	const char *output;		/* -o; NULL: standard output */
	bool events;			/* --events: a line a request */
	uint64_t interval_ns;		/* 0: only the summary; default 1s, for a report 0 */
	bool anonymize;			/* no names of anybody */
	uint64_t max_size;		/* bytes of a recording, or of each of its files */
	unsigned int rotate;		/* how many files of a recording stay; 0: it is one */
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t stuck_ns;		/* in flight for longer is stuck */
	bool keep_files;		/* tell the file of each request; so does --by */
	bool waits, no_waits;		/* at most one; neither: on with a selection of processes */
	struct words fail_on;		/* codes of findings */
	const char *log;		/* a training log; NULL: none */
	const char *log_pattern;	/* NULL: the built-in ones */
	const char *merge;		/* a trace to write into; NULL: none */
	struct moment merge_at;

	/* metrics server */
	const char *listen;
	const char *web_config;		/* a file; NULL: none */
	size_t max_series;
	bool stream;			/* every request comes to user space */

	/* run */
	int ready_fd;			/* -1: none */
	uint64_t buffer_size;		/* bytes; 0: the default */
	const char *btf;		/* --btf; NULL: the kernel's own */
	const char *root;		/* the host's, for names; NULL: found out */
	const char *disk;		/* doctor: what lies below that path; NULL: none */
	const char *explain;		/* doctor: a cgroup's path; NULL: none */
	bool command_as_root;		/* --user-command root */
	struct words files;		/* what is reported on */
	char **argv;			/* behind "--", NULL-terminated; NULL: none */
};

/* Parses argv, which must outlive `o`. Returns -1 to go on, or the exit status at once (and `o` is
 * freed): after --help and --version (0, on standard output), on bad usage (EXIT_USAGE, one line on
 * standard error) and without memory or a writable standard output (EXIT_FAILED, one line). */
int options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);	/* twice is fine */

/* Generated documents, from the same table; used by the build only (docs/gendocs.c). */
void options_man(FILE *out);			/* man page, section 8 (man.c) */
void options_bash_completion(FILE *out);	/* completion_bash.c */
void options_zsh_completion(FILE *out);		/* completion_zsh.c */
void options_fish_completion(FILE *out);	/* completion_fish.c */

#endif
