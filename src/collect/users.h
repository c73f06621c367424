/* SPDX-License-Identifier: GPL-2.0 */
/* Users of the host, from the passwd file below its root: rootless engines keep their files at home. */
#ifndef IOLAT_COLLECT_USERS_H
#define IOLAT_COLLECT_USERS_H

#include "collect/hostfs.h"

/* The home and the name of a user; false: not in the file, or too long. */
bool users_home(const struct hostfs *h, uint32_t uid, char *out, size_t size);
bool users_name(const struct hostfs *h, uint32_t uid, char *out, size_t size);

#endif
