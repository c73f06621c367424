// SPDX-License-Identifier: GPL-2.0
/*
 * podman's containers: the lists of containers/storage, one for those that stay and one
 * for those that go with their process (--rm). Where storage is may be set system-wide or
 * by each user.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "collect/name_parse.h"
#include "collect/names.h"
#include "collect/users.h"

/* "metadata" is a text that holds JSON again. */
static void take_metadata(json_object *entry, struct names *out)
{
	const char *text = jsonfile_string(entry, "metadata");
	json_object *o = jsonfile_parse(text, strlen(text));

	jsonfile_copy(out->image, sizeof(out->image), jsonfile_string(o, "image-name"));
	if (!out->name[0])
		jsonfile_copy(out->name, sizeof(out->name), jsonfile_string(o, "name"));
	json_object_put(o);
}

static void take_entry(json_object *entry, struct names *out)
{
	json_object *names = jsonfile_member(entry, "names"), *first = NULL;

	if (json_object_is_type(names, json_type_array))
		first = json_object_array_get_idx(names, 0);
	if (json_object_is_type(first, json_type_string))
		jsonfile_copy(out->name, sizeof(out->name), json_object_get_string(first));
	take_metadata(entry, out);
	jsonfile_copy(out->runtime, sizeof(out->runtime), "podman");
}

bool name_parse_storage(const char *text, size_t len, const char *id, struct names *out)
{
	json_object *o = jsonfile_parse(text, len);
	size_t n = json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
	bool found = false;

	for (size_t i = 0; *id && !found && i < n; i++) {
		json_object *entry = json_object_array_get_idx(o, i);

		found = !strcmp(jsonfile_string(entry, "id"), id);
		if (found)
			take_entry(entry, out);
	}
	json_object_put(o);
	return found && out->name[0];
}

static bool try_list(const struct name_query *q, const char *root, const char *list, struct names *out)
{
	char path[1024];
	AUTO_FREE char *text = NULL;
	size_t len;

	if ((size_t)snprintf(path, sizeof(path), "%s/overlay-containers/%s", root, list) >=
	    sizeof(path))
		return false;
	text = hostfs_read(&q->host->fs, path, HOSTFS_LIST, &len);
	if (!text || !name_parse_storage(text, len, q->of->id, out))
		return false;
	snprintf(out->source, sizeof(out->source), "%s", path);
	return true;
}

static bool try_root(const struct name_query *q, const char *root, struct names *out)
{
	return try_list(q, root, "containers.json", out) ||
	       try_list(q, root, "volatile-containers.json", out);
}

/* The roots that a storage.conf sets, then the usual ones. */
static bool try_roots(const struct name_query *q, const char *config, const char *graph,
		      const char *run, struct names *out)
{
	AUTO_FREE char *text = hostfs_read(&q->host->fs, config, HOSTFS_FILE, NULL);
	char root[512];

	if (text && hostfs_setting(text, "graphroot", root, sizeof(root)) && try_root(q, root, out))
		return true;
	if (text && hostfs_setting(text, "runroot", root, sizeof(root)) && try_root(q, root, out))
		return true;
	return try_root(q, graph, out) || try_root(q, run, out);
}

static bool try_home(const struct name_query *q, struct names *out)
{
	char home[512], config[600], graph[600], run[64];

	if (q->of->uid == UINT32_MAX || !users_home(&q->host->fs, q->of->uid, home, sizeof(home)))
		return false;
	snprintf(config, sizeof(config), "%s/.config/containers/storage.conf", home);
	snprintf(graph, sizeof(graph), "%s/.local/share/containers/storage", home);
	snprintf(run, sizeof(run), "/run/user/%u/containers", q->of->uid);
	return try_roots(q, config, graph, run, out);
}

bool name_podman(const struct name_query *q, struct names *out)
{
	if (!q->of->id[0])
		return false;
	return try_home(q, out) || try_roots(q, "/etc/containers/storage.conf",
					     "/var/lib/containers/storage",
					     "/run/containers/storage", out);
}
