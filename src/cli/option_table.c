// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of option_table.h: what the command line consists of and what is said about
 * it. Everything else in this folder reads them; a new option is a row here and, where no
 * setter of option_set.c fits its argument, a setter there.
 */
#include "cli/option_table.h"

#include <stdio.h>
#include <string.h>

#include "serve/listen.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define FIELD(name)   offsetof(struct options, name)
#define LIVE	      (1u << COMMAND_LIVE)
#define RECORD	      (1u << COMMAND_RECORD)
#define REPORT	      (1u << COMMAND_REPORT)
#define SERVE	      (1u << COMMAND_SERVE)
#define TRACE	      (LIVE | RECORD)
#define DIFF	      (1u << COMMAND_DIFF)
#define PLAY	      (REPORT | DIFF)
#define FILTER	      (TRACE | PLAY)
#define DOCTOR	      (1u << COMMAND_DOCTOR)

/* clang-format off */
static const struct option_row rows[] = {
	/* selection */
	{ 'p', "pid", "PID[,PID...]", SECTION_SELECTION, FILTER | SERVE, set_pids, FIELD(pids), VALUE_PIDS,
	  .help = "these processes and all their descendants",
	  .more = "Descendants that start later are followed too. "
		  "A process id that exists only in another PID namespace is taken by its number there, "
		  "if that is unique." },
	{ 0, "no-children", NULL, SECTION_SELECTION, FILTER | SERVE, set_flag, FIELD(no_children),
	  .help = "with --pid: just these, no descendants" },
	{ 0, "name", "REGEX", SECTION_SELECTION, FILTER | SERVE, set_regex, FIELD(names),
	  .help = "processes by command name, with descendants",
	  .more = "A Perl-compatible regular expression that matches anywhere in the name, "
		  "which the kernel cuts at 15 bytes. Processes that start later are found too." },
	{ 0, "user", "NAME", SECTION_SELECTION, FILTER | SERVE, set_words, FIELD(users), VALUE_USER,
	  .help = "processes by owner, with descendants",
	  .more = "Processes that start later are found too." },
	{ 'c', "cgroup", "PATH", SECTION_SELECTION, FILTER | SERVE, set_words, FIELD(cgroups), VALUE_CGROUP,
	  .help = "everything below this cgroup (v1 or v2)",
	  .more = "Child cgroups that are made later belong to it." },
	{ 'C', "container", "NAME", SECTION_SELECTION, FILTER | SERVE, set_words, FIELD(containers),
	  .help = "a container by name or id prefix, whichever runtime",
	  .more = "Of a name like NAMESPACE/POD/CONTAINER the last part will do. Also what is started under "
		  "that name later belongs to it; the run ends when neither a container nor a file of that "
		  "name is left. What a monitor or logger beside it does is not its own." },
	{ 0, "pod", "[NAMESPACE/]POD", SECTION_SELECTION, FILTER | SERVE, set_words, FIELD(pods),
	  .help = "a Kubernetes pod",
	  .more = "By name, or by uid. Ends as with --container." },
	{ 0, "job", "ID", SECTION_SELECTION, FILTER | SERVE, set_words, FIELD(jobs),
	  .help = "a Slurm job",
	  .more = "With all its steps, by either of its ids; also an ECS task or a Nomad allocation. Ends as with "
		  "--container." },
	{ 'd', "device", "NAME", SECTION_SELECTION, FILTER | SERVE, set_words, FIELD(devices), VALUE_DEVICE,
	  .help = "a disk, partition, dm or md device, or any path",
	  .more = "A path of a file or folder stands for the devices that hold it." },
	{ 0, "op", "LIST", SECTION_SELECTION, FILTER | SERVE, set_ops, FIELD(op_mask), VALUE_WORDS, op_words,
	  .lists = true,
	  .help = "only these operations" },
	{ 0, "min-latency", "DUR", SECTION_SELECTION, FILTER | SERVE, set_duration, FIELD(min_latency_ns),
	  .help = "only requests at least this slow" },
	{ 0, "from", "T", SECTION_SELECTION, PLAY, set_moment, FIELD(from),
	  .help = "only from then on: 90s after the start, or 12:00:05",
	  .more = "A distance from the start (*90s*), a time of day (*12:00:05*), or a date and time "
		  "(*2026-03-01T12:00:05*, local unless it has a zone)." },
	{ 0, "to", "T", SECTION_SELECTION, PLAY, set_moment, FIELD(to),
	  .help = "only what happened before then" },

	/* output */
	{ 'b', "by", "KEY[,KEY...]", SECTION_OUTPUT, TRACE | PLAY, set_by, FIELD(by), VALUE_WORDS, key_words,
	  .lists = true,
	  .help = "row key; default process,device,op; diff: process,op",
	  .more = "A comparison goes by names, and by process,op where nothing else is said." },
	{ 'H', "histogram", NULL, SECTION_OUTPUT, TRACE | REPORT, set_flag, FIELD(render.histogram),
	  .help = "latency histograms under the table" },
	{ 'f', "format", "F", SECTION_OUTPUT, TRACE | PLAY | DOCTOR, set_format, FIELD(format), VALUE_WORD,
	  format_words, .lists = true,
	  .help = "how to write it; default table",
	  .more = "Of a report alone: *html* is one page about the whole run that needs nothing beside it, *trace* is a "
		  "timeline in Chrome's trace format, for Perfetto, *prometheus* is counters for a textfile collector, *hdr* is percentiles as HdrHistogram prints them, for "
		  "its plotters, *fio* is a job for fio(1) with logs beside it, which replays the reads (and with *--op "
		  "read,write* the writes) on any disk. A recorder prints a summary at the end only where this "
		  "is given." },
	{ 0, "plain", NULL, SECTION_OUTPUT, LIVE, set_flag, FIELD(plain),
	  .help = "frames one under the other, not the full screen",
	  .more = "The full screen is what a terminal gets where neither a format, a file nor a COMMAND is named." },
	{ 'o', "output", "FILE", SECTION_OUTPUT, LIVE | RECORD | PLAY, set_text, FIELD(output), VALUE_FILE,
	  .help = "write there instead of standard output",
	  .more = "- is standard output itself. FILE is written frame by frame, by a report or a comparison all at once: what was there before stays "
		  "until then. It belongs to *SUDO_UID* when there is one. "
		  "Root does not follow a symbolic link to it." },
	{ 'i', "interval", "DUR", SECTION_OUTPUT, LIVE | REPORT | SERVE, set_interval, FIELD(interval_ns),
	  .help = "one frame each; default 1s, serve: 10s; 0: summary",
	  .more = "At least 10ms. *serve* looks at its counters that often if nobody asks for them; default 10s." },
	{ 'n', "top", "N", SECTION_OUTPUT, TRACE | PLAY, set_top, FIELD(render.top),
	  .help = "rows that a table shows; default 20",
	  .more = "JSON and CSV are never cut." },
	{ 0, "sort", "COLUMN", SECTION_OUTPUT, TRACE | REPORT, set_sort, FIELD(render.sort), VALUE_WORD, column_words,
	  .help = "order of a table; see --columns",
	  .more = "Default is the time that the requests of a row took together." },
	{ 0, "columns", "LIST", SECTION_OUTPUT, TRACE | REPORT, set_columns, FIELD(render), VALUE_WORDS, column_words,
	  .lists = true,
	  .help = "columns of a table" },

	{ 0, "events", NULL, SECTION_OUTPUT, REPORT, set_flag, FIELD(events),
	  .help = "with csv and json: one line a request",
	  .more = "With everything that a row could be by; there is no summary." },
	{ 0, "stuck", "DUR", SECTION_OUTPUT, TRACE | REPORT | SERVE, set_limit, FIELD(stuck_ns),
	  .help = "in flight for longer is stuck; default 1s" },

	/* serve */
	{ 0, "listen", "ADDR:PORT", SECTION_SERVE, SERVE, set_address, FIELD(listen),
	  .help = "where to serve; default " LISTEN_DEFAULT,
	  .more = "ADDR is a name or an address, an IPv6 one in brackets, or nothing, which is every address; "
		  "*unix:<PATH>* is a Unix socket." },
	{ 0, "web-config", "FILE", SECTION_SERVE, SERVE, set_text, FIELD(web_config), VALUE_FILE,
	  .help = "TLS and passwords, as other exporters have them",
	  .more = "The web configuration file of Prometheus' exporters: of *tls_server_config* cert_file, key_file, "
		  "client_ca_file, client_auth_type and min_version, and *basic_auth_users*. What else stands there "
		  "is refused. It is read once." },
	{ 0, "max-series", "N", SECTION_SERVE, SERVE, set_series, FIELD(max_series),
	  .help = "time series at most; default 50000",
	  .more = "The least active make room; what they do from then on is counted as *other*." },
	{ 0, "stream", NULL, SECTION_SERVE, SERVE, set_flag, FIELD(stream),
	  .help = "follow each request, as the live view does",
	  .more = "For findings that need it; without, requests are added up in the kernel, at less cost." },

	/* run */
	{ 'D', "duration", "DUR", SECTION_RUN, TRACE | SERVE, set_limit, FIELD(duration_ns),
	  .help = "stop after this long",
	  .more = "A COMMAND that still runs is left running and waited for." },
	{ 0, "waits", NULL, SECTION_RUN, TRACE | SERVE, set_waits, 0,
	  .help = "trace what tasks wait for",
	  .more = "On where processes or cgroups are selected, as by COMMAND alone, off for the whole host and for devices." },
	{ 0, "no-waits", NULL, SECTION_RUN, TRACE | SERVE, set_no_waits, 0,
	  .help = "do not trace what tasks wait for" },
	{ 0, "files", NULL, SECTION_RUN, TRACE, set_flag, FIELD(keep_files),
	  .help = "keep which file each request is for",
	  .more = "Then *iolat report --by file* and *--by fs* can tell, and the full screen shows a row's files; a request "
		  "takes more room." },
	{ 0, "log", "FILE", SECTION_RUN, TRACE | REPORT, set_text, FIELD(log), VALUE_FILE,
	  .help = "a training log, whose epochs cut the run into phases",
	  .more = "Lines that tell a time and an epoch or step are taken, as common loggers write them, in English or "
		  "Chinese; a time without zone is local. It is followed while it grows, and with COMMAND it may "
		  "not be there yet." },
	{ 0, "log-pattern", "REGEX", SECTION_RUN, TRACE | REPORT, set_log_pattern, FIELD(log_pattern),
	  .help = "what in the log is a phase: named groups",
	  .more = "A Perl-compatible regular expression with at least one of the groups *epoch*, *step* and *name*, and "
		  "maybe *time*, *steps* (of the epoch), *start* or *end* (when it matches something, the phase "
		  "begins or has ended there). Case is ignored." },
	{ 0, "merge", "TRACE", SECTION_OUTPUT, REPORT, set_text, FIELD(merge), VALUE_FILE,
	  .help = "with -f trace: into this one of torch.profiler",
	  .more = "The output is TRACE with iolat's events added, on its clock and its process ids. TRACE may be compressed "
		  "by gzip." },
	{ 0, "merge-at", "TIME", SECTION_OUTPUT, REPORT, set_wall, FIELD(merge_at),
	  .help = "when the ts 0 of that trace was, if it does not say",
	  .more = "Perfetto does not show what was before." },
	{ 0, "fail-on", "CODE[,CODE...]", SECTION_RUN, TRACE | REPORT, set_codes, FIELD(fail_on), VALUE_WORDS, code_words,
	  .lists = true,
	  .help = "status 5 when such a finding holds at the end" },
	{ 0, "user-command", "root", SECTION_RUN, TRACE, set_as_root, FIELD(command_as_root), VALUE_WORD, root_words,
	  .help = "run COMMAND as root, not as SUDO_UID" },
	{ 0, "ready-fd", "N", SECTION_RUN, TRACE | SERVE, set_fd, FIELD(ready_fd),
	  .help = "write a newline there once all is attached",
	  .more = "N is an open file descriptor; it is closed after that." },
	{ 0, "buffer-size", "SIZE", SECTION_RUN, TRACE | SERVE, set_buffer, FIELD(buffer_size),
	  .help = "ring buffer size, 64K to 1G",
	  .more = "When it is full, requests still count, and the completeness line says what was lost." },
	{ 0, "anonymize", NULL, SECTION_RUN, RECORD | PLAY, set_flag, FIELD(anonymize),
	  .help = "replace names by others that do not tell them",
	  .more = "Those of hosts, commands, processes, cgroups, containers and files, the same within a run, also in parts of paths. What kernels and "
		  "Python call their threads, numbers and disks stay. Not with a selection by name, container, pod or "
		  "job, nor of a recording that was made with one: their names would be gone." },
	{ 0, "max-size", "SIZE", SECTION_RUN, RECORD, set_size, FIELD(max_size),
	  .help = "end a recording of that size; default 1G",
	  .more = "It is written in whole blocks of up to 256K and may be larger by one of them. It also ends before less than 5 % of "
		  "its file system are free." },
	{ 0, "rotate", "N", SECTION_RUN, RECORD, set_top, FIELD(rotate),
	  .help = "go on in a new file, and keep the newest N",
	  .more = "Whenever one has *--max-size*. The files of *-o run.iolat* are *run-000001.iolat*, *run-000002.iolat*, ...; numbers go on where an earlier "
		  "run has ended. Each can be read by itself, or all of them as one by *iolat report*. A smaller *--max-size* loses less "
		  "with the oldest." },
	{ 0, "btf", "FILE", SECTION_RUN, TRACE | SERVE | DOCTOR, set_text, FIELD(btf), VALUE_FILE,
	  .help = "the kernel's BTF, where it has none itself",
	  .more = "Raw BTF, or a program file with a .BTF section, of exactly the running kernel." },
	{ 0, "root", "DIR", SECTION_RUN, TRACE | SERVE | DOCTOR, set_folder, FIELD(root), VALUE_FILE,
	  .help = "where the host's files are, for names",
	  .more = "Its */proc*, cgroups and the files of container runtimes, for running inside a container. By "
		  "default that is found out: the root of process 1 where that is the host's." },
	{ 0, "disk", "PATH", SECTION_OUTPUT, DOCTOR, set_text, FIELD(disk), VALUE_FILE,
	  .help = "whether the disk below PATH can feed the job",
	  .more = "Runs fio, if it is installed, for some seconds: it only reads, files that are there or a scratch file "
		  "without a name. With a recording as FILE it reads as the training did, and puts that beside." },
	{ 0, "explain-cgroup", "PATH", SECTION_OUTPUT, DOCTOR, set_text, FIELD(explain), VALUE_CGROUP,
	  .help = "what a cgroup's path is taken for, and by what name",
	  .more = "PATH is one in the file system, or as /proc/PID/cgroup has it." },
	{ 'h', "help", NULL, SECTION_RUN, LIVE | RECORD | PLAY | SERVE | DOCTOR, set_help, FIELD(command),
	  .help = "this text" },
	{ 'V', "version", NULL, SECTION_RUN, LIVE | RECORD | PLAY | SERVE | DOCTOR, set_version, 0,
	  .help = "the version" },
};
/* clang-format on */
_Static_assert(ARRAY_SIZE(rows) <= OPTIONS_MAX, "raise OPTIONS_MAX");

static const char *const live_formats[] = {"table", "json", "csv", NULL};
static const char *const diff_formats[] = {"table", "json", "html", NULL};
static const char *const doctor_formats[] = {"table", "json", NULL};

const struct command_row command_rows[COMMAND_MAX] = {
	[COMMAND_LIVE] =
		{
			.synopsis = "[OPTIONS] [-- COMMAND [ARG...]]",
			.summary = "Shows live who waits on the disk, how long, and where the time "
				   "goes.",
			.traces_command = true,
			.formats = live_formats,
		},
	[COMMAND_RECORD] =
		{
			.name = "record",
			.synopsis = "record -o FILE [OPTIONS] [-- COMMAND [ARG...]]",
			.summary = "Saves every request for later.",
			.traces_command = true,
			.needs_output = true,
			.formats = live_formats,
		},
	[COMMAND_REPORT] =
		{
			.name = "report",
			.synopsis = "report FILE... [OPTIONS]",
			.summary = "Analyses recordings; needs no root and never reads the host.",
			.takes_files = true,
		},
	[COMMAND_SERVE] =
		{
			.name = "serve",
			.synopsis = "serve [--listen ADDR:PORT] [OPTIONS]",
			.summary = "Serves counters to Prometheus, until a signal ends it.",
		},
	[COMMAND_DIFF] =
		{
			.name = "diff",
			.synopsis = "diff BEFORE AFTER [OPTIONS]",
			.summary = "Compares two recordings: what got better, what got worse.",
			.takes_files = true,
			.formats = diff_formats,
		},
	[COMMAND_DOCTOR] =
		{
			.name = "doctor",
			.synopsis = "doctor [OPTIONS] [FILE]",
			.summary = "What this kernel and these privileges let iolat see, and what "
				   "to do.",
			.may_take_file = true,
			.formats = doctor_formats,
		},
};

static const struct example examples[] = {
	{"sudo iolat --pid 4242", "a process and its descendants"},
	{"sudo iolat --plain -d nvme0n1 -H", "a disk, with histograms"},
	{"sudo iolat record -o run.iolat --pid 4242", "keep everything for later"},
	{"iolat report run.iolat --by device,op -H", "look at it, disk by disk"},
	{"iolat report run.iolat -f html -o run.html", "the same as a page, to be sent"},
	{"iolat diff before.iolat after.iolat", "two recordings: did it help?"},
	{"sudo iolat serve --listen :9435", "counters for Prometheus"},
	{"sudo iolat -f json -D 10s -- python3 train.py", "a command, for 10 s"},
};

static const struct status_row statuses[] = {
	{"0", "fine, also when a signal or --duration ended the run"},
	{"1", "failed while running"},
	{"2", "wrong usage, or a selection that names nothing"},
	{"3", "the kernel lacks what is required"},
	{"4", "not permitted"},
	{"5", "a finding of --fail-on holds"},
};

const struct option_row *option_at(size_t i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

const struct example *example_at(size_t i)
{
	return i < ARRAY_SIZE(examples) ? &examples[i] : NULL;
}

const struct status_row *status_at(size_t i)
{
	return i < ARRAY_SIZE(statuses) ? &statuses[i] : NULL;
}

const char *option_section_name(enum option_section section)
{
	static const char *const names[SECTION_MAX] = {
		[SECTION_SELECTION] = "Selection",
		[SECTION_OUTPUT] = "Output",
		[SECTION_SERVE] = "Metrics server",
		[SECTION_RUN] = "Run",
	};

	return names[section];
}

bool option_applies(const struct option_row *row, enum command command)
{
	return row->commands & (1u << command);
}

char *option_words_line(char buf[OPTION_WORDS_LEN], const struct option_row *row,
			enum command command)
{
	const char *word;
	size_t len = 0;

	buf[0] = '\0';
	if (!row->lists)
		return buf;
	for (size_t i = 0; len < OPTION_WORDS_LEN && (word = row->word_at(command, i)); i++)
		len += (size_t)snprintf(buf + len, OPTION_WORDS_LEN - len, "%s%s", i ? ", " : "",
					word);
	return buf;
}

enum command command_find(const char *name)
{
	enum command c;

	for (c = 0; c < COMMAND_MAX; c++)
		if (command_rows[c].name && !strcmp(command_rows[c].name, name))
			break;
	return c;
}

bool command_takes_files(enum command command)
{
	return command_rows[command].takes_files || command_rows[command].may_take_file;
}

bool command_takes_format(enum command command, const char *format)
{
	const char *const *at = command_rows[command].formats;

	if (!at)
		return true;
	while (*at && strcmp(*at, format))
		at++;
	return *at;
}
