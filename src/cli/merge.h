/* SPDX-License-Identifier: GPL-2.0 */
/* The file of --merge: somebody else's trace, plain or compressed by gzip. */
#ifndef IOLAT_CLI_MERGE_H
#define IOLAT_CLI_MERGE_H

#include "base/moment.h"
#include "render/trace.h"

struct merge;

/* Reads it once to see what it is. `at`: when its ts 0 was, MOMENT_NONE: it has to know. EXIT_OK, or the exit status
 * of an error that was said. */
int merge_open(struct merge **out, const char *path, const struct moment *at);
void merge_close(struct merge *m);

const struct trace_merge *merge_trace(const struct merge *m);
uint64_t merge_base(const struct merge *m); /* wall clock of its ts 0 */

#endif
