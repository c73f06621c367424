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

static void add_waiter(struct finding *g, const struct waiter *w, enum wait_reason reason)
{
	finding_evidence(g, "pid", w->slot->proc->pub.pid);
	finding_evidence(g, "wait_ns", (double)w->sums.reasons[reason]);
	finding_evidence(g, "wait_pct", waiter_pct(w, reason));
	finding_evidence(g, "share_pct", finding_pct((double)w->sums.reasons[reason], (double)w->blocked_ns));
}

/* --- the page cache --------------------------------------------------------------------- */

struct cache_use finding_cache_use(const struct known *k, const struct proc *p)
{
	uint64_t followed = 0, again = 0;
	struct cache_use c = {0};
	struct asked_sums asked;

	c.known = asked_by(k->asked, p, k->whole, &asked);
	for (struct usage *u = NULL; (u = usages_next(k->usages, u));) {
		struct usage_sums s = usage_sums(u, k->whole);

		if (p ? u->proc != p : !u->proc)
			continue;
		c.ios += s.ios;
		c.device_bytes += s.read_bytes;
		followed += s.followed;
		again += s.again;
	}
	c.again_known = followed;
	c.again_pct = finding_pct((double)again, (double)followed);
	c.read_bytes = asked.read_bytes;
	c.pct_known = c.known && c.read_bytes && c.device_bytes <= c.read_bytes;
	if (c.pct_known)
		c.pct = 100 - finding_pct(c.device_bytes, c.read_bytes);
	return c;
}

void finding_cache(struct finding *g, const struct cache_use *c)
{
	if (c->known) {
		finding_evidence(g, "read_bytes", c->read_bytes);
		finding_evidence(g, "device_read_bytes", c->device_bytes);
	}
	if (c->pct_known)
		finding_evidence(g, "cache_hit_pct", c->pct);
	if (c->again_known)
		finding_evidence(g, "reread_pct", c->again_pct);
}

const char *finding_advice(const struct cache_use *c)
{
	return c->again_known && c->again_pct >= T_AGAIN_PCT && c->device_bytes >= T_SET_MIB << 20
		       ? "; most of what is read was read before: more memory to cache it would help"
		       : "";
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
	const struct waited_search search = {.kinds = 1u << REASON_PAGE_FAULT, .whole = k->whole};
	char who[WAITER_NAME];
	const char *path;
	struct finding *g;
	struct waiter w;
	double share;

	if (!waiters_worst(&k->waiters, REASON_PAGE_FAULT, &w))
		return;
	share = waiter_pct(&w, REASON_PAGE_FAULT);
	if (share < T_CAUSE_PCT || 2 * swap_ns(k, w.slot->proc) > w.sums.reasons[REASON_PAGE_FAULT])
		return;
	g = findings_add(f, "page-fault-io", share / 100);
	if (!g)
		return;
	add_waiter(g, &w, REASON_PAGE_FAULT);
	finding_files(g, k, &search);
	path = g->n_files ? g->files[0].file->path : NULL;
	waiter_name(who, &w);
	finding_about(g, "%s", who);
	finding_say(g, "%s wait%s in page faults on mapped files %.0f %% of %s time%s%.100s: read them ahead (madvise, larger "
		    "read_ahead_kb), copy them to memory, or read in large blocks", who, w.n > 1 ? "" : "s", share,
		    w.n > 1 ? "their" : "its", path ? ", most on " : "", path ? path : "");
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

/* The rest of the waits may be for a disk, all the same; and a process may serve what lies on one (fuseblk). */
static const char *disk_words(const struct waiter *w, const struct fs *fs)
{
	double disk = waiter_disk_pct(w), all = waiter_blocked_pct(w);

	return !fs->major && finding_pct(disk, all) < T_HARDLY_PCT ? ", no local disk is involved" : "";
}

static void add_system(struct finding *g, const struct known *k, const struct waited_place *p,
		       const struct waited_search *search)
{
	struct waited_sums sums = waited_sums(p, k->whole);

	finding_words(g, "mount", p->fs->pub.point);
	finding_words(g, "type", p->fs->pub.type);
	finding_words(g, "source", p->fs->pub.source);
	finding_evidence(g, "mount_wait_ns", waited_time(p, search));
	finding_evidence(g, "mount_waits", sums.waits);
	finding_files(g, k, search);
}

static void find_remote(struct findings *f, const struct known *k, const struct remote *r)
{
	struct waited_search search = {.kinds = 1u << r->reason, .whole = k->whole};
	const struct waited_place *p;
	char system[200], who[WAITER_NAME];
	struct finding *g;
	struct waiter w;
	double share;

	if (!waiters_worst(&k->waiters, r->reason, &w) ||
	    !waited_longest(&k->tasks->waited.systems, &search, &p, 1) || !p->fs)
		return;
	share = waiter_pct(&w, r->reason);
	if (share < T_CAUSE_PCT)
		return;
	g = findings_add(f, r->code, share / 100);
	if (!g)
		return;
	name_system(system, sizeof(system), &p->fs->pub);
	waiter_name(who, &w);
	finding_about(g, "%s", *system ? system : r->what);
	finding_say(g, "%s wait%s %.0f %% of %s time for the %s %s%s: %s", who, w.n > 1 ? "" : "s", share,
		    w.n > 1 ? "their" : "its", r->what, system, disk_words(&w, &p->fs->pub), r->advice);
	add_waiter(g, &w, r->reason);
	search.dev = p->key.dev;
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
