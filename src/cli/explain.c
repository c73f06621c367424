// SPDX-License-Identifier: GPL-2.0
/*
 * Shows how a cgroup gets its container, pod, job and name, as a run would find them: the
 * path by attrib/cgpath.c, the name by collect/names.c from the files below the root.
 */
#include "cli/explain.h"

#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/confine.h"
#include "cli/output.h"
#include "collect/cgroupfs.h"
#include "collect/names.h"

struct explanation {
	const char *path;
	struct cgpath what;
	struct names names;
};

/* A line of the answer, in the order of its keys; text "" is null. */
struct answer {
	const char *key, *text;
};

enum { ANSWERS = 9 };

static void answers(const struct explanation *e, struct answer out[ANSWERS])
{
	const struct cgpath *c = &e->what;
	const struct names *n = &e->names;
	const struct answer all[ANSWERS] = {
		{"path", e->path},
		{"runtime", c->runtime},
		{"container_id", n->id[0] ? n->id : c->id},
		{"pod_uid", c->pod_uid[0] ? c->pod_uid : n->pod_uid},
		{"job_id", c->job},
		{"label", c->label},
		{"name", n->name},
		{"image", n->image},
		{"source", n->source},
	};

	memcpy(out, all, sizeof(all));
}

static void print_json(FILE *out, const struct answer a[ANSWERS])
{
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	for (size_t i = 0; i < ANSWERS; i++)
		json_kstr(&j, a[i].key, *a[i].text ? a[i].text : NULL);
	json_close(&j, '}');
	json_end(&j);
}

static void print_lines(FILE *out, const struct answer a[ANSWERS])
{
	char text[4096];

	for (size_t i = 0; i < ANSWERS; i++) {
		text_printable(text, sizeof(text), *a[i].text ? a[i].text : "-");
		fprintf(out, "%-12s  %s\n", a[i].key, text);
	}
}

static int find(struct explanation *e, const struct options *o)
{
	struct names_host host;
	struct cgroupfs cgroups;
	int err = cgroupfs_open(&cgroups, o->root) ?: hostfs_open(&host.fs, cgroups.root);

	if (!err) {
		host.pids = cgroups.host_pids;
		e->path = cgroupfs_inside(&cgroups, o->explain);
		names_resolve(&host, e->path, 0, &e->what, &e->names);
		hostfs_close(&host.fs);
	}
	cgroupfs_close(&cgroups);
	return err;
}

int explain_run(const struct options *o)
{
	struct explanation e = {.path = o->explain};
	struct answer all[ANSWERS];
	struct output out;
	int status, err;

	confine_tracer(false);
	err = find(&e, o);
	if (err) {
		log_error("cannot read the host's files below %s: %s", o->root ? o->root : "/",
			  strerror(-err));
		return EXIT_FAILED;
	}
	answers(&e, all);
	status = output_open(&out, o->output);
	if (status != EXIT_OK)
		return status;
	if (!strcmp(o->format->name, "json"))
		print_json(out.stream, all);
	else
		print_lines(out.stream, all);
	return output_end(&out);
}
