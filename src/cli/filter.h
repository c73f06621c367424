/* SPDX-License-Identifier: GPL-2.0 */
/* The selection options as a filter over what was recorded: nothing is looked up on this host. */
#ifndef IOLAT_CLI_FILTER_H
#define IOLAT_CLI_FILTER_H

#include "attrib/select.h"
#include "cli/options.h"

/* Fills `s`, which select_free() frees in any case. An exit status; what is wrong has been said. */
int filter_make(struct selection *s, const struct options *o);

/* A user of the recorded host, by name: one of the options' words may be he. In place, for whoever has copied `s`. */
void filter_user(struct selection *s, const struct options *o, const struct iolat_user *e);

/* Where a path of --device lies, as far as the recording has told. */
struct filter_path {
	size_t len;		/* of the mount point, 0: not known */
	uint32_t major, minor;
};

/* A file system that was mounted, and a disk: one may be what holds a path of the options' words, `paths` has as many
 * members. In place, too. 0 or -ENOMEM. */
int filter_fs(struct selection *s, const struct options *o, struct filter_path *paths, const struct iolat_fs *e);
int filter_disk(struct selection *s, const struct options *o, const struct filter_path *paths, const struct iolat_disk *e);

/* The first entry of the option of that name, for a message; "" for none. */
const char *filter_word(const struct options *o, const char *option);

#endif
