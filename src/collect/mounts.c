// SPDX-License-Identifier: GPL-2.0
/* By the mount's id, which /proc/self/fdinfo tells: device numbers do not lead to a mount
 * (overlayfs, btrfs). */
#include "collect/mounts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static int mount_id(int fd)
{
	AUTO_FILE FILE *f = NULL;
	char path[64], line[128];
	int id;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "mnt_id: %d", &id) == 1)
			return id;
	return -ENOENT;
}

/* Our own table, or that of the process whose root or folder the path goes through. */
static FILE *open_table(const char *path)
{
	char table[64];
	int pid, end = 0;

	if (sscanf(path, "/proc/%d/%n", &pid, &end) == 1 && end &&
	    (!strncmp(path + end, "root/", 5) || !strncmp(path + end, "cwd/", 4))) {
		snprintf(table, sizeof(table), "/proc/%d/mountinfo", pid);
		return fopen(table, "re");
	}
	return fopen("/proc/self/mountinfo", "re");
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void mount_unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = 0;
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER" */
static int parse(struct mount *m)
{
	char *rest = strstr(m->line, " - "), *save = NULL, *word[5] = {NULL}, *point, *type, *source;

	if (!rest)
		return -ENOENT;
	*rest = 0;
	for (int i = 0; i < 5; i++)
		word[i] = strtok_r(i ? NULL : m->line, " ", &save);
	point = word[4];
	type = strtok_r(rest + 3, " ", &save);
	source = strtok_r(NULL, " ", &save);
	m->super = strtok_r(NULL, " \n", &save);
	if (!point || !type || !source || !m->super ||
	    sscanf(word[2], "%u:%u", &m->major, &m->minor) != 2)
		return -ENOENT;
	mount_unescape(word[3]);
	m->root = word[3];
	mount_unescape(point);
	mount_unescape(source);
	m->point = point;
	m->type = type;
	m->source = source;
	return 0;
}

int mount_next(FILE *table, struct mount *out)
{
	size_t size = 0;

	*out = (struct mount){0};
	while (getline(&out->line, &size, table) > 0)
		if (!parse(out))
			return 0;
	mount_free(out);
	return -ENOENT;
}

int mount_of(int fd, const char *path, struct mount *out)
{
	AUTO_FILE FILE *f = open_table(path);
	int found, id = mount_id(fd);
	size_t size = 0;

	*out = (struct mount){0};
	while (f && id >= 0 && getline(&out->line, &size, f) > 0)
		if (sscanf(out->line, "%d ", &found) == 1 && found == id)
			return parse(out);
	mount_free(out);
	return -ENOENT;
}

void mount_free(struct mount *m)
{
	free(m->line);
	m->line = NULL;
}

char *mount_option(char **rest, const char **key)
{
	char *option = strsep(rest, ","), *value;

	if (!option)
		return NULL;
	value = strchr(option, '=');
	if (value)
		*value++ = 0;
	else
		value = option + strlen(option);
	mount_unescape(value);
	*key = option;
	return value;
}
