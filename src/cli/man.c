// SPDX-License-Identifier: GPL-2.0
/*
 * The man page, section 8: fixed chapters around what the tables of options, columns,
 * findings and keys say. Used by the build only (docs/gendocs.c).
 *
 * Text here and in the tables is plain but for two marks, *bold* and <italic>; what roff
 * would take as its own is escaped on the way out. Lines of the chapters that begin with a
 * full stop are roff requests.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/option_table.h"
#include "render/columns.h"
#include "render/table_waits.h"
#include "screen/screen.h"
#include "stats/findings.h"
#include "stats/snapshot.h"

static const char description[] =
	".SH DESCRIPTION\n"
	"*iolat* shows who waits on the disk: each request of the block layer is followed\n"
	"from submission to completion and counted for the process, thread or cgroup that\n"
	"waits for it.\n"
	"Every second a table says what happened since the one before; the last one stands\n"
	"for the whole run.\n"
	"It loads BPF programs and so needs root, or the capabilities that *iolat doctor*\n"
	"names, and a kernel with BTF.\n"
	".PP\n"
	"Without a selection everything on the host is shown.\n"
	"Selections of one kind are OR-ed, of different kinds AND-ed.\n"
	"A selection that names nothing that exists is an error; one whose subject ends while\n"
	"tracing ends the run.\n"
	".PP\n"
	"With a <COMMAND> behind *--* the command starts once everything is attached, as\n"
	"the user in *SUDO_UID* when there is one, and its end ends the run.\n"
	"If nothing else is selected, the command and its descendants are.\n"
	".PP\n"
	"*iolat doctor* says what this kernel and these privileges let iolat see, and what\n"
	"to do about the rest.\n"
	"It tries everything that a run needs, and tells how to read an answer.\n"
	".PP\n"
	"In what follows, an <I/O> is what a program waits for: a read, a write, a flush of the\n"
	"drive's cache, a discard.\n"
	"The kernel's block layer is given it as one <bio> or several, and makes <requests> of them,\n"
	"which it queues, merges, splits and hands to the disk's driver.\n"
	"A <hook> is a place in the kernel where iolat's programs run, <BTF> the kernel's description of\n"
	"its own types, by which they find their way.\n"
	"The <ring buffer> is what they write to and iolat reads from.\n"
	"A <frame> is what happened in one *--interval*; a <worker> is a process that loads data for a\n"
	"training, a <rank> the number of a trainer among those of a distributed job, a <phase> an epoch\n"
	"or another part of the run that a training's log tells of.\n"
	"<Writeback> is the kernel writing, later and by a thread of its own, what programs wrote to the\n"
	"page cache.\n";

static const char options_opening[] =
	".SH OPTIONS\n"
	"<DUR> is a number with one of the units ns, us, ms, s, m, h;\n"
	"<SIZE> is one with K, M or G, powers of 1024.\n"
	"Selections may be repeated.\n"
	"Where nothing else is said, an option is one of the live view, and of each other command for which\n"
	"it means something; *iolat* <COMMAND> *--help* lists what a command takes.\n";

static const char output[] =
	".SH OUTPUT\n"
	".SS Latency\n"
	".TP\n"
	"*total*\n"
	"from submission to completion: what the submitter waited for\n"
	".TP\n"
	"*queue*\n"
	"from submission to the last issue to the driver: time in the kernel's queues\n"
	".TP\n"
	"*device*\n"
	"from that issue to completion: time in the disk\n"
	".PP\n"
	"For every request queue and device add up to total.\n"
	"An empty flush, the wait of\n"
	".BR fsync (2),\n"
	"is all queue time.\n"
	"Devices without requests of their own, such as dm and md, have a total alone.\n"
	".SS Owner\n"
	"An I/O belongs to the task that submitted it.\n"
	"Kernel threads submit for others: then it is the cgroup that the request carries,\n"
	"else the memory cgroup that its data is charged to, and the process is not known.\n"
	"What is left belongs to nobody and is counted as unowned.\n"
	"In JSON *owner_from* says which of these steps answered (*task*, *bio*,\n"
	"*page*, null), and *via* which part of the kernel submitted it, such as\n"
	"*writeback* or *loop0*.\n"
	".SS Table\n"
	"One line a row, the slowest first by the time that its requests took together.\n"
	"Lines are cut to the width of a terminal and never otherwise.\n";

static const char output_rest[] =
	".SS JSON\n"
	"One object a line: *\"type\":\"interval\"* for each frame,\n"
	"*\"type\":\"snapshot\"* on *SIGUSR1*, and one *\"type\":\"summary\"* at the end.\n"
	"Times are nanoseconds (*_ns*), sizes are bytes.\n"
	"All keys are always present; null means not known or not collected, [] means\n"
	"collected and none.\n"
	"*coverage* has all numbers of the completeness line and, for each device, the\n"
	"kernel's own count beside the count seen.\n"
	"Buckets of a *histogram* have an inclusive upper bound *le_ns*.\n"
	".SS CSV\n"
	"One header line, then one line a row; columns are the JSON paths, joined by underscores.\n";

static const char signals[] =
	".SH SIGNALS\n"
	".TP\n"
	"*SIGINT*, *SIGTERM*\n"
	"end the run with its summary and status 0.\n"
	"A <COMMAND> gets the interrupt too and is waited for; the status is its own.\n"
	".TP\n"
	"*SIGHUP*\n"
	"the same, unless it was ignored when iolat started.\n"
	".TP\n"
	"*SIGUSR1*\n"
	"writes a summary of the run so far and goes on.\n"
	".PP\n"
	"A closed pipe ends the run quietly, with status 0.\n";

static const char status_rest[] =
	".PP\n"
	"With a <COMMAND> the status is the command's own: 128+<N> if signal <N> ended\n"
	"it, 127 if it was not found, 126 if it could not be executed.\n"
	"Errors are one line on standard error.\n";

static const char see_also[] = ".SH SEE ALSO\n"
			       ".BR iostat (1),\n"
			       ".BR perf (1),\n"
			       ".BR blktrace (8),\n"
			       ".BR cgroups (7)\n";

/* What a character of plain text is in roff; NULL: itself. */
static const char *roff_escape(char c)
{
	switch (c) {
	case '-':
		return "\\-";
	case '\\':
		return "\\e";
	case '~':
		return "\\(ti";
	case '^':
		return "\\(ha";
	case '<':
		return "\\fI";
	case '>':
		return "\\fR";
	default:
		return NULL;
	}
}

static void print_text(FILE *out, const char *text)
{
	bool bold = false;

	for (; *text; text++) {
		const char *escape = roff_escape(*text);

		if (*text == '*') {
			bold = !bold;
			escape = bold ? "\\fB" : "\\fR";
		}
		if (escape)
			fputs(escape, out);
		else
			fputc(*text, out);
	}
}

/* A fragment as a sentence. */
static void print_sentence(FILE *out, const char *text)
{
	if (*text == '.')
		fputs("\\&", out); /* no request */
	fputc(toupper((unsigned char)*text), out);
	print_text(out, text + 1);
	fputs(text[strlen(text) - 1] == '?' ? "\n" : ".\n", out);
}

static void print_title(FILE *out)
{
	fputs(".TH IOLAT 8 \"\" \"iolat " IOLAT_VERSION "\" \"System Administration\"\n"
	      ".SH NAME\n"
	      "iolat \\- block I/O latency by process, cgroup and device\n"
	      ".SH SYNOPSIS\n",
	      out);
	for (enum command c = 0; c < COMMAND_MAX; c++) {
		fputs(c ? ".br\n\\fBiolat\\fR " : "\\fBiolat\\fR ", out);
		print_text(out, command_rows[c].synopsis);
		fputc('\n', out);
	}
}

static void print_words(FILE *out, const struct option_row *row)
{
	/* A report takes all that a run does, and more formats. */
	bool in_report = option_applies(row, COMMAND_REPORT);
	char buf[OPTION_WORDS_LEN];

	if (!*option_words_line(buf, row, in_report ? COMMAND_REPORT : COMMAND_LIVE))
		return;
	fputs(row->value == VALUE_WORDS ? "A comma list of " : "One of ", out);
	print_text(out, buf);
	fputs(".\n", out);
}

/* Whose option it is, where that is not the live view's. */
static void print_commands(FILE *out, const struct option_row *row)
{
	bool live = option_applies(row, COMMAND_LIVE), any = false;

	if (live && option_applies(row, COMMAND_DOCTOR))
		print_text(out, "Also of *iolat doctor*.\n");
	for (enum command c = 0; !live && c < COMMAND_MAX; c++) {
		if (!option_applies(row, c))
			continue;
		print_text(out, any ? ", *iolat " : "Of *iolat ");
		fprintf(out, "%s\\fR", command_rows[c].name);
		any = true;
	}
	if (any)
		fputs(" alone.\n", out);
}

static void print_option(FILE *out, const struct option_row *row)
{
	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", out);
	print_text(out, row->name);
	fputs("\\fR", out);
	if (row->arg) {
		fputs(" \\fI", out);
		print_text(out, row->arg);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	print_sentence(out, row->help);
	print_words(out, row);
	if (row->more) {
		print_text(out, row->more);
		fputc('\n', out);
	}
	print_commands(out, row);
}

static void print_options(FILE *out)
{
	const struct option_row *row;

	print_text(out, options_opening);
	for (enum option_section s = 0; s < SECTION_MAX; s++) {
		fprintf(out, ".SS %s\n", option_section_name(s));
		for (size_t i = 0; (row = option_at(i)); i++)
			if (row->section == s)
				print_option(out, row);
	}
}

/* One of a list: a word, and what it stands for. */
static void print_item(FILE *out, const char *word, const char *what)
{
	fputs(".TP\n\\fB", out);
	print_text(out, word);
	fputs("\\fR\n", out);
	print_text(out, what);
	fputc('\n', out);
}

/* The same with a column's title. */
static void print_named(FILE *out, const char *word, const char *title, const char *what)
{
	fputs(".TP\n\\fB", out);
	print_text(out, word);
	fputs("\\fR (", out);
	print_text(out, title);
	fputs(")\n", out);
	print_text(out, what);
	fputc('\n', out);
}

static void print_columns(FILE *out)
{
	const struct column *c;

	fputs(".SS Columns\n"
	      "By their names for \\fB\\-\\-columns\\fR and \\fB\\-\\-sort\\fR.\n",
	      out);
	for (size_t i = 0; (c = column_at(i)); i++)
		print_named(out, c->name, c->header, c->what);
}

static void print_completeness(FILE *out)
{
	print_text(out, ".SS Completeness\n"
			"Each table ends with a line that says how complete it is; the later words stand there only with something to say,\n"
			"as does a device whose own count is higher than what was seen of it.\n");
	for (size_t i = 0; i < TALLY_NUMBERS; i++)
		print_item(out, tally_words[i].word, tally_words[i].what);
}

static void print_reasons(FILE *out)
{
	print_text(out, ".SS Waits\n"
			"Where waits are traced, a second table shows each task: how long it was there, and how much of that it was\n"
			"blocked on I/O, by reason (as in JSON, and as the column's title).\n"
			"A wait ends when the task is woken; one that goes on counts at once.\n"
			"The task slept\n");
	for (int r = 0; r < REASON_MAX; r++)
		print_named(out, reason_name(r), table_reason_header(r), reason_says(r));
}

static void print_findings(FILE *out)
{
	print_text(out, ".SS Findings\n"
			"What the numbers mean, in a sentence: the most important one under each frame, all under the summary.\n"
			"In JSON each has its *evidence* in numbers.\n");
	for (size_t i = 0; finding_code_at(i); i++)
		print_item(out, finding_code_at(i), finding_says_at(i));
}

static void print_keys(FILE *out)
{
	print_text(out, ".SS Full screen\n"
			"A line is who waits: the blocked share as a bar, latency, I/Os and bytes a second, the last minute.\n");
	for (const struct screen_key *k = screen_keys(); k->keys; k++)
		print_item(out, k->keys, k->what);
}

static void print_output(FILE *out)
{
	print_text(out, output);
	print_columns(out);
	print_completeness(out);
	print_reasons(out);
	print_findings(out);
	print_keys(out);
	print_text(out, output_rest);
}

static void print_statuses(FILE *out)
{
	const struct status_row *s;

	fputs(".SH EXIT STATUS\n", out);
	for (size_t i = 0; (s = status_at(i)); i++) {
		fprintf(out, ".TP\n%s\n", s->status);
		print_text(out, s->what);
		fputc('\n', out);
	}
	print_text(out, status_rest);
}

static void print_examples(FILE *out)
{
	const struct example *e;

	fputs(".SH EXAMPLES\n", out);
	for (size_t i = 0; (e = example_at(i)); i++) {
		fputs(".TP\n\\fB", out);
		print_text(out, e->line);
		fputs("\\fR\n", out);
		print_sentence(out, e->what);
	}
}

void options_man(FILE *out)
{
	print_title(out);
	print_text(out, description);
	print_options(out);
	print_output(out);
	print_text(out, signals);
	print_statuses(out);
	print_examples(out);
	print_text(out, see_also);
}
