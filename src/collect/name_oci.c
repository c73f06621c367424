// SPDX-License-Identifier: GPL-2.0
/*
 * Containers that have an OCI config.json with annotations: containerd's (CRI and nerdctl,
 * one folder a namespace) and CRI-O's. The file has no id field of its own; the cgroup
 * path in it ends with the id.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "collect/name_parse.h"
#include "collect/names.h"
#include "collect/users.h"

#define CRI  "io.kubernetes.cri."
#define CRIO "io.kubernetes.cri-o."

/* --- what the file says ----------------------------------------------------------- */

/* "...slice:crio:ID", "/namespace/ID" */
static bool is_of(json_object *o, const char *id)
{
	const char *path = jsonfile_string(jsonfile_member(o, "linux"), "cgroupsPath");
	size_t len = strlen(path), id_len = strlen(id);

	return id_len && len > id_len && strchr(":/-", path[len - id_len - 1]) &&
	       !strcmp(path + len - id_len, id);
}

static void copy_of(char *to, size_t size, json_object *annotations, const char *key)
{
	jsonfile_copy(to, size, jsonfile_string(annotations, key));
}

static void take_cri(json_object *a, struct names *out)
{
	bool sandbox = !strcmp(jsonfile_string(a, CRI "container-type"), "sandbox");

	copy_of(out->pod_name, sizeof(out->pod_name), a, CRI "sandbox-name");
	copy_of(out->pod_namespace, sizeof(out->pod_namespace), a, CRI "sandbox-namespace");
	copy_of(out->pod_uid, sizeof(out->pod_uid), a, CRI "sandbox-uid");
	copy_of(out->image, sizeof(out->image), a,
		sandbox ? CRI "podsandbox.image-name" : CRI "image-name");
	if (out->pod_name[0])
		names_join(out, sandbox ? "[sandbox]" : jsonfile_string(a, CRI "container-name"));
}

bool name_parse_containerd(const char *text, size_t len, const char *id, struct names *out)
{
	json_object *o = jsonfile_parse(text, len), *a = jsonfile_member(o, "annotations");
	bool mine = is_of(o, id);

	if (mine) {
		take_cri(a, out);
		if (!out->name[0])
			copy_of(out->name, sizeof(out->name), a, "nerdctl/name");
		jsonfile_copy(out->runtime, sizeof(out->runtime), "containerd");
	}
	json_object_put(o);
	return mine;
}

bool name_parse_crio(const char *text, size_t len, const char *id, struct names *out)
{
	json_object *o = jsonfile_parse(text, len), *a = jsonfile_member(o, "annotations");
	const char *own = jsonfile_string(a, CRIO "ContainerID");
	bool mine = *own ? !strcmp(own, id) : is_of(o, id);

	if (mine) {
		bool sandbox = !strcmp(jsonfile_string(a, CRIO "ContainerType"), "sandbox");

		copy_of(out->pod_name, sizeof(out->pod_name), a, "io.kubernetes.pod.name");
		copy_of(out->pod_namespace, sizeof(out->pod_namespace), a, "io.kubernetes.pod.namespace");
		copy_of(out->pod_uid, sizeof(out->pod_uid), a, "io.kubernetes.pod.uid");
		copy_of(out->image, sizeof(out->image), a, CRIO "ImageName");
		jsonfile_copy(out->runtime, sizeof(out->runtime), "crio");
		if (out->pod_name[0])
			names_join(out, sandbox ? "[sandbox]"
						: jsonfile_string(a, "io.kubernetes.container.name"));
	}
	json_object_put(o);
	return mine && out->name[0];
}

/* --- where it is ------------------------------------------------------------------ */

typedef bool parser(const char *text, size_t len, const char *id, struct names *out);

static bool try_file(const struct name_query *q, const char *path, parser *parse, struct names *out)
{
	size_t len;
	AUTO_FREE char *text = hostfs_read(&q->host->fs, path, HOSTFS_FILE, &len);

	if (!text || !parse(text, len, q->of->id, out))
		return false;
	snprintf(out->source, sizeof(out->source), "%s", path);
	return true;
}

/* Also a container that the file knows, but no name of (plain `ctr run`, Docker's): it exists. */
static bool try_namespace(const struct name_query *q, const char *folder, const char *namespace,
			  struct names *out)
{
	char path[768];

	snprintf(path, sizeof(path), "%s/%s/%s/config.json", folder, namespace, q->of->id);
	return try_file(q, path, name_parse_containerd, out);
}

static bool try_namespaces(const struct name_query *q, const char *folder, struct names *out)
{
	DIR *dir = hostfs_dir(&q->host->fs, folder);
	const struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir)))
		if (e->d_name[0] != '.' && strcmp(e->d_name, "moby")) /* Docker's own files know more */
			found = try_namespace(q, folder, e->d_name, out);
	if (dir)
		closedir(dir);
	return found;
}

bool name_containerd(const struct name_query *q, struct names *out)
{
	static const char *const state[] = {
		"/run/containerd", "/run/k3s/containerd", "/run/k0s/containerd",
		"/var/snap/microk8s/common/run/containerd"};
	char folder[256];

	for (size_t i = 0; q->of->id[0] && i < sizeof(state) / sizeof(state[0]); i++) {
		snprintf(folder, sizeof(folder), "%s/io.containerd.runtime.v2.task", state[i]);
		if (q->of->by_shape ? try_namespace(q, folder, q->of->task, out)
				    : try_namespaces(q, folder, out))
			return true;
	}
	return false;
}

bool name_crio(const struct name_query *q, struct names *out)
{
	static const char *const storage[] = {"/run/containers/storage", "/var/lib/containers/storage"};
	char path[512];

	for (size_t i = 0; q->of->id[0] && i < sizeof(storage) / sizeof(storage[0]); i++) {
		snprintf(path, sizeof(path), "%s/overlay-containers/%s/userdata/config.json",
			 storage[i], q->of->id);
		if (try_file(q, path, name_parse_crio, out))
			return true;
	}
	return false;
}

/* --- nerdctl's names/NAMESPACE/NAME, a file that holds the id ---------------------- */

/* Calls `each` for the entries of a folder, until it returns true. */
static bool each_entry(const struct name_query *q, const char *folder,
		       bool (*each)(const struct name_query *, const char *path, struct names *),
		       struct names *out)
{
	DIR *dir = hostfs_dir(&q->host->fs, folder);
	const struct dirent *e;
	char path[1024];
	bool found = false;

	while (dir && !found && (e = readdir(dir))) {
		if (e->d_name[0] == '.' ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) >= sizeof(path))
			continue;
		found = each(q, path, out);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool try_name(const struct name_query *q, const char *path, struct names *out)
{
	size_t len, id_len = strlen(q->of->id);
	AUTO_FREE char *text = hostfs_read(&q->host->fs, path, 256, &len);

	if (!text || strncmp(text, q->of->id, id_len) || text[id_len + strspn(text + id_len, "\r\n")])
		return false;
	snprintf(out->name, sizeof(out->name), "%s", strrchr(path, '/') + 1);
	snprintf(out->source, sizeof(out->source), "%s", path);
	return true;
}

static bool try_name_folder(const struct name_query *q, const char *path, struct names *out)
{
	return each_entry(q, path, try_name, out);
}

static bool try_address(const struct name_query *q, const char *path, struct names *out)
{
	char names[1100];

	snprintf(names, sizeof(names), "%s/names", path);
	return each_entry(q, names, try_name_folder, out);
}

bool name_nerdctl(const struct name_query *q, struct names *out)
{
	char home[512], root[600];

	if (!q->of->id[0])
		return false;
	if (each_entry(q, "/var/lib/nerdctl", try_address, out))
		return true;
	if (q->of->uid == UINT32_MAX || !users_home(&q->host->fs, q->of->uid, home, sizeof(home)))
		return false;
	snprintf(root, sizeof(root), "%s/.local/share/nerdctl", home);
	return each_entry(q, root, try_address, out);
}
