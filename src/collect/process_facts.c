// SPDX-License-Identifier: GPL-2.0
/*
 * When to read what of /proc/PID: stat for the start, exe and cmdline for the program,
 * environ for the rank. Fails quietly: processes end, and other users' may be closed to us.
 */
#include "collect/process_facts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "collect/environ.h"
#include "collect/procfs.h"

#define KNOWN	 ((void *)1)
#define MAX_PIDS 65536 /* before the set is started anew */

void process_facts_init(struct process_facts *f, const char *root, const struct sink *sink)
{
	*f = (struct process_facts){.root = root, .sink = *sink, .left = UINT_MAX};
	map_init(&f->read, sizeof(uint32_t));
}

void process_facts_free(struct process_facts *f)
{
	map_free(&f->read);
}

void process_facts_turn(struct process_facts *f)
{
	f->left = PROCESS_FACTS_A_TURN;
}

/* What a process has there is its own to choose, also how much: prctl(2), PR_SET_MM_MAP. */
#define TEXT_MAX (4u << 20)
#define WORD_MAX PATH_MAX

static FILE *open_file(const struct process_facts *f, uint32_t pid, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/%s", f->root, pid, name);
	return fopen(path, "re");
}

/* The next of the strings, each with a NUL behind it, cut to what fits; *left is what of the file may still be read. False behind
 * the last, and for what reaches beyond that. */
static bool next_word(FILE *f, char word[WORD_MAX], size_t *left)
{
	size_t len = 0, read = 0;
	int c = EOF;

	while (read < *left && (c = getc_unlocked(f)) != EOF) {
		read++;
		if (!c)
			break;
		if (len < WORD_MAX - 1)
			word[len++] = (char)c;
	}
	*left -= read;
	word[len] = '\0';
	return read && (!c || c == EOF);
}

/* False: there is no command line, as when the process has begun to end. */
static bool read_command(const struct process_facts *p, uint32_t pid, unsigned int *flags)
{
	AUTO_FILE FILE *f = open_file(p, pid, "cmdline");
	struct command_scan s = {.n = 0};
	size_t left = TEXT_MAX;
	char arg[WORD_MAX];

	while (f && next_word(f, arg, &left) && command_take(&s, arg))
		continue;
	*flags |= s.flags;
	return s.n;
}

static bool read_program(const struct process_facts *p, uint32_t pid, unsigned int *flags)
{
	char link[PATH_MAX], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "%s/proc/%" PRIu32 "/exe", p->root, pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	if (command_is_python(path))
		*flags |= IOLAT_FACT_PYTHON;
	return true;
}

/* One assignment at a time, so that nothing but the listed numbers is kept. */
static void read_environ(const struct process_facts *p, uint32_t pid, struct iolat_process_facts *out)
{
	AUTO_FILE FILE *f = open_file(p, pid, "environ");
	size_t left = TEXT_MAX;
	char assignment[WORD_MAX];
	struct environ_scan s;

	environ_init(&s);
	while (f && next_word(f, assignment, &left))
		environ_take(&s, assignment);
	environ_tell(&s, out);
}

static int read_and_send(struct process_facts *f, uint32_t tgid, uint64_t start_ns)
{
	struct iolat_process_facts e = {
		.head = {.kind = IOLAT_EV_PROCESS_FACTS, .size = sizeof(e)},
		.tgid = tgid,
		.start_ns = start_ns,
	};
	bool program, command;

	program = read_program(f, tgid, &e.flags);
	command = read_command(f, tgid, &e.flags);
	if (!program && !command) /* what is left of it says nothing */
		return 0;
	read_environ(f, tgid, &e);
	return f->sink.event(f->sink.ctx, &e, sizeof(e));
}

static int note(struct process_facts *f, uint32_t tgid)
{
	if (f->read.count >= MAX_PIDS) {
		map_clear(&f->read);
		memset(f->lately, 0, sizeof(f->lately));
	}
	f->lately[tgid % PROCESS_FACTS_LATELY] = tgid;
	return map_put(&f->read, &tgid, KNOWN);
}

int process_facts_read(struct process_facts *f, uint32_t tgid, int parents)
{
	bool known = map_get(&f->read, &tgid);
	struct proc_stat st;
	int err;

	if (!known && !f->left)
		return 0;
	err = note(f, tgid);
	f->left -= !known;
	if (err || known || !procfs_stat(f->root, tgid, tgid, &st))
		return err;
	if (parents && st.ppid)
		err = process_facts_read(f, st.ppid, parents - 1);
	return err ?: read_and_send(f, tgid, st.start_ns);
}

static void forget(struct process_facts *f, uint32_t tgid)
{
	if (f->lately[tgid % PROCESS_FACTS_LATELY] == tgid)
		f->lately[tgid % PROCESS_FACTS_LATELY] = 0;
	map_del(&f->read, &tgid);
}

static bool may_train(const char *comm)
{
	return !strncmp(comm, "python", strlen("python")) || !strncmp(comm, "pt_", strlen("pt_"));
}

int process_facts_task(struct process_facts *f, const struct iolat_task *e)
{
	bool runs = e->what == IOLAT_TASK_EXEC || e->what == IOLAT_TASK_SEEN;

	if (e->tid != e->tgid || !(runs || e->what == IOLAT_TASK_NEW))
		return 0;
	forget(f, e->tgid); /* another program, or another process of that pid */
	return runs && may_train(e->comm) ? process_facts_read(f, e->tgid, 0) : 0;
}
