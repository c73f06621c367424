// SPDX-License-Identifier: GPL-2.0
/* passwd(5) by fgetpwent(), which, unlike getpwuid(), takes the file to read. */
#include "collect/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool find_home(FILE *f, uint32_t uid, char *out, size_t size)
{
	const struct passwd *pw;

	while ((pw = fgetpwent(f)))
		if (pw->pw_uid == uid && pw->pw_dir[0] == '/' && strlen(pw->pw_dir) < size) {
			snprintf(out, size, "%s", pw->pw_dir);
			return true;
		}
	return false;
}

bool users_home(const struct hostfs *h, uint32_t uid, char *out, size_t size)
{
	size_t len;
	AUTO_FREE char *text = hostfs_read(h, "/etc/passwd", HOSTFS_FILE, &len);
	AUTO_FILE FILE *f = text && len ? fmemopen(text, len, "r") : NULL;

	return f && find_home(f, uid, out, size);
}
