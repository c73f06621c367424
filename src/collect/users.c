// SPDX-License-Identifier: GPL-2.0
/* passwd(5) by fgetpwent(), which, unlike getpwuid(), takes the file to read. */
#include "collect/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* The field of that user's line that `of` chooses. */
static bool find(const struct hostfs *h, uint32_t uid, const char *(*of)(const struct passwd *), char *out, size_t size)
{
	size_t len;
	AUTO_FREE char *text = hostfs_read(h, "/etc/passwd", HOSTFS_FILE, &len);
	AUTO_FILE FILE *f = text && len ? fmemopen(text, len, "r") : NULL;
	const struct passwd *pw = NULL;

	while (f && (pw = fgetpwent(f)))
		if (pw->pw_uid == uid && of(pw) && strlen(of(pw)) < size)
			break;
	if (!pw)
		return false;
	snprintf(out, size, "%s", of(pw));
	return true;
}

static const char *home_of(const struct passwd *pw)
{
	return pw->pw_dir[0] == '/' ? pw->pw_dir : NULL;
}

static const char *name_of(const struct passwd *pw)
{
	return pw->pw_name;
}

bool users_home(const struct hostfs *h, uint32_t uid, char *out, size_t size)
{
	return find(h, uid, home_of, out, size);
}

bool users_name(const struct hostfs *h, uint32_t uid, char *out, size_t size)
{
	return find(h, uid, name_of, out, size);
}
