// SPDX-License-Identifier: GPL-2.0
/*
 * Findings about what files are behind the waits: mappings that are read by page faults, and file systems that no
 * local disk holds.
 */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "stats/findings.h"
#include "stats/thresholds.h"

static double pct(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* The task that waited the largest part of its life for that reason; NULL: none did. */
static const struct task_slot *worst_task(const struct known *k, enum wait_reason reason)
{
	const struct task_slot *worst = NULL;
	double most = 0;

	for (size_t i = 0; i < k->tasks->n_list; i++) {
		const struct task *t = &k->tasks->slots[i]->pub;
		double share = pct(t->reasons[reason], t->wall_ns);

		if (t->wall_ns >= T_WALL_MS * 1000000ull && share > most) {
			most = share;
			worst = k->tasks->slots[i];
		}
	}
	return worst;
}

static void add_task(struct finding *g, const struct task_slot *s, enum wait_reason reason)
{
	const struct task *t = &s->pub;

	finding_evidence(g, "pid", s->proc->pub.pid);
	finding_evidence(g, "wait_ns", t->reasons[reason]);
	finding_evidence(g, "wait_pct", pct(t->reasons[reason], t->wall_ns));
	finding_evidence(g, "share_pct", pct(t->reasons[reason], t->blocked_ns));
}

/* --- the page cache --------------------------------------------------------------------- */

struct cache_use finding_cache_use(const struct known *k, const struct proc *p)
{
	struct cache_use c = {0};
	struct asked_sums asked;

	c.known = asked_by(k->asked, p, k->whole, &asked);
	for (struct usage *u = NULL; (u = usages_next(k->usages, u));) {
		struct usage_sums s = usage_sums(u, k->whole);

		if (p ? u->proc != p : !u->proc)
			continue;
		c.ios += s.ios;
		c.device_bytes += s.read_bytes;
	}
	c.read_bytes = asked.read_bytes;
	c.pct_known = c.known && c.read_bytes && c.device_bytes <= c.read_bytes;
	if (c.pct_known)
		c.pct = 100 - pct(c.device_bytes, c.read_bytes);
	return c;
}

void finding_cache(struct finding *g, const struct cache_use *c)
{
	if (!c->known)
		return;
	finding_evidence(g, "read_bytes", c->read_bytes);
	finding_evidence(g, "device_read_bytes", c->device_bytes);
	if (c->pct_known)
		finding_evidence(g, "cache_hit_pct", c->pct);
}

/* --- page faults ---------------------------------------------------------------------- */

static uint64_t swap_ns(const struct known *k, const struct proc *p)
{
	uint64_t ns = 0;

	for (struct usage *u = NULL; (u = usages_next(k->usages, u));)
		if (u->proc == p)
			ns += usage_sums(u, k->whole).swap_ns;
	return ns;
}

/* Memory that was swapped out comes back by faults, too; that is another finding. */
static void find_faults(struct findings *f, const struct known *k)
{
	const struct task_slot *s = worst_task(k, REASON_PAGE_FAULT);
	const struct waited_search search = {.reason = REASON_PAGE_FAULT, .whole = k->whole};
	uint64_t ns = s ? s->pub.reasons[REASON_PAGE_FAULT] : 0;
	const char *path;
	struct finding *g;

	if (!s || pct(ns, s->pub.wall_ns) < T_CAUSE_PCT || 2 * swap_ns(k, s->proc) > ns)
		return;
	g = findings_add(f, "page-fault-io", pct(ns, s->pub.wall_ns) / 100);
	if (!g)
		return;
	add_task(g, s, REASON_PAGE_FAULT);
	finding_files(g, k, &search);
	path = g->n_files ? g->files[0].file->path : NULL;
	finding_about(g, "pid %u (%s)", s->proc->pub.pid, s->proc->pub.comm);
	finding_say(g, "pid %u (%s) waits in page faults on mapped files %.0f %% of its time%s%.100s: read them ahead "
		    "(madvise, larger read_ahead_kb), copy them to memory, or read in large blocks",
		    s->proc->pub.pid, s->proc->pub.comm, pct(ns, s->pub.wall_ns), path ? ", most on " : "",
		    path ? path : "");
}

/* --- file systems that no local disk holds ---------------------------------------------- */

struct remote {
	enum wait_reason reason;
	const char *code, *what, *advice;
};

static const struct remote remotes[] = {
	{REASON_NETWORK_FS, "network-filesystem", "network file system",
	 "look at the server and the network, or keep a copy on a local disk"},
	{REASON_FUSE, "fuse-filesystem", "FUSE file system", "look at the process that serves it"},
};

/* "nfs4 server:/export at /mnt", as far as it is known. */
static void name_system(char *out, size_t size, const struct fs *fs)
{
	const char *source = fs->source ? fs->source : "";

	snprintf(out, size, "%s%s%.60s%s%.60s", fs->type ? fs->type : "", *source ? " " : "", source,
		 fs->point ? " at " : "", fs->point ? fs->point : "");
}

/* The rest of the task's waits may be for a disk, all the same. */
static const char *disk_words(const struct task *t)
{
	uint64_t disk = t->reasons[REASON_DISK] + t->reasons[REASON_PAGE_FAULT];

	return pct(disk, t->blocked_ns) < T_HARDLY_PCT ? ", no local disk is involved" : "";
}

static void add_system(struct finding *g, const struct known *k, const struct waited_place *p,
		       const struct waited_search *search)
{
	struct waited_sums sums = waited_sums(p, k->whole);

	finding_words(g, "mount", p->fs->pub.point);
	finding_words(g, "type", p->fs->pub.type);
	finding_words(g, "source", p->fs->pub.source);
	finding_evidence(g, "mount_wait_ns", sums.ns[search->reason]);
	finding_evidence(g, "mount_waits", sums.waits);
	finding_files(g, k, search);
}

static void find_remote(struct findings *f, const struct known *k, const struct remote *r)
{
	const struct waited_search search = {.reason = r->reason, .whole = k->whole};
	const struct task_slot *s = worst_task(k, r->reason);
	const struct waited_place *p;
	char system[200];
	struct finding *g;
	double share;

	if (!s || !waited_longest(&k->tasks->waited.systems, &search, &p, 1) || !p->fs)
		return;
	share = pct(s->pub.reasons[r->reason], s->pub.wall_ns);
	if (share < T_CAUSE_PCT)
		return;
	g = findings_add(f, r->code, share / 100);
	if (!g)
		return;
	name_system(system, sizeof(system), &p->fs->pub);
	finding_about(g, "%s", *system ? system : r->what);
	finding_say(g, "pid %u (%s) waits %.0f %% of its time for the %s %s%s: %s", s->proc->pub.pid,
		    s->proc->pub.comm, share, r->what, system, disk_words(&s->pub), r->advice);
	add_task(g, s, r->reason);
	add_system(g, k, p, &search);
}

void findings_of_files(struct findings *f, const struct known *k)
{
	if (!k->tasks->on)
		return;
	find_faults(f, k);
	for (size_t i = 0; i < sizeof(remotes) / sizeof(remotes[0]); i++)
		find_remote(f, k, &remotes[i]);
}
