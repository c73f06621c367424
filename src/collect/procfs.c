// SPDX-License-Identifier: GPL-2.0
/* Reads /proc/PID/status and stat (proc(5)) for cli/target.c, tasks.c and process_facts.c, and what facts.c asks
 * of /proc. */
#include "collect/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"

/* "NSpid:	4242	17	1": the last one. */
static uint32_t last_number(const char *s)
{
	uint32_t last = 0;
	int used;

	while (sscanf(s, "%" SCNu32 "%n", &last, &used) == 1)
		s += used;
	return last;
}

bool procfs_status(const char *root, uint32_t pid, struct proc_status *out)
{
	char path[PATH_MAX], line[256];
	AUTO_FILE FILE *f = NULL;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/status", root, pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "Name:\t", 6))
			snprintf(out->comm, sizeof(out->comm), "%.*s",
				 (int)strcspn(line + 6, "\n"), line + 6);
		else if (sscanf(line, "Tgid: %" SCNu32, &out->tgid) == 1)
			continue;
		else if (sscanf(line, "Uid: %" SCNu32, &out->uid) == 1)
			continue;
		else if (!strncmp(line, "NSpid:", 6))
			out->ns_pid = last_number(line + 6);
	}
	return out->tgid;
}

/* Behind the name, which may hold any byte: state, ppid, four, flags, twelve, starttime. */
bool procfs_stat(const char *root, uint32_t pid, uint32_t tid, struct proc_stat *out)
{
	char path[PATH_MAX], line[1024];
	AUTO_FILE FILE *f = NULL;
	uint64_t ticks;
	const char *s;

	snprintf(path, sizeof(path), "%s/proc/%" PRIu32 "/task/%" PRIu32 "/stat", root, pid, tid);
	f = fopen(path, "re");
	s = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (!s || sscanf(s, ") %*c %" SCNu32 " %*d %*d %*d %*d %" SCNu32
			    " %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
			 &out->ppid, &out->flags, &ticks) != 3)
		return false;
	out->start_ns = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

int procfs_all(struct proc_entry **out, size_t *n)
{
	AUTO_DIR DIR *dir = opendir("/proc");
	struct proc_entry e, *more;
	struct dirent *d;
	uint64_t pid;

	*out = NULL;
	*n = 0;
	while (dir && (d = readdir(dir))) {
		if (parse_u64(d->d_name, &pid) || !procfs_stat("", pid, pid, &e.stat))
			continue;
		e.pid = pid;
		more = *n & (*n - 1) ? *out : reallocarray(*out, *n ? 2 * *n : 1, sizeof(e));
		if (!more) {
			free(*out);
			*out = NULL;
			return -ENOMEM;
		}
		*out = more;
		more[(*n)++] = e;
	}
	return 0;
}

bool procfs_is_host(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PROCFS_HOST_PID_NS;
}

size_t procfs_find_ns_pid(uint32_t ns_pid, uint32_t *pids, size_t room)
{
	DIR *dir = opendir("/proc");
	struct proc_status st;
	struct dirent *d;
	size_t n = 0;
	uint64_t pid;

	while (dir && (d = readdir(dir))) {
		if (parse_u64(d->d_name, &pid) || !procfs_status("", pid, &st))
			continue;
		if (st.ns_pid != ns_pid || pid == ns_pid)
			continue;
		if (n < room)
			pids[n] = pid;
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* /proc/swaps has a line of headers. */
bool procfs_has_swap(void)
{
	AUTO_FILE FILE *f = fopen("/proc/swaps", "re");
	char line[512];

	return f && fgets(line, sizeof(line), f) && fgets(line, sizeof(line), f);
}

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || strchr("%+,-./:=@_", c);
}

static bool needs_quotes(const char *word)
{
	const char *at = word;

	while (*at && is_plain(*at))
		at++;
	return *at || at == word;
}

static void put_word(FILE *out, const char *word)
{
	if (!needs_quotes(word)) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\'", out);
		putc(*word, out);
	}
	putc('\'', out);
}

bool procfs_command_line(char *line, size_t size)
{
	AUTO_FREE char *text = NULL, *word = NULL;
	AUTO_FILE FILE *f = fopen("/proc/self/cmdline", "re");
	FILE *out = open_memstream(&text, &(size_t){0});
	size_t room = 0;

	while (f && out && getdelim(&word, &room, '\0', f) > 0) {
		if (ftell(out) > 0)
			putc(' ', out);
		put_word(out, word);
	}
	if (out)
		fclose(out);
	snprintf(line, size, "%s", text ? text : "");
	return text && strlen(text) < size;
}
