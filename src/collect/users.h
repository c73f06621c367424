/* SPDX-License-Identifier: GPL-2.0 */
/* Users of the host, from the passwd file below its root: rootless engines keep their files at home. */
#ifndef IOLAT_COLLECT_USERS_H
#define IOLAT_COLLECT_USERS_H

#include "collect/hostfs.h"

/* The home of a user; false: not in the file. */
bool users_home(const struct hostfs *h, uint32_t uid, char *out, size_t size);

#endif
