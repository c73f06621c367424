/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where frames go: standard output, or the file of --output, which root never opens through
 * a symbolic link and which belongs to the user behind sudo.
 */
#ifndef IOLAT_CLI_OUTPUT_H
#define IOLAT_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *stream;
	const char *path;	/* NULL: standard output */
	char *temporary;	/* renamed to `path` when whole, or NULL */
	bool unnamed;		/* it is not there yet under that name */
};

/* Opens; an exit status, the reason said. */
int output_open(struct output *o, const char *path);

/* The same for a file that nobody named: what is there already is an error. */
int output_open_new(struct output *o, const char *path);

/* The same for a file that appears under its name only when it is whole: where `path` is new or a
 * regular file, through a temporary one beside it, which has no name where the file system can do without. */
int output_open_whole(struct output *o, const char *path);

/* Opens the n-th file beside `path`, as PATH.N.log: its name in *name, to be freed. NULL after saying why. */
FILE *output_beside(const char *path, unsigned int n, char **name);

/* Flushes a frame. 0, -EPIPE (the reader is gone: end quietly), or another negative errno after
 * saying so. */
int output_flush(struct output *o);

/* Closes; as output_flush. */
int output_close(struct output *o);

/* Closes at the end of a command; an exit status. */
int output_end(struct output *o);

/* Closes a file that is not whole and will not be: nothing of it stays. */
void output_abandon(struct output *o);

/* Width of the terminal in columns, 0 if it is none. */
int output_width(const struct output *o);

/* The user behind sudo (SUDO_UID, SUDO_GID), if root was got that way. */
bool sudo_user(unsigned int *uid, unsigned int *gid);

#endif
