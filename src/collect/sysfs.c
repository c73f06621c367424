// SPDX-License-Identifier: GPL-2.0
/* A read is one open, read and close, without a buffer in between: some hosts have thousands of
 * disks. */
#include "collect/sysfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"

bool sysfs_text(const char *folder, const char *file, char *buf, size_t size)
{
	AUTO_CLOSE int fd = -1;
	char path[PATH_MAX];
	ssize_t n;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, file) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	if (n <= 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

bool sysfs_number(const char *folder, const char *file, uint64_t *out)
{
	char text[32];

	return sysfs_text(folder, file, text, sizeof(text)) && !parse_u64(text, out);
}

bool sysfs_chosen(const char *folder, const char *file, char *out, size_t size)
{
	char text[128];
	const char *from, *to;

	out[0] = 0;
	from = sysfs_text(folder, file, text, sizeof(text)) ? strchr(text, '[') : NULL;
	to = from ? strchr(from, ']') : NULL;
	if (to)
		snprintf(out, size, "%.*s", (int)(to - from - 1), from + 1);
	return to;
}

bool sysfs_parse_dev(const char *text, uint32_t *major, uint32_t *minor)
{
	int end = 0;

	return sscanf(text, "%" SCNu32 ":%" SCNu32 "%n", major, minor, &end) == 2 && !text[end];
}
