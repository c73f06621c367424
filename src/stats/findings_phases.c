// SPDX-License-Identifier: GPL-2.0
/*
 * Findings that need the training's log: how the epochs read the data set one after the other. Only epochs that have
 * ended are compared, and the first one.
 */
#include <inttypes.h>

#include "base/units.h"
#include "stats/findings.h"
#include "stats/thresholds.h"

/* The first epoch beside those after it. */
struct epochs {
	const struct phase_slot *first;
	size_t later;
	uint64_t bytes, most, least;	/* read by the later ones: together, by one at most, at least */
	uint64_t followed, again;	/* of the later ones */
	double blocked;			/* sum of their shares */
	double least_again;		/* in percent of what one read */
	bool waits;
};

static void add_epoch(struct epochs *e, const struct phase_slot *s)
{
	double again = finding_pct((double)s->again, (double)s->followed);

	if (!e->first) {
		*e = (struct epochs){.first = s, .least = UINT64_MAX, .least_again = 100, .waits = s->pub.blocked_known};
		return;
	}
	e->later++;
	e->bytes += s->read_bytes;
	e->most = s->read_bytes > e->most ? s->read_bytes : e->most;
	e->least = s->read_bytes < e->least ? s->read_bytes : e->least;
	e->followed += s->followed;
	e->again += s->again;
	e->least_again = again < e->least_again ? again : e->least_again;
	e->blocked += s->pub.blocked_pct;
}

static bool is_ended_epoch(const struct phase_slot *s)
{
	return s->name[0] && s->kind == IOLAT_MARK_EPOCH && s->pub.duration_ns && !s->pub.open;
}

static struct epochs compare(const struct phases *p)
{
	struct epochs e = {0};

	for (size_t i = 0; i < p->n; i++)
		if (is_ended_epoch(&p->slots[i]))
			add_epoch(&e, &p->slots[i]);
	return e;
}

static bool is_cold_first(const struct epochs *e)
{
	double later = e->blocked / (double)e->later;

	return 100 * e->most <= T_WARM_PCT * e->first->read_bytes &&
	       (!e->waits || (e->first->pub.blocked_pct >= T_CAUSE_PCT &&
			      100 * later <= T_WARM_WAITS_PCT * e->first->pub.blocked_pct));
}

static void say_cold(struct findings *f, const struct known *k, const struct epochs *e)
{
	struct finding *g = findings_add(f, "cold-cache", 0.5);
	char first[UNITS_LEN], later[UNITS_LEN];

	if (!g)
		return;
	finding_about(g, "%s", e->first->name);
	finding_say(g, "only %s waits for the disk: it read %s, the %zu epoch%s after it %s each; the data set fits into the page cache, "
		    "which was cold", e->first->name, fmt_bytes(first, (double)e->first->read_bytes), e->later,
		    e->later == 1 ? "" : "s", fmt_bytes(later, (double)e->bytes / (double)e->later));
	finding_evidence(g, "epochs", (double)e->later + 1);
	finding_evidence(g, "first_bytes", (double)e->first->read_bytes);
	finding_evidence(g, "later_mean_bytes", (double)(e->bytes / e->later));
	if (e->waits) {
		finding_evidence(g, "first_blocked_pct", e->first->pub.blocked_pct);
		finding_evidence(g, "later_blocked_pct", e->blocked / (double)e->later);
	}
	finding_files(g, k, &(struct waited_search){.kinds = WAITED_DISK, .whole = true});
}

static bool is_read_again(const struct epochs *e)
{
	return 100 * e->least >= T_AGAIN_PCT * e->first->read_bytes && e->least_again >= T_AGAIN_PCT;
}

static void say_larger(struct findings *f, const struct known *k, const struct epochs *e)
{
	struct finding *g = findings_add(f, "larger-than-memory", 0.5);
	char mean[UNITS_LEN];

	if (!g)
		return;
	finding_about(g, "the epochs from %s on", e->first->name);
	finding_say(g, "every epoch reads the data set from the disk again, %s each, %.0f %% of that for at least the second time: it is "
		    "larger than the memory that may cache it (the machine's, or the cgroup's limit)",
		    fmt_bytes(mean, (double)e->bytes / (double)e->later), finding_pct((double)e->again, (double)e->followed));
	finding_evidence(g, "epochs", (double)e->later + 1);
	finding_evidence(g, "first_bytes", (double)e->first->read_bytes);
	finding_evidence(g, "later_mean_bytes", (double)(e->bytes / e->later));
	finding_evidence(g, "reread_pct", finding_pct((double)e->again, (double)e->followed));
	finding_files(g, k, &(struct waited_search){.kinds = WAITED_DISK, .whole = true});
}

void findings_of_phases(struct findings *f, const struct known *k)
{
	struct epochs e;

	if (!k->whole || !k->phases->on)
		return;
	e = compare(k->phases);
	if (!e.later || e.first->read_bytes < T_SET_MIB << 20)
		return;
	if (is_cold_first(&e))
		say_cold(f, k, &e);
	else if (is_read_again(&e))
		say_larger(f, k, &e);
}
