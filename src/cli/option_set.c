// SPDX-License-Identifier: GPL-2.0
/*
 * Setters, in the order of the option table: selection, output, run. Each parses one
 * argument with base/units or looks it up in the list that owns its words (renderers,
 * columns, row keys); what is wrong with it goes to `why` as the end of a sentence.
 */
#include "cli/option_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attrib/select.h"
#include "base/units.h"
#include "cli/help.h"
#include "cli/option_table.h"
#include "serve/listen.h"
#include "stats/findings.h"
#include "trainlog/trainlog.h"

#define PID_MAX	     (1u << 22) /* PID_MAX_LIMIT of 64-bit kernels */
#define FD_MAX	     (1u << 20) /* fs.nr_open as kernels ship it */
#define INTERVAL_MIN UINT64_C(10000000)
#define SERIES_MIN   100
#define BUFFER_MIN   (UINT64_C(64) << 10)
#define BUFFER_MAX   (UINT64_C(1) << 30)

/* Puts text behind what is there already; cut where `why` is full. */
__attribute__((format(printf, 2, 3))) static void reason_add(struct reason *why, const char *fmt,
							     ...)
{
	size_t len = strlen(why->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text + len, sizeof(why->text) - len, fmt, ap);
	va_end(ap);
}

#define refuse(why, ...) (reason_add(why, __VA_ARGS__), -EINVAL)

static int refuse_word(struct reason *why, const char *word, option_words *word_at)
{
	const char *known;

	reason_add(why, "'%s' is none of ", word);
	/* A report takes whatever another command does. */
	for (size_t i = 0; (known = word_at(COMMAND_REPORT, i)); i++)
		reason_add(why, "%s%s", i ? ", " : "", known);
	return -EINVAL;
}

/* Which of the words it is; -1: none. */
static int word_index(option_words *word_at, const char *word)
{
	const char *known;

	for (size_t i = 0; (known = word_at(COMMAND_LIVE, i)); i++)
		if (!strcmp(known, word))
			return (int)i;
	return -1;
}

/* Calls `item` with each part of a comma list, up to the first that fails. */
static int each_word(const char *list, option_set *item, void *field, struct reason *why)
{
	char *copy = strdup(list), *rest = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ",")))
		err = *word ? item(field, word, why) : refuse(why, "an entry is empty");
	free(copy);
	return err;
}

static int words_add(struct words *words, const char *word)
{
	char **at = reallocarray(words->at, words->n + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	words->at = at;
	at[words->n] = strdup(word);
	if (!at[words->n])
		return -ENOMEM;
	words->n++;
	return 0;
}

static int read_number(uint64_t *out, const char *arg, uint64_t min, uint64_t max,
		       struct reason *why)
{
	uint64_t v;

	if (parse_u64(arg, &v) || v < min || v > max)
		return refuse(why, "not a whole number from %" PRIu64 " to %" PRIu64, min, max);
	*out = v;
	return 0;
}

int set_flag(void *field, const char *arg, struct reason *why)
{
	*(bool *)field = true;
	return 0;
}

int set_words(void *field, const char *arg, struct reason *why)
{
	return *arg ? words_add(field, arg) : refuse(why, "empty");
}

/* Whether it compiles, by the code that will compile it. */
static int check_regex(const char *arg, struct reason *why)
{
	struct selection scratch = {0};
	int err = select_add_name(&scratch, arg, why->text, sizeof(why->text));

	select_free(&scratch);
	return err;
}

int set_regex(void *field, const char *arg, struct reason *why)
{
	int err = *arg ? check_regex(arg, why) : refuse(why, "empty");

	return err ? err : words_add(field, arg);
}

static int add_pid(void *field, const char *word, struct reason *why)
{
	uint64_t pid;

	if (parse_u64(word, &pid) || pid < 1 || pid > PID_MAX)
		return refuse(why, "'%s' is not a process id (1 to %u)", word, PID_MAX);
	return words_add(field, word);
}

int set_pids(void *field, const char *arg, struct reason *why)
{
	return each_word(arg, add_pid, field, why);
}

/* By enum iolat_op. */
const char *op_words(enum command command, size_t i)
{
	static const char *const names[IOLAT_OP_MAX] = {
		[IOLAT_OP_READ] = "read",   [IOLAT_OP_WRITE] = "write",
		[IOLAT_OP_FLUSH] = "flush", [IOLAT_OP_DISCARD] = "discard",
		[IOLAT_OP_OTHER] = "other",
	};

	return i < IOLAT_OP_MAX ? names[i] : NULL;
}

static int add_op(void *field, const char *word, struct reason *why)
{
	int op = word_index(op_words, word);

	if (op < 0)
		return refuse_word(why, word, op_words);
	*(unsigned int *)field |= 1u << op;
	return 0;
}

int set_ops(void *field, const char *arg, struct reason *why)
{
	return each_word(arg, add_op, field, why);
}

int set_duration(void *field, const char *arg, struct reason *why)
{
	int err = parse_duration(arg, field);

	if (err == -ERANGE)
		return refuse(why, "too long");
	return err ? refuse(why, "not a duration (like 250ms, 1s, 2m)") : 0;
}

int set_moment(void *field, const char *arg, struct reason *why)
{
	return moment_parse(arg, field)
		       ? refuse(why, "not a moment (like 90s, 12:00:05, 2026-03-01T12:00:05Z)")
		       : 0;
}

/* A moment that needs no other to be one. */
int set_wall(void *field, const char *arg, struct reason *why)
{
	struct moment *m = field;

	if (moment_parse(arg, m) || m->kind != MOMENT_WALL)
		return refuse(why, "not a date and time (like 2026-03-01T12:00:05.250Z)");
	return 0;
}

int set_limit(void *field, const char *arg, struct reason *why)
{
	uint64_t ns;
	int err = set_duration(&ns, arg, why);

	if (err)
		return err;
	if (!ns)
		return refuse(why, "must be more than 0");
	*(uint64_t *)field = ns;
	return 0;
}

int set_interval(void *field, const char *arg, struct reason *why)
{
	uint64_t ns;
	int err = set_duration(&ns, arg, why);

	if (err)
		return err;
	if (ns && ns < INTERVAL_MIN)
		return refuse(why, "too short; at least 10ms, or 0 for only the summary");
	*(uint64_t *)field = ns;
	return 0;
}

const char *key_words(enum command command, size_t i)
{
	return i < BY_MAX ? row_key_name((enum row_key)i) : NULL;
}

static int add_key(void *field, const char *word, struct reason *why)
{
	int key = word_index(key_words, word);
	struct by *by = field;

	if (key < 0)
		return refuse_word(why, word, key_words);
	if (by_has(by, (enum row_key)key))
		return refuse(why, "'%s' stands there twice", word);
	by->keys[by->n++] = (enum row_key)key;
	by->mask |= 1u << key;
	return 0;
}

int set_by(void *field, const char *arg, struct reason *why)
{
	*(struct by *)field = (struct by){0};
	return each_word(arg, add_key, field, why);
}

const char *format_words(enum command command, size_t i)
{
	const struct renderer *r;

	for (size_t at = 0; (r = renderer_at(at)); at++)
		if (command_takes_format(command, r->name) && !i--)
			return r->name;
	return NULL;
}

int set_format(void *field, const char *arg, struct reason *why)
{
	const struct renderer *r = renderer_find(arg);

	if (!r)
		return refuse_word(why, arg, format_words);
	*(const struct renderer **)field = r;
	return 0;
}

int set_text(void *field, const char *arg, struct reason *why)
{
	if (!*arg)
		return refuse(why, "empty");
	*(const char **)field = arg;
	return 0;
}

/* One that is there. */
int set_folder(void *field, const char *arg, struct reason *why)
{
	int fd = open(arg, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return refuse(why, "%s", strerror(errno));
	close(fd);
	return set_text(field, arg, why);
}

int set_top(void *field, const char *arg, struct reason *why)
{
	uint64_t n;
	int err = read_number(&n, arg, 1, UINT_MAX, why);

	if (!err)
		*(unsigned int *)field = (unsigned int)n;
	return err;
}

const char *column_words(enum command command, size_t i)
{
	return column_name_at(i);
}

int set_sort(void *field, const char *arg, struct reason *why)
{
	const struct column *column = column_find(arg);

	if (!column)
		return refuse_word(why, arg, column_words);
	*(const struct column **)field = column;
	return 0;
}

static int add_column(void *field, const char *word, struct reason *why)
{
	struct render_options *render = field;
	const struct column *column = column_find(word), **at;

	if (!column)
		return refuse_word(why, word, column_words);
	at = reallocarray(render->columns, render->n_columns + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	render->columns = at;
	at[render->n_columns++] = column;
	return 0;
}

int set_columns(void *field, const char *arg, struct reason *why)
{
	((struct render_options *)field)->n_columns = 0;
	return each_word(arg, add_column, field, why);
}

int set_address(void *field, const char *arg, struct reason *why)
{
	int err = listen_check(arg, why->text, sizeof(why->text));

	return err ?: set_text(field, arg, why);
}

int set_series(void *field, const char *arg, struct reason *why)
{
	uint64_t n;
	int err = read_number(&n, arg, SERIES_MIN, UINT_MAX, why);

	if (!err)
		*(size_t *)field = n;
	return err;
}

int set_fd(void *field, const char *arg, struct reason *why)
{
	uint64_t fd;
	int err = read_number(&fd, arg, 0, FD_MAX, why);

	if (!err)
		*(int *)field = (int)fd;
	return err;
}

int set_buffer(void *field, const char *arg, struct reason *why)
{
	uint64_t size;
	int err = parse_size(arg, &size);

	if (err && err != -ERANGE)
		return refuse(why, "not a size (like 512K, 4M, 1G)");
	if (err || size < BUFFER_MIN || size > BUFFER_MAX)
		return refuse(why, "not from 64K to 1G");
	*(uint64_t *)field = size;
	return 0;
}

int set_size(void *field, const char *arg, struct reason *why)
{
	uint64_t size;

	if (parse_size(arg, &size) || size < BUFFER_MIN)
		return refuse(why, "not a size from 64K on (like 512K, 4M, 1G)");
	*(uint64_t *)field = size;
	return 0;
}

const char *root_words(enum command command, size_t i)
{
	return i ? NULL : "root";
}

int set_as_root(void *field, const char *arg, struct reason *why)
{
	if (strcmp(arg, "root"))
		return refuse(why, "only root is possible");
	*(bool *)field = true;
	return 0;
}

const char *code_words(enum command command, size_t i)
{
	return finding_code_at(i);
}

static int add_code(void *field, const char *word, struct reason *why)
{
	return word_index(code_words, word) < 0 ? refuse_word(why, word, code_words)
						: words_add(field, word);
}

/* Whether it compiles, by the code that will compile it. */
int set_log_pattern(void *field, const char *arg, struct reason *why)
{
	struct trainlog *log;
	size_t len = strlen(why->text);
	int err = trainlog_new(&log, arg, why->text + len, sizeof(why->text) - len);

	if (err)
		return err;
	trainlog_free(log);
	*(const char **)field = arg;
	return 0;
}

int set_codes(void *field, const char *arg, struct reason *why)
{
	return each_word(arg, add_code, field, why);
}

int set_waits(void *field, const char *arg, struct reason *why)
{
	struct options *o = field;

	o->waits = true;
	o->no_waits = false;
	return 0;
}

int set_no_waits(void *field, const char *arg, struct reason *why)
{
	struct options *o = field;

	o->waits = false;
	o->no_waits = true;
	return 0;
}

int set_help(void *field, const char *arg, struct reason *why)
{
	help_print(stdout, *(enum command *)field);
	return OPTION_ANSWERED;
}

int set_version(void *field, const char *arg, struct reason *why)
{
	puts("iolat " IOLAT_VERSION);
	return OPTION_ANSWERED;
}
