// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs by the environment that Slurm and Nomad start their processes with. It is what the
 * process began with and may hold secrets: only the keys below are ever read out of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "collect/name_parse.h"
#include "collect/names.h"

#define ENVIRON_LIMIT (4u << 20)

/* The value of a key; "" when there is none. The text has a NUL behind its end. */
static const char *value(const char *text, size_t len, const char *key)
{
	size_t key_len = strlen(key);

	for (const char *s = text; s < text + len; s += strlen(s) + 1)
		if (!strncmp(s, key, key_len) && s[key_len] == '=')
			return s + key_len + 1;
	return "";
}

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

bool name_parse_slurm(const char *text, size_t len, const struct cgpath *of, struct names *out)
{
	const char *number = value(text, len, "SLURM_JOB_ID");
	const char *sluid = value(text, len, "SLURM_JOB_SLUID");

	if (!of->job[0] || strcmp(of->job[0] == 's' ? sluid : number, of->job))
		return false;
	snprintf(out->name, sizeof(out->name), "%s", value(text, len, "SLURM_JOB_NAME"));
	if (is_number(number) && strlen(number) < sizeof(out->job))
		snprintf(out->job, sizeof(out->job), "%s", number);
	return true;
}

bool name_parse_nomad(const char *text, size_t len, const struct cgpath *of, struct names *out)
{
	if (!of->job[0] || strcmp(value(text, len, "NOMAD_ALLOC_ID"), of->job) ||
	    strcmp(value(text, len, "NOMAD_TASK_NAME"), of->task))
		return false;
	snprintf(out->name, sizeof(out->name), "%s-%s-%s-%s", value(text, len, "NOMAD_NAMESPACE"),
		 value(text, len, "NOMAD_JOB_NAME"), of->task,
		 value(text, len, "NOMAD_SHORT_ALLOC_ID"));
	return true;
}

typedef bool environ_parser(const char *text, size_t len, const struct cgpath *of, struct names *out);

struct search {
	const struct name_query *q;
	environ_parser *parse;
	struct names *out;
};

static bool try_process(void *ctx, uint32_t pid)
{
	struct search *s = ctx;
	char path[48];
	size_t len;
	AUTO_FREE char *text = NULL;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	text = hostfs_read(&s->q->host->fs, path, ENVIRON_LIMIT, &len);
	if (!text || !s->parse(text, len, s->q->of, s->out))
		return false;
	snprintf(s->out->source, sizeof(s->out->source), "%s", path);
	return true;
}

/* The process that is known to be in the job, else any that says it is. */
static bool ask_processes(const struct name_query *q, environ_parser *parse, struct names *out)
{
	struct search s = {q, parse, out};

	if (q->pid && q->host->pids && try_process(&s, q->pid))
		return true;
	return hostfs_each_pid(&q->host->fs, try_process, &s);
}

bool name_slurm(const struct name_query *q, struct names *out)
{
	return ask_processes(q, name_parse_slurm, out);
}

bool name_nomad(const struct name_query *q, struct names *out)
{
	return name_docker_nomad(q, out) || ask_processes(q, name_parse_nomad, out);
}

/* --- Proxmox: VM and container numbers ---------------------------------------------- */

bool name_proxmox(const struct name_query *q, struct names *out)
{
	bool vm = !strcmp(q->of->container, "proxmox-qemu");
	AUTO_FREE char *text = NULL;
	char path[256];

	if (!is_number(q->of->id))
		return false;
	snprintf(path, sizeof(path), "/etc/pve/%s/%s.conf", vm ? "qemu-server" : "lxc", q->of->id);
	text = hostfs_read(&q->host->fs, path, HOSTFS_FILE, NULL);
	if (!text || !hostfs_setting(text, vm ? "name" : "hostname", out->name, sizeof(out->name)))
		return false;
	snprintf(out->source, sizeof(out->source), "%s", path);
	return true;
}
