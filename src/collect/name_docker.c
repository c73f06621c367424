// SPDX-License-Identifier: GPL-2.0
/*
 * Docker's containers: DATA-ROOT/containers/ID/config.v2.json. The data-root may be moved
 * by daemon.json or on a daemon's command line, lie in a user's home (rootless), or in the
 * root of a daemon that runs in a container itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/name_parse.h"
#include "collect/names.h"
#include "collect/users.h"

#define LOOK_NS	       2000000000ull /* between two looks for daemons */
#define CONTAINERS_MAX 4096 /* that are looked through for one of Nomad's */

/* --- what the file says ----------------------------------------------------------- */

/* dockershim's and cri-dockerd's labels. */
static bool take_kubernetes(json_object *labels, struct names *out)
{
	const char *type = jsonfile_string(labels, "io.kubernetes.docker.type");
	bool sandbox = !strcmp(type, "podsandbox");

	jsonfile_copy(out->pod_name, sizeof(out->pod_name),
		      jsonfile_string(labels, "io.kubernetes.pod.name"));
	if (!out->pod_name[0])
		return false;
	jsonfile_copy(out->pod_namespace, sizeof(out->pod_namespace),
		      jsonfile_string(labels, "io.kubernetes.pod.namespace"));
	jsonfile_copy(out->pod_uid, sizeof(out->pod_uid),
		      jsonfile_string(labels, "io.kubernetes.pod.uid"));
	names_join(out, sandbox ? "[sandbox]"
				: jsonfile_string(labels, "io.kubernetes.container.name"));
	return true;
}

static bool take_ecs(json_object *labels, struct names *out)
{
	const char *family = jsonfile_string(labels, "com.amazonaws.ecs.task-definition-family");
	const char *name = jsonfile_string(labels, "com.amazonaws.ecs.container-name");

	if (!*family || !*name)
		return false;
	snprintf(out->name, sizeof(out->name), "%s/%s", family, name);
	return true;
}

static void take_name(json_object *o, struct names *out)
{
	const char *name = jsonfile_string(o, "Name");

	jsonfile_copy(out->name, sizeof(out->name), name + (*name == '/'));
}

bool name_parse_docker(const char *text, size_t len, const char *id, struct names *out)
{
	json_object *o = jsonfile_parse(text, len), *config = jsonfile_member(o, "Config");
	json_object *labels = jsonfile_member(config, "Labels");
	bool mine = *id && !strcmp(jsonfile_string(o, "ID"), id);

	if (mine) {
		jsonfile_copy(out->image, sizeof(out->image), jsonfile_string(config, "Image"));
		if (!take_kubernetes(labels, out) && !take_ecs(labels, out))
			take_name(o, out);
		jsonfile_copy(out->runtime, sizeof(out->runtime), "docker");
	}
	json_object_put(o);
	return mine && out->name[0];
}

/* The value of KEY=VALUE in Config.Env. */
static const char *env_value(json_object *env, const char *key)
{
	size_t n = json_object_is_type(env, json_type_array) ? json_object_array_length(env) : 0;
	size_t len = strlen(key);

	for (size_t i = 0; i < n; i++) {
		json_object *v = json_object_array_get_idx(env, i);
		const char *s = json_object_is_type(v, json_type_string) ? json_object_get_string(v)
									 : "";

		if (!strncmp(s, key, len) && s[len] == '=')
			return s + len + 1;
	}
	return "";
}

bool name_parse_docker_nomad(const char *text, size_t len, const char *alloc, const char *task,
			     struct names *out)
{
	json_object *o = jsonfile_parse(text, len), *config = jsonfile_member(o, "Config");
	json_object *env = jsonfile_member(config, "Env");
	bool mine = *alloc && !strcmp(env_value(env, "NOMAD_ALLOC_ID"), alloc) &&
		    !strcmp(env_value(env, "NOMAD_TASK_NAME"), task);

	if (mine) {
		jsonfile_copy(out->id, sizeof(out->id), jsonfile_string(o, "ID"));
		jsonfile_copy(out->image, sizeof(out->image), jsonfile_string(config, "Image"));
		snprintf(out->name, sizeof(out->name), "%s-%s-%s-%s",
			 env_value(env, "NOMAD_NAMESPACE"), env_value(env, "NOMAD_JOB_NAME"), task,
			 env_value(env, "NOMAD_SHORT_ALLOC_ID"));
	}
	json_object_put(o);
	return mine;
}

/* --- where it is ------------------------------------------------------------------ */

/* A data-root; `prefix` is how its root is reached from the host's. True ends the search. */
typedef bool try_root(void *ctx, const struct hostfs *fs, const char *prefix, const char *data_root);

/* The option's argument in a command line whose words end with NUL each: "--data-root=X",
 * "--data-root X". */
static const char *argument(const char *text, size_t len, const char *option)
{
	size_t n = strlen(option);

	for (const char *word = text; word < text + len; word += strlen(word) + 1) {
		if (strncmp(word, option, n))
			continue;
		if (word[n] == '=')
			return word + n + 1;
		if (!word[n] && word + n + 1 < text + len)
			return word + n + 1;
	}
	return NULL;
}

/* "data-root" of a daemon.json; false: none. */
static bool configured(const struct hostfs *fs, const char *file, char *out, size_t size)
{
	size_t len;
	AUTO_FREE char *text = hostfs_read(fs, file, HOSTFS_FILE, &len);
	json_object *o = text ? jsonfile_parse(text, len) : NULL;

	jsonfile_copy(out, size, jsonfile_string(o, "data-root"));
	json_object_put(o);
	return *out;
}

struct daemons {
	const struct names_host *host;
	try_root *try;
	void *ctx;
};

static bool try_command_line(const struct daemons *d, const struct hostfs *root, const char *prefix,
			     const char *args, size_t len)
{
	const char *given = argument(args, len, "--data-root") ?: argument(args, len, "-g");
	const char *config = argument(args, len, "--config-file") ?: "/etc/docker/daemon.json";
	char data_root[1024];

	if (!given)
		given = configured(root, config, data_root, sizeof(data_root)) ? data_root
									       : "/var/lib/docker";
	return d->try(d->ctx, root, prefix, given);
}

static bool is_daemon(const struct hostfs *fs, uint32_t pid)
{
	AUTO_FREE char *comm = NULL;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	comm = hostfs_read(fs, path, 64, NULL);
	return comm && !strcmp(comm, "dockerd\n");
}

/* Looks from inside of the daemon's own root, where its paths are right. */
static bool try_daemon(const struct daemons *d, uint32_t pid)
{
	char path[48], prefix[48];
	AUTO_FREE char *args = NULL;
	struct hostfs root;
	size_t len;
	bool found;

	if (!is_daemon(&d->host->fs, pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	args = hostfs_read(&d->host->fs, path, HOSTFS_FILE, &len);
	if (!args || hostfs_open_process(&root, &d->host->fs, pid))
		return false;
	snprintf(prefix, sizeof(prefix), "/proc/%u/root", pid);
	if (hostfs_same_root(&root, &d->host->fs))
		prefix[0] = '\0';
	found = try_command_line(d, &root, prefix, args, len);
	hostfs_close(&root);
	return found;
}

struct look {
	const struct hostfs *fs;
	struct names_daemons *found;
};

static bool note_daemon(void *ctx, uint32_t pid)
{
	const struct look *look = ctx;

	if (is_daemon(look->fs, pid))
		look->found->pids[look->found->n++] = pid;
	return look->found->n == NAMES_DAEMONS;
}

/* Of a thousand containers without a name each would look through all processes. */
static bool try_daemons(const struct daemons *d)
{
	struct names_daemons own = {0}, *known = d->host->daemons ?: &own;
	uint64_t now = monotonic_ns();

	if (!known->looked_ns || now - known->looked_ns > LOOK_NS) {
		known->n = 0;
		known->looked_ns = now;
		hostfs_each_pid(&d->host->fs, note_daemon, &(struct look){&d->host->fs, known});
	}
	for (size_t i = 0; i < known->n; i++)
		if (try_daemon(d, known->pids[i]))
			return true;
	return false;
}

static bool try_home(const struct daemons *d, uint32_t uid)
{
	char home[512], data_root[600];

	if (uid == UINT32_MAX || !users_home(&d->host->fs, uid, home, sizeof(home)))
		return false;
	snprintf(data_root, sizeof(data_root), "%s/.local/share/docker", home);
	return d->try(d->ctx, &d->host->fs, "", data_root);
}

static bool each_root(const struct daemons *d, uint32_t uid)
{
	static const char *const usual[] = {"/var/lib/docker", "/var/snap/docker/common/var-lib-docker"};
	const struct hostfs *fs = &d->host->fs;
	char data_root[1024];

	if (configured(fs, "/etc/docker/daemon.json", data_root, sizeof(data_root)) &&
	    d->try(d->ctx, fs, "", data_root))
		return true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (d->try(d->ctx, fs, "", usual[i]))
			return true;
	return try_home(d, uid) || try_daemons(d);
}

struct search {
	const struct cgpath *of;
	struct names *out;
};

static bool try_id(void *ctx, const struct hostfs *fs, const char *prefix, const char *data_root)
{
	struct search *s = ctx;
	char path[1536];
	AUTO_FREE char *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/containers/%s/config.v2.json", data_root, s->of->id);
	text = hostfs_read(fs, path, HOSTFS_FILE, &len);
	if (!text || !name_parse_docker(text, len, s->of->id, s->out))
		return false;
	snprintf(s->out->source, sizeof(s->out->source), "%s%s", prefix, path);
	return true;
}

bool name_docker(const struct name_query *q, struct names *out)
{
	struct search s = {q->of, out};
	struct daemons d = {q->host, try_id, &s};

	return q->of->id[0] && each_root(&d, q->of->uid);
}

/* Nomad's name of the container is in its environment only, so every container has to be asked. */
static bool try_alloc(void *ctx, const struct hostfs *fs, const char *prefix, const char *data_root)
{
	struct search *s = ctx;
	char path[1536];
	const struct dirent *e;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/containers", data_root);
	dir = hostfs_dir(fs, path);
	for (int i = 0; dir && !found && i < CONTAINERS_MAX && (e = readdir(dir)); i++) {
		AUTO_FREE char *text = NULL;
		size_t len;

		snprintf(path, sizeof(path), "%s/containers/%s/config.v2.json", data_root,
			 e->d_name);
		text = hostfs_read(fs, path, HOSTFS_FILE, &len);
		found = text && name_parse_docker_nomad(text, len, s->of->job, s->of->task, s->out);
	}
	if (found)
		snprintf(s->out->source, sizeof(s->out->source), "%s%s", prefix, path);
	if (dir)
		closedir(dir);
	return found;
}

bool name_docker_nomad(const struct name_query *q, struct names *out)
{
	struct search s = {q->of, out};
	struct daemons d = {q->host, try_alloc, &s};

	return each_root(&d, q->of->uid);
}
