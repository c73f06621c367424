// SPDX-License-Identifier: GPL-2.0
/*
 * The command line: what each option becomes, what is refused and in which words, and that
 * every option stands in every document. Output is caught through temporary files put in
 * the place of the standard descriptors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "render/columns.h"
#include "stats/findings.h"

#define MAX_WORDS 32

static char caught[2][1 << 16]; /* standard output and error of the last parse */

static int catch_begin(int fd, FILE **file)
{
	int saved = dup(fd);

	*file = tmpfile();
	assert_non_null(*file);
	fflush(fd == STDOUT_FILENO ? stdout : stderr);
	dup2(fileno(*file), fd);
	return saved;
}

static void catch_end(int fd, int saved, FILE *file, char *text, size_t size)
{
	fflush(fd == STDOUT_FILENO ? stdout : stderr);
	dup2(saved, fd);
	close(saved);
	rewind(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

static int parse_argv(struct options *o, int argc, char **argv)
{
	FILE *out, *err;
	int saved_out = catch_begin(STDOUT_FILENO, &out);
	int saved_err = catch_begin(STDERR_FILENO, &err);
	int status = options_parse(o, argc, argv);

	catch_end(STDOUT_FILENO, saved_out, out, caught[0], sizeof(caught[0]));
	catch_end(STDERR_FILENO, saved_err, err, caught[1], sizeof(caught[1]));
	return status;
}

/* Words up to NULL, behind the program's name. */
static int parse_list(struct options *o, va_list ap)
{
	static char *argv[MAX_WORDS + 1];
	int argc = 0;

	argv[argc++] = (char *)"iolat";
	while (argc < MAX_WORDS && (argv[argc] = va_arg(ap, char *)))
		argc++;
	return parse_argv(o, argc, argv);
}

__attribute__((sentinel)) static void good(struct options *o, ...)
{
	va_list ap;

	va_start(ap, o);
	assert_int_equal(parse_list(o, ap), -1);
	va_end(ap);
	assert_string_equal(caught[0], "");
	assert_string_equal(caught[1], "");
}

/* Refused as bad usage with this one line (behind "iolat: "; NULL: any). */
__attribute__((sentinel)) static void bad(const char *line, ...)
{
	struct options o;
	va_list ap;

	va_start(ap, line);
	assert_int_equal(parse_list(&o, ap), EXIT_USAGE);
	va_end(ap);
	assert_string_equal(caught[0], "");
	assert_int_equal(strncmp(caught[1], "iolat: ", 7), 0);
	assert_ptr_equal(strchr(caught[1], '\n'), caught[1] + strlen(caught[1]) - 1);
	if (line) {
		caught[1][strlen(caught[1]) - 1] = '\0';
		assert_string_equal(caught[1] + 7, line);
	}
}

static void test_defaults(void **state)
{
	struct options o;

	good(&o, NULL);
	assert_int_equal(o.command, COMMAND_LIVE);
	assert_int_equal(o.by.n, 3);
	assert_int_equal(o.by.keys[0], BY_PROCESS);
	assert_int_equal(o.by.keys[1], BY_DEVICE);
	assert_int_equal(o.by.keys[2], BY_OP);
	assert_true(by_has(&o.by, BY_OP));
	assert_false(by_has(&o.by, BY_CGROUP));
	assert_ptr_equal(o.format, renderer_find("table"));
	assert_int_equal(o.interval_ns, 1000000000);
	assert_int_equal(o.duration_ns, 0);
	assert_int_equal(o.render.top, 20);
	assert_int_equal(o.ready_fd, -1);
	assert_int_equal(o.op_mask, 0);
	assert_null(o.argv);
	assert_null(o.output);
	options_free(&o);
	options_free(&o);
}

static void test_selection(void **state)
{
	struct options o;

	good(&o, "-p", "1,2", "--pid=4194304", "--no-children", "--name", "a{1,2}", "--name", "b",
	     "--user", "root", "-c", "/a,b", "-d", "sda,sdb", "-dsdc", "--op", "read,flush", "--op",
	     "other", "--min-latency", "1.5ms", NULL);
	assert_int_equal(o.pids.n, 3);
	assert_string_equal(o.pids.at[2], "4194304");
	assert_true(o.no_children);
	assert_int_equal(o.names.n, 2);
	assert_string_equal(o.names.at[0], "a{1,2}");
	assert_string_equal(o.users.at[0], "root");
	assert_int_equal(o.cgroups.n, 1);
	assert_int_equal(o.devices.n, 2);
	assert_string_equal(o.devices.at[0], "sda,sdb");
	assert_int_equal(o.op_mask, 1 << IOLAT_OP_READ | 1 << IOLAT_OP_FLUSH | 1 << IOLAT_OP_OTHER);
	assert_int_equal(o.min_latency_ns, 1500000);
	options_free(&o);
}

static void test_output(void **state)
{
	struct options o;

	good(&o, "-b", "op", "--by", "cgroup,device", "-H", "-f", "json", "-o", "x", "-i", "0",
	     "-n", "7", "--sort", column_name_at(1), NULL);
	assert_int_equal(o.by.n, 2);
	assert_int_equal(o.by.keys[0], BY_CGROUP);
	assert_int_equal(o.by.mask, 1 << BY_CGROUP | 1 << BY_DEVICE);
	assert_true(o.render.histogram);
	assert_ptr_equal(o.format, renderer_find("json"));
	assert_string_equal(o.output, "x");
	assert_int_equal(o.interval_ns, 0);
	assert_int_equal(o.render.top, 7);
	assert_ptr_equal(o.render.sort, column_find(column_name_at(1)));
	options_free(&o);
}

static void test_columns(void **state)
{
	struct options o;
	char list[128];

	snprintf(list, sizeof(list), "%s,%s", column_name_at(2), column_name_at(0));
	good(&o, "--columns", column_name_at(1), "--columns", list, NULL);
	assert_int_equal(o.render.n_columns, 2);
	assert_ptr_equal(o.render.columns[0], column_find(column_name_at(2)));
	assert_ptr_equal(o.render.columns[1], column_find(column_name_at(0)));
	options_free(&o);
	bad(NULL, "--columns", "nonesuch", NULL);
	bad(NULL, "--sort", "", NULL);
}

static void test_run(void **state)
{
	struct options o;

	good(&o, "-D", "10s", "--ready-fd", "3", "--buffer-size", "64K", "--user-command", "root",
	     "--interval", "10ms", "--", "prog", "--pid", "--", "-x", NULL);
	assert_int_equal(o.duration_ns, 10000000000);
	assert_int_equal(o.ready_fd, 3);
	assert_int_equal(o.buffer_size, 65536);
	assert_true(o.command_as_root);
	assert_int_equal(o.interval_ns, 10000000);
	assert_string_equal(o.argv[0], "prog");
	assert_string_equal(o.argv[1], "--pid");
	assert_string_equal(o.argv[2], "--");
	assert_string_equal(o.argv[3], "-x");
	assert_null(o.argv[4]);
	assert_int_equal(o.pids.n, 0);
	options_free(&o);
}

static void test_numbers_refused(void **state)
{
	bad("--interval '12abc': not a duration (like 250ms, 1s, 2m)", "--interval", "12abc", NULL);
	bad("--interval '9ms': too short; at least 10ms, or 0 for only the summary", "-i", "9ms",
	    NULL);
	bad("--interval '10': not a duration (like 250ms, 1s, 2m)", "-i10", NULL);
	bad("--interval '': not a duration (like 250ms, 1s, 2m)", "--interval=", NULL);
	bad("--duration '0': must be more than 0", "-D", "0", NULL);
	bad("--duration '99999999999999h': too long", "-D", "99999999999999h", NULL);
	bad("--min-latency '-1ms': not a duration (like 250ms, 1s, 2m)", "--min-latency", "-1ms",
	    NULL);
	bad("--top '0': not a whole number from 1 to 4294967295", "-n", "0", NULL);
	bad("--top '4294967296': not a whole number from 1 to 4294967295", "-n", "4294967296",
	    NULL);
	bad("--ready-fd '1048577': not a whole number from 0 to 1048576", "--ready-fd", "1048577",
	    NULL);
	bad("--buffer-size '4X': not a size (like 512K, 4M, 1G)", "--buffer-size", "4X", NULL);
	bad("--buffer-size '63K': not from 64K to 1G", "--buffer-size", "63K", NULL);
	bad("--buffer-size '2G': not from 64K to 1G", "--buffer-size", "2G", NULL);
}

static void test_words_refused(void **state)
{
	bad("--pid '1,x': 'x' is not a process id (1 to 4194304)", "-p", "1,x", NULL);
	bad("--pid '0': '0' is not a process id (1 to 4194304)", "-p", "0", NULL);
	bad("--pid '4194305': '4194305' is not a process id (1 to 4194304)", "-p4194305", NULL);
	bad("--pid '1,': an entry is empty", "-p", "1,", NULL);
	bad("--pid '': an entry is empty", "-p", "", NULL);
	bad("--op 'reads': 'reads' is none of read, write, flush, discard, other", "--op", "reads",
	    NULL);
	bad("--by 'op,x': 'x' is none of process, thread, worker, cgroup, container, pod, job, device, op, file, fs, host", "-b", "op,x", NULL);
	bad("--by 'op,op': 'op' stands there twice", "--by", "op,op", NULL);
	bad("--format 'xml': 'xml' is none of table, json, csv, trace, html, prometheus, hdr, fio", "-f", "xml", NULL);
	bad("--output '': empty", "-o", "", NULL);
	bad("--device '': empty", "--device=", NULL);
	bad("--user-command 'me': only root is possible", "--user-command", "me", NULL);
	bad(NULL, "--name", "(", NULL);
	bad("--name '': empty", "--name", "", NULL);
}

static void test_usage(void **state)
{
	bad("unknown option '--nope'; try 'iolat --help'", "--nope", NULL);
	bad("unknown option '--nope=1'; try 'iolat --help'", "--nope=1", NULL);
	bad("unknown option '-z'; try 'iolat --help'", "-Hz", NULL);
	bad("unknown option '-:'; try 'iolat --help'", "-:", NULL);
	bad("option '--us' is ambiguous: --user or --user-command; write it in full", "--us", "x",
	    NULL);
	bad("option '--=x' is ambiguous: --pid or --no-children; write it in full", "--=x", NULL);
	bad("--pid: needs an argument (PID[,PID...])", "-p", NULL);
	bad("--pid: needs an argument (PID[,PID...])", "--pi", NULL);
	bad("--histogram: takes no argument", "--histogram=1", NULL);
	bad("unknown command 'x'; a program to trace goes behind '--'; try 'iolat --help'", "-H",
	    "x", NULL);
	bad("no COMMAND behind '--'; try 'iolat --help'", "--", NULL);
	bad("no COMMAND behind '--'; try 'iolat --help'", "-H", "--", "", NULL);
	bad("unknown command 'x'; a program to trace goes behind '--'; try 'iolat --help'", "-o",
	    "--", "x", NULL);
}

static void test_dash(void **state)
{
	struct options o;

	good(&o, "-o", "-", NULL);
	assert_null(o.output);
	assert_false(o.full_screen);
	options_free(&o);
	good(&o, "report", "a", "-", NULL);
	assert_string_equal(o.files.at[1], "/dev/stdin");
	options_free(&o);
	bad("record: --output FILE is missing; try 'iolat record --help'", "record", "-o", "-", NULL);
}

static void test_doctor(void **state)
{
	struct options o;

	good(&o, "doctor", "-f", "json", NULL);
	assert_int_equal(o.command, COMMAND_DOCTOR);
	assert_string_equal(o.format->name, "json");
	options_free(&o);
	good(&o, "--format=table", "doctor", NULL);
	assert_int_equal(o.command, COMMAND_DOCTOR);
	options_free(&o);
	bad("--pid: not an option of 'doctor'; try 'iolat doctor --help'", "doctor", "-p1", NULL);
	bad("--pid: not an option of 'doctor'; try 'iolat doctor --help'", "-p1", "doctor", NULL);
	bad("--from: not an option of 'iolat'; try 'iolat --help'", "--from", "1s", NULL);
	bad("--ready-fd 1: that is standard output, where the answer goes; try 'iolat --help'", "--ready-fd", "1", NULL);
	bad("--no-children: of no use without --pid; try 'iolat serve --help'", "serve", "--no-children", NULL);
	bad("--format 'html': not a format of 'iolat'; try 'iolat --help'", "-f", "html", NULL);
	bad("--format 'csv': not a format of 'doctor'; try 'iolat doctor --help'", "doctor",
	    "-fcsv", NULL);
	bad("'doctor' takes no COMMAND; try 'iolat doctor --help'", "doctor", "--", "x", NULL);
	bad("doctor: a FILE is only for --disk PATH, and one; try 'iolat doctor --help'", "doctor",
	    "doctor", NULL);
}

__attribute__((sentinel)) static void answers(const char *part, ...)
{
	struct options o;
	va_list ap;

	va_start(ap, part);
	assert_int_equal(parse_list(&o, ap), EXIT_OK);
	va_end(ap);
	assert_string_equal(caught[1], "");
	assert_non_null(strstr(caught[0], part));
}

static void test_answers(void **state)
{
	answers("iolat " IOLAT_VERSION "\n", "--version", NULL);
	answers("iolat " IOLAT_VERSION "\n", "-V", NULL);
	answers("Usage: iolat record", "record", "-h", NULL);
	answers("sudo iolat --pid 4242", "--help", NULL);
	answers("Usage: iolat doctor [OPTIONS] [FILE]\n", "doctor", "--help", NULL);
	assert_null(strstr(caught[0], "--pid"));
	assert_null(strstr(caught[0], "csv"));
}

static void test_no_argv(void **state)
{
	char *argv[] = {NULL};
	struct options o;

	assert_int_equal(parse_argv(&o, 0, argv), -1);
	options_free(&o);
}

static void test_help_width(void **state)
{
	for (enum command c = 0; c < COMMAND_MAX; c++) {
		char *rest = caught[0], *line;

		answers("Usage", command_rows[c].name ?: "--help", "--help", NULL);
		while ((line = strsep(&rest, "\n")))
			assert_true(strlen(line) <= 80);
	}
}

/* A document of the generators; the caller frees. */
static char *document(void (*generate)(FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	generate(out);
	fclose(out);
	return text;
}

/* The name as the man page spells it. */
static void roff_name(char *dst, const char *name)
{
	for (; *name; name++) {
		if (*name == '-')
			*dst++ = '\\';
		*dst++ = *name;
	}
	*dst = '\0';
}

/* The option's name not followed by another letter of a name. */
static bool mentions(const char *text, const char *name)
{
	size_t len = strlen(name);

	while ((text = strstr(text, name))) {
		text += len;
		if (!strchr("abcdefghijklmnopqrstuvwxyz-\\", *text) || !strncmp(text, "\\f", 2))
			return true;
	}
	return false;
}

static void test_documents(void **state)
{
	char *man = document(options_man), *bash = document(options_bash_completion);
	const struct option_row *row;
	char name[64], escaped[128];

	answers("Usage", "--help", NULL);
	for (size_t i = 0; (row = option_at(i)); i++) {
		snprintf(name, sizeof(name), "--%s", row->name);
		roff_name(escaped, name);
		if (option_applies(row, COMMAND_LIVE))
			assert_true(mentions(caught[0], name));
		assert_true(mentions(bash, name));
		assert_true(mentions(man, escaped));
	}
	for (size_t i = 0; column_at(i); i++) {
		roff_name(escaped, column_at(i)->header);
		assert_true(mentions(man, escaped));
	}
	for (size_t i = 0; finding_code_at(i); i++) {
		roff_name(escaped, finding_code_at(i));
		assert_true(mentions(man, escaped));
	}
	free(man);
	free(bash);
}

/* The words that completion offers at the end of these (a bash array's inside), by line. */
static void complete(const char *file, const char *words, char *reply, size_t size)
{
	char line[512];
	FILE *bash;

	snprintf(line, sizeof(line),
		 "bash --norc -c '. %s; COMP_WORDS=(iolat %s); COMP_CWORD=$((${#COMP_WORDS[@]} - "
		 "1));"
		 "_iolat; IFS=,; echo -n \"${COMPREPLY[*]}\"' 2>&1",
		 file, words);
	bash = popen(line, "r");
	assert_non_null(bash);
	reply[fread(reply, 1, size - 1, bash)] = '\0';
	assert_int_equal(pclose(bash), 0);
}

static void test_completion(void **state)
{
	static const char *const cases[][2] = {
		{"--hi", "--histogram"},
		{"doc", "doctor"},
		{"doctor --f", "--format"},
		{"doctor --p", ""},
		{"doctor --e", "--explain-cgroup"},
		{"doctor -f \"\"", "table,json"},
		{"--op re", "read"},
		{"--op = wr", "write"},
		{"--op read,write,f", "read,write,flush"},
		{"--op read,re", ""},
		{"-H --by c", "cgroup,container"},
		{"-n doctor --hi", "--histogram"},
		{"-c /pro", "/proc"},
		{"--user roo", "root"},
		{"-o /etc/passw", "/etc/passwd"},
		{"-i 1s -- /bin/bas", "/bin/bash"},
		{"-i 1s -- cat /etc/host", NULL},
		{"-p \"\"", NULL},
		{"-d \"\"", NULL},
		{"\"\"", NULL},
	};
	char file[] = "/tmp/iolat-completion-XXXXXX", reply[1 << 16];
	FILE *out = fdopen(mkstemp(file), "w");

	assert_non_null(out);
	options_bash_completion(out);
	fclose(out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		complete(file, cases[i][0], reply, sizeof(reply));
		if (cases[i][1] && !strncmp(cases[i][1], "/", 1))
			assert_non_null(strstr(reply, cases[i][1]));
		else if (cases[i][1])
			assert_string_equal(reply, cases[i][1]);
		assert_null(strstr(reply, "line "));
	}
	unlink(file);
}

/* Rows must not share a name or a letter. */
static void test_table(void **state)
{
	const struct option_row *a, *b;

	for (size_t i = 0; (a = option_at(i)); i++) {
		assert_non_null(a->set);
		assert_true(a->commands && a->help);
		assert_true(!a->lists || a->word_at);
		for (size_t j = 0; j < i && (b = option_at(j)); j++) {
			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_selection),	cmocka_unit_test(test_output),
		cmocka_unit_test(test_columns),		cmocka_unit_test(test_run),
		cmocka_unit_test(test_numbers_refused), cmocka_unit_test(test_words_refused),
		cmocka_unit_test(test_usage),		cmocka_unit_test(test_dash),
		cmocka_unit_test(test_doctor),
		cmocka_unit_test(test_answers),		cmocka_unit_test(test_no_argv),
		cmocka_unit_test(test_help_width),	cmocka_unit_test(test_documents),
		cmocka_unit_test(test_completion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
