/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time stamps as loggers write them, found in a line of text and read as wall-clock time. A stamp without a zone is
 * local time, by TZ.
 */
#ifndef IOLAT_TRAINLOG_STAMP_H
#define IOLAT_TRAINLOG_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stamps;

int stamps_new(struct stamps **out); /* 0 or -ENOMEM */
void stamps_free(struct stamps *s);

/* The first stamp in the line. `near_ns` (wall clock) tells the year of stamps that have none, such as glog's. */
bool stamps_find(struct stamps *s, const char *line, size_t len, uint64_t near_ns, uint64_t *wall_ns);

#endif
