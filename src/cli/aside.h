/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the user of the live view wants kept from now on: a recording, or the page about it. A second stream of the same
 * tracer, with an analysis of its own, that begins in the midst of the session's.
 */
#ifndef IOLAT_CLI_ASIDE_H
#define IOLAT_CLI_ASIDE_H

#include "cli/session.h"

enum aside_kind { ASIDE_RECORDING, ASIDE_PAGE };

struct aside;

/* Begins it: a new file in the current folder, named by the time. 0 or -errno. */
int aside_begin(struct aside **out, struct session *s, enum aside_kind kind);

/* From time to time, after session_update(): what has come so far is kept. 0 or -errno, after which it is to be ended. */
int aside_keep(struct aside *a);

/* Ends it with what has come, writes what is left to write, and frees it. 0 or -errno. */
int aside_end(struct aside *a);

const char *aside_path(const struct aside *a);
enum aside_kind aside_kind(const struct aside *a);

#endif
