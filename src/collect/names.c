// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the sources of names in the order in which they can be trusted: the engine that the
 * path names; where it names none, every engine; then the kubelet's logs.
 */
#include "collect/names.h"

#include <stdio.h>
#include <string.h>

#define IN_ANY (1u << 0) /* asked for an id whose engine is not known */
#define IN_POD (1u << 1) /* asked for whatever is in a pod and has no name yet */

static const struct source {
	enum cgpath_engine engine; /* whose containers it knows */
	name_source *ask;
	unsigned int flags;
} sources[] = {
	{ENGINE_DOCKER, name_docker, IN_ANY},
	{ENGINE_CONTAINERD, name_containerd, IN_ANY},
	{ENGINE_CONTAINERD, name_nerdctl, IN_ANY},
	{ENGINE_CRIO, name_crio, IN_ANY},
	{ENGINE_PODMAN, name_podman, IN_ANY},
	{ENGINE_PROXMOX, name_proxmox, 0},
	{ENGINE_ANY, name_pod_log, IN_POD},
	{ENGINE_KUBELET, name_pod, IN_POD},
};

void names_join(struct names *n, const char *container)
{
	snprintf(n->name, sizeof(n->name), "%s/%s%s%s", n->pod_namespace, n->pod_name,
		 *container ? "/" : "", container);
}

static bool is_asked(const struct source *s, const struct cgpath *c)
{
	if (s->engine == c->engine)
		return true;
	if (c->engine == ENGINE_ANY && s->flags & IN_ANY)
		return true;
	return c->pod_uid[0] && s->flags & IN_POD;
}

/* A source that only knows that the container exists leaves the name to others. */
static bool ask(const struct name_query *q, struct names *out)
{
	bool found = false;

	for (size_t i = 0; !out->name[0] && i < sizeof(sources) / sizeof(sources[0]); i++)
		if (is_asked(&sources[i], q->of))
			found |= sources[i].ask(q, out);
	return found;
}

static bool ask_job(const struct name_query *q, struct names *out)
{
	struct names job = {.name = ""};

	if (q->of->job_engine == ENGINE_SLURM ? !name_slurm(q, &job) : !name_nomad(q, &job))
		return false;
	if (!q->of->container)
		*out = job;
	else
		memcpy(out->job, job.job, sizeof(out->job));
	return true;
}

/* "ctr" is a container of some engine; a file has told of which. */
static void take_runtime(struct cgpath *c, const struct names *n)
{
	static const char *const engines[] = {"docker", "containerd", "crio", "podman"};
	char rest[CGPATH_LABEL];

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (strcmp(n->runtime, engines[i]))
			continue;
		if (!strncmp(c->label, "ctr:", 4)) {
			memcpy(rest, c->label + 3, sizeof(rest) - 3);
			snprintf(c->label, sizeof(c->label), "%s%.*s", engines[i],
				 CGPATH_LABEL - 16, rest);
		}
		if (!strcmp(c->runtime, "ctr"))
			c->runtime = engines[i];
		c->container = engines[i];
	}
}

static bool is_named(const struct cgpath *c)
{
	return c->container && c->engine != ENGINE_NONE && !c->name[0];
}

bool names_resolve(const struct names_host *host, const char *path, uint32_t pid, struct cgpath *what,
		   struct names *out)
{
	const struct name_query q = {host, what, pid};
	bool found = true;

	*out = (struct names){.name = ""};
	cgpath_parse(path, what);
	if (what->container || what->pod_uid[0])
		found = ask(&q, out) || !(is_named(what) || what->pod_uid[0]);
	if (what->job_engine != ENGINE_NONE)
		found &= ask_job(&q, out);
	if (what->by_shape && !out->source[0])
		found = true; /* nobody knows it: no container */
	if (!out->name[0])
		snprintf(out->name, sizeof(out->name), "%s", what->name);
	if (what->container && !strcmp(what->container, "ctr"))
		take_runtime(what, out);
	return found;
}
