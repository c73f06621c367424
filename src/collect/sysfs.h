/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of sysfs: small files with one value. */
#ifndef IOLAT_COLLECT_SYSFS_H
#define IOLAT_COLLECT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line of FOLDER/FILE without its end, cut to what fits; false if it can't be read or is
 * empty. */
bool sysfs_text(const char *folder, const char *file, char *buf, size_t size);

/* The same as a decimal number. */
bool sysfs_number(const char *folder, const char *file, uint64_t *out);

/* The word in brackets of a list of what may be chosen ("none [mq-deadline] kyber"), cut to what fits; false, and "", where there is
 * none. */
bool sysfs_chosen(const char *folder, const char *file, char *out, size_t size);

/* "MAJOR:MINOR", and nothing else. */
bool sysfs_parse_dev(const char *text, uint32_t *major, uint32_t *minor);

#endif
