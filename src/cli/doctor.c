// SPDX-License-Identifier: GPL-2.0
/*
 * Goes through everything that a run depends on and reports each as a check: ok, warn or
 * fail, what is so, and what to do about it. Really loads and attaches, so what it says
 * of hooks is true.
 */
#include "cli/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/confine.h"
#include "cli/disktest.h"
#include "cli/explain.h"
#include "cli/output.h"
#include "collect/blockdev.h"
#include "collect/cgroupfs.h"
#include "collect/features.h"
#include "collect/privilege.h"
#include "collect/sysfs.h"
#include "collect/tracer.h"

enum verdict { OK, WARN, FAIL };
static const char *const verdicts[] = {"ok", "warn", "fail"};

struct check {
	enum verdict verdict;
	char name[48];
	char text[192];
	char advice[192];	/* "" when there is nothing to do */
};

struct report {
	struct check *checks;
	size_t n, room;
	int status;		/* what a run would exit with */
};

/* Adds a check; `advice` may be NULL. Without memory the report is short of it. */
static void __attribute__((format(printf, 5, 6)))
add(struct report *r, enum verdict v, const char *name, const char *advice, const char *fmt, ...)
{
	struct check *c;
	va_list args;

	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 32;

		c = realloc(r->checks, room * sizeof(*c));
		if (!c)
			return;
		r->checks = c;
		r->room = room;
	}
	c = &r->checks[r->n++];
	c->verdict = v;
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->advice, sizeof(c->advice), "%s", advice ?: "");
	va_start(args, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, args);
	va_end(args);
}

static void check_kernel(struct report *r, const char *btf)
{
	struct utsname u;

	if (!uname(&u))
		add(r, OK, "kernel", NULL, "%s %s", u.release, u.machine);
	if (access(btf, R_OK))
		add(r, FAIL, "btf", "use a kernel with CONFIG_DEBUG_INFO_BTF, or --btf FILE", "%s: %s",
		    btf, strerror(errno));
	else
		add(r, OK, "btf", NULL, "%s is readable", btf);
}

static void check_privileges(struct report *r)
{
	const char *lockdown = privilege_lockdown();

	for (enum privilege p = 0; p < PRIVILEGE_MAX; p++) {
		const struct privilege_def *d = privilege_def(p);

		if (privilege_has(p))
			add(r, OK, d->name, NULL, "held");
		else
			add(r, d->required ? FAIL : WARN, d->name, "run it with sudo",
			    "not held: %s", d->what);
	}
	if (!lockdown)
		add(r, OK, "lockdown", NULL, "not in this kernel, or not told");
	else if (!strcmp(lockdown, "confidentiality"))
		add(r, FAIL, "lockdown", "boot with lockdown=integrity or none",
		    "confidentiality: kernel memory may not be read");
	else
		add(r, OK, "lockdown", NULL, "%s", lockdown);
}

static void check_hooks(struct report *r, const struct tracer *t)
{
	const struct tracer_hook *h;

	for (size_t i = 0; (h = tracer_hook_at(t, i)); i++) {
		char name[48];

		snprintf(name, sizeof(name), "hook %s", h->def->tracepoint);
		if (h->attached)
			add(r, OK, name, NULL, "attached");
		else
			add(r, h->def->required ? FAIL : WARN, name, NULL, "%s; not seen: %s",
			    h->err == -ENOENT ? "not in this kernel" : strerror(-h->err),
			    h->def->lost);
	}
}

static void check_tracing(struct report *r, const char *btf)
{
	const struct iolat_knobs knobs = {0};
	char bytes[UNITS_LEN];
	struct tracer *t;

	r->status = tracer_open(&t, &knobs, 0, btf);
	if (r->status == EXIT_OK)
		r->status = tracer_attach(t);
	if (!t) {
		add(r, FAIL, "programs", NULL, "not loaded; the reason stands on standard error");
		return;
	}
	add(r, OK, "programs", NULL, "loaded, form %s", tracer_variant(t));
	check_hooks(r, t);
	add(r, OK, "map memory", NULL, "%s with the default --buffer-size, in %u ring%s",
	    fmt_bytes(bytes, tracer_map_bytes(t)), tracer_rings(t), tracer_rings(t) == 1 ? "" : "s");
	tracer_close(t);
}

static void check_memory(struct report *r)
{
	struct rusage u;
	char bytes[UNITS_LEN];

	if (!getrusage(RUSAGE_SELF, &u))
		add(r, OK, "memory", NULL, "%s resident", fmt_bytes(bytes, 1024.0 * u.ru_maxrss));
}

static void check_cgroups(struct report *r, const char *root)
{
	static const char *const names[IOLAT_TREE_MAX] = {"v2", "v1 blkio", "v1 memory"};
	const char *before;
	struct cgroupfs c;

	if (cgroupfs_open(&c, root))
		return;
	before = *c.strip ? c.root_name : "";
	if (strcmp(c.root_name, "/"))
		add(r, OK, "host", NULL, "its files are read below %s", c.root_name);
	if (!c.host_pids)
		add(r, WARN, "host", "run the container with --pid=host, or give --root",
		    "its processes are not seen from here: names of its containers may be missing");
	for (int i = 0; i < IOLAT_TREE_MAX; i++) {
		if (!c.mount[i])
			continue;
		if (c.host_root[i])
			add(r, OK, "cgroups", NULL, "%s at %s%s", names[i], before,
			    c.mount[i] + strlen(c.strip));
		else
			add(r, WARN, "cgroups", "run iolat in the host's cgroup namespace",
			    "%s at %s shows only a part: others' paths are not known", names[i],
			    c.mount[i]);
	}
	if (!c.mount[IOLAT_TREE_V2] && !c.mount[IOLAT_TREE_BLKIO])
		add(r, WARN, "cgroups", "mount /sys/fs/cgroup", "none mounted: no cgroup paths");
	cgroupfs_close(&c);
}

static void check_disk(void *ctx, uint32_t major, uint32_t minor)
{
	uint64_t diskseq, sectors = 0, counts;
	char name[32], folder[64], advice[96];
	struct report *r = ctx;

	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major, minor);
	if (!blockdev_identity(major, minor, &diskseq, &sectors) || !sectors ||
	    !sysfs_number(folder, "queue/iostats", &counts) || counts)
		return;
	blockdev_name(major, minor, name, sizeof(name));
	snprintf(advice, sizeof(advice), "echo 1 > /sys/block/%s/queue/iostats", name);
	add(r, WARN, "iostats", advice, "%s: off, so what iolat sees cannot be checked against it",
	    name);
}

/* How to read an answer, in the order in which one is read. */
static const char *const reading[] = {
	"The sentences at the end (findings) say what is the matter; the most important one comes first.",
	"BLOCKED% is the part of its time that a task slept for I/O, with the reasons beside it. Where nobody is blocked it is",
	"  not the disk: look at CPUs, network and locks.",
	"P50, P99 and MAX are what I/Os took. QUEUE% is the part of it before the device had them: much of it means that",
	"  the device is given more than it takes, little with a long P50 that the device itself is slow.",
	"The line under a table says how much of the truth it is: lost, missed and \"kernel counted\" should be small.",
	"iolat(8) has each column, reason, finding and count.",
};

static int print_json(FILE *out, const struct report *r)
{
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	json_kstr(&j, "schema", "iolat-doctor/1");
	json_kstr(&j, "iolat", IOLAT_VERSION);
	json_key(&j, "able");
	json_bool(&j, r->status == EXIT_OK);
	json_key(&j, "checks");
	json_open(&j, '[');
	for (size_t i = 0; i < r->n; i++) {
		const struct check *c = &r->checks[i];

		json_open(&j, '{');
		json_kstr(&j, "name", c->name);
		json_kstr(&j, "verdict", verdicts[c->verdict]);
		json_kstr(&j, "text", c->text);
		json_kstr(&j, "advice", *c->advice ? c->advice : NULL);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
	return 0;
}

static void print_reading(FILE *out)
{
	fputs("\nHow to read an answer:\n", out);
	for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++)
		fprintf(out, "  %s\n", reading[i]);
}

static int print_table(FILE *out, const struct report *r)
{
	char text[256];

	for (size_t i = 0; i < r->n; i++) {
		const struct check *c = &r->checks[i];

		text_printable(text, sizeof(text), c->text);
		fprintf(out, "%-4s  %-28s  %s\n", verdicts[c->verdict], c->name, text);
		if (*c->advice)
			fprintf(out, "%-34s  -> %s\n", "", c->advice);
	}
	fprintf(out, "%s\n", r->status == EXIT_OK ? "iolat can trace here." : "iolat cannot trace here.");
	if (r->status == EXIT_OK)
		print_reading(out);
	return 0;
}

int doctor_run(const struct options *o)
{
	struct report r = {0};
	struct output out;
	int status;

	if (o->disk)
		return disktest_run(o);
	if (o->explain)
		return explain_run(o);
	check_kernel(&r, o->btf ?: FEATURES_BTF);
	check_privileges(&r);
	check_tracing(&r, o->btf);
	confine_tracer(false);
	check_memory(&r);
	check_cgroups(&r, o->root);
	blockdev_each(check_disk, &r);
	status = output_open(&out, o->output);
	if (status == EXIT_OK) {
		if (!strcmp(o->format->name, "json"))
			print_json(out.stream, &r);
		else
			print_table(out.stream, &r);
		status = output_end(&out);
	}
	free(r.checks);
	return status ?: r.status;
}
