// SPDX-License-Identifier: GPL-2.0
/*
 * The finding about whom a disk served while the traced ones waited for it: a process, or a container or cgroup with
 * all its processes.
 */
#include <stdio.h>
#include <string.h>

#include "stats/findings.h"
#include "stats/thresholds.h"

#define OWN_PLACES 64 /* cgroups of traced tasks that are looked at */

struct own_places {
	uint64_t cgroups[OWN_PLACES];
	size_t n;
};

struct neighbour {
	const struct served_owner *owner;
	uint64_t ns;
	bool place; /* all of it */
};

/* A container may have cgroups of its own below. */
static bool same_place(const struct known *k, uint64_t a, uint64_t b)
{
	const struct container *in = cgroups_container_of(&k->model->cgroups, a);

	return a == b || (in && in == cgroups_container_of(&k->model->cgroups, b));
}

static bool is_own(const struct known *k, const struct own_places *own, uint64_t cgroup)
{
	for (size_t i = 0; i < own->n; i++)
		if (same_place(k, own->cgroups[i], cgroup))
			return true;
	return false;
}

static struct own_places own_places(const struct known *k)
{
	struct own_places own = {.n = 0};

	for (size_t i = 0; i < k->tasks->n_list && own.n < OWN_PLACES; i++) {
		uint64_t cgroup = k->tasks->slots[i]->cgroup;
		size_t at = 0;

		while (at < own.n && own.cgroups[at] != cgroup)
			at++;
		if (cgroup && at == own.n)
			own.cgroups[own.n++] = cgroup;
	}
	return own;
}

static uint64_t of_place(const struct known *k, const struct served_disk *d, uint64_t cgroup)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < d->n_owners; i++)
		if (d->owners[i].cgroup && same_place(k, cgroup, d->owners[i].cgroup))
			ns += served_by(&d->owners[i], k->whole);
	return ns;
}

/* While the traced ones wait for fsync, a kernel thread's I/O for nobody is the file system's log, which they wait for. */
static bool is_log(const struct findings *f, const struct served_owner *o)
{
	if (o->proc || o->cgroup)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->list[i].code, "sync-stall"))
			return true;
	return false;
}

/* Other processes beside the traced ones in their container are neighbours, each by itself; what the kernel writes
 * back for that container is not. */
static struct neighbour worst_neighbour(const struct findings *f, const struct known *k, const struct served_disk *d)
{
	const struct own_places own = own_places(k);
	struct neighbour worst = {0};

	for (size_t i = 0; i < d->n_owners; i++) {
		const struct served_owner *o = &d->owners[i];
		bool ours = o->cgroup && is_own(k, &own, o->cgroup);
		uint64_t alone = served_by(o, k->whole), all = o->cgroup && !ours ? of_place(k, d, o->cgroup) : 0;
		bool place = all > alone || (all && !o->proc && !o->via);

		if (is_log(f, o))
			continue;
		if (place && all > worst.ns)
			worst = (struct neighbour){o, all, true};
		else if (alone > worst.ns && (o->proc || !ours))
			worst = (struct neighbour){o, alone, false};
	}
	return worst;
}

static void name_neighbour(char *out, size_t size, const struct known *k, const struct neighbour *n)
{
	char place[PLACE_WORDS], who[64];

	finding_place(place, k, n->owner->cgroup, n->place ? "" : " in ");
	finding_owner(who, sizeof(who), n->owner->proc ? &n->owner->proc->pub : NULL, n->owner->via);
	snprintf(out, size, "%s%s", n->place && *place ? "" : who, place);
}

static void add_evidence(struct finding *g, const struct known *k, const struct served_disk *d,
			 const struct neighbour *n)
{
	const struct container *in = cgroups_container_of(&k->model->cgroups, n->owner->cgroup);
	double waited = (double)served_waited(d, k->whole);

	if (n->owner->proc && !n->place)
		finding_evidence(g, "pid", n->owner->proc->pub.pid);
	if (in)
		finding_words(g, "container", finding_container(in));
	finding_evidence(g, "share_pct", finding_pct(n->ns, waited));
	finding_evidence(g, "own_pct", finding_pct(d->self_now + (k->whole ? d->self_before : 0), waited));
	finding_evidence(g, "nobody_pct", finding_pct(d->idle_now + (k->whole ? d->idle_before : 0), waited));
	finding_evidence(g, "waited_ns", waited);
}

static void find_neighbour(struct findings *f, const struct known *k, const struct served_disk *d)
{
	struct neighbour n = worst_neighbour(f, k, d);
	double waited = (double)served_waited(d, k->whole), share = finding_pct(n.ns, waited);
	struct finding *g;
	char who[200];

	if (!n.owner || share < T_NEIGHBOUR_PCT || finding_pct(waited, k->duration_ns) < T_CAUSE_PCT)
		return;
	g = findings_add(f, "noisy-neighbour", share / 100);
	if (!g)
		return;
	name_neighbour(who, sizeof(who), k, &n);
	finding_about(g, "%.120s on %s", who, d->disk->pub.name);
	finding_say(g, "%s holds %s: it was served for %.0f %% of the time that the traced ones waited there", who,
		    d->disk->pub.name, share);
	add_evidence(g, k, d, &n);
}

void findings_of_neighbours(struct findings *f, const struct known *k)
{
	for (const struct served_disk *d = NULL; (d = served_next(k->served, d));)
		find_neighbour(f, k, d);
}
