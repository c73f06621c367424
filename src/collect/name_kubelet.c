// SPDX-License-Identifier: GPL-2.0
/*
 * What the kubelet's log folders say in their names, whichever engine runs the containers:
 * /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log, /var/log/pods/NAMESPACE_POD_UID. No
 * part but an id has a '_' in it.
 */
#include <stdio.h>
#include <string.h>

#include "collect/name_parse.h"
#include "collect/names.h"

#define LOG_LONGEST 255 /* the kubelet cuts the name at 251 and then adds ".log" */
#define LEAST_OF_ID 12	/* digits that have to be left of a cut id */

/* Copies a part up to `end`. False when it is empty or does not fit. */
static bool take_part(char *to, size_t size, const char *s, const char *end)
{
	size_t len = end ? (size_t)(end - s) : 0;

	if (!len || len >= size)
		return false;
	memcpy(to, s, len);
	to[len] = '\0';
	return true;
}

/* Whether the text up to `end` is the id, or the beginning that is left of it. */
static bool is_id(const char *s, const char *end, const char *id, bool cut)
{
	size_t len = (size_t)(end - s);

	return !strncmp(s, id, len) && (!id[len] || (cut && len >= LEAST_OF_ID));
}

bool name_parse_log(const char *file, const char *id, struct names *out)
{
	size_t len = strlen(file);
	const char *end = len > 4 ? file + len - 4 : file, *pod_end = strchr(file, '_');
	const char *namespace_end = pod_end ? strchr(pod_end + 1, '_') : NULL, *dash;
	char container[256];

	if (!*id || strcmp(end, ".log") || !namespace_end)
		return false;
	dash = strrchr(namespace_end, '-');
	return dash && is_id(dash + 1, end, id, len == LOG_LONGEST) &&
	       take_part(out->pod_name, sizeof(out->pod_name), file, pod_end) &&
	       take_part(out->pod_namespace, sizeof(out->pod_namespace), pod_end + 1,
			 namespace_end) &&
	       take_part(container, sizeof(container), namespace_end + 1, dash) &&
	       (names_join(out, container), true);
}

bool name_parse_pod(const char *folder, const char *uid, struct names *out)
{
	const char *namespace_end = strchr(folder, '_');
	const char *pod_end = namespace_end ? strchr(namespace_end + 1, '_') : NULL;

	return *uid && pod_end && !strcmp(pod_end + 1, uid) &&
	       take_part(out->pod_namespace, sizeof(out->pod_namespace), folder, namespace_end) &&
	       take_part(out->pod_name, sizeof(out->pod_name), namespace_end + 1, pod_end);
}

/* The first entry of a folder that `parse` takes. */
static bool look_through(const struct name_query *q, const char *folder, const char *key,
			 bool (*parse)(const char *, const char *, struct names *),
			 struct names *out)
{
	DIR *dir = hostfs_dir(&q->host->fs, folder);
	const struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir))) {
		found = parse(e->d_name, key, out);
		if (found)
			snprintf(out->source, sizeof(out->source), "%s/%s", folder, e->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool name_pod_log(const struct name_query *q, struct names *out)
{
	return look_through(q, "/var/log/containers", q->of->id, name_parse_log, out);
}

/* The pod alone; which of its containers it is stays open. */
bool name_pod(const struct name_query *q, struct names *out)
{
	if (!look_through(q, "/var/log/pods", q->of->pod_uid, name_parse_pod, out))
		return false;
	names_join(out, q->of->container ? "?" : "");
	return true;
}
