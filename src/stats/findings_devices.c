// SPDX-License-Identifier: GPL-2.0
/*
 * Findings about what the requests show: what hangs, what failed, how the reads look, and why a device is slow to
 * answer (its queue, its ceiling).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/findings.h"
#include "stats/thresholds.h"

/* Those that were waited for longest on that disk. */
static void add_files(struct finding *g, const struct known *k, uint32_t disk)
{
	finding_files(g, k, &(struct waited_search){.kinds = WAITED_DISK, .whole = k->whole, .disk = disk});
}

/* --- what hangs ------------------------------------------------------------------- */

static const char *stage_words(const struct stuck *s)
{
	switch (s->stage) {
	case STAGE_DEVICE:
		return "the device has not answered";
	case STAGE_QUEUE:
		return "it has not reached the device";
	case STAGE_BEFORE_REQUEST:
		return "its cgroup's limit holds it back";
	}
	return "";
}

static const char *op_name(enum iolat_op op)
{
	static const char *const names[IOLAT_OP_MAX] = {"read", "write", "flush", "discard", "command"};

	return op < IOLAT_OP_MAX ? names[op] : names[IOLAT_OP_OTHER];
}

static void find_hung(struct findings *f, const struct known *k)
{
	const struct stuck *s = k->flying->stuck;
	size_t n = k->flying->n_stuck;
	struct finding *g = n ? findings_add(f, "hung-request", 1) : NULL;
	const struct container *in = g ? s->subject.container : NULL;
	char who[64], age[UNITS_LEN];
	const char *disk;

	if (!g)
		return;
	disk = s->subject.disk ? s->subject.disk->name : "an unknown device";
	finding_owner(who, sizeof(who), s->subject.process, s->via);
	finding_about(g, "%s on %s", who, disk);
	finding_say(g, "a %s of %s%s%s on %s has been in flight for %s: %s%s", op_name(s->subject.op), who,
		    in ? " in container " : "", in ? finding_container(in) : "", disk,
		    fmt_duration(age, s->age_ns), stage_words(s), n > 1 ? "; others hang, too" : "");
	if (s->subject.process)
		finding_evidence(g, "pid", s->subject.process->pid);
	finding_evidence(g, "requests", n);
	finding_evidence(g, "oldest_ns", s->age_ns);
	if (s->stage == STAGE_BEFORE_REQUEST)
		finding_files(g, k, &(struct waited_search){.kinds = 1u << REASON_THROTTLE, .whole = k->whole});
	else if (s->subject.disk)
		add_files(g, k, s->subject.disk->number);
}

/* --- what failed ------------------------------------------------------------------ */

/* What all processes together did to a disk. */
struct disk_use {
	const struct known_disk *disk;
	struct usage_sums sums;
	uint8_t error; /* as in struct usage */
};

static int by_disk(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)(*(struct usage *const *)a)->disk, y = (uintptr_t)(*(struct usage *const *)b)->disk;

	return (x > y) - (x < y);
}

static void find_errors(struct findings *f, const struct disk_use *u)
{
	const char *disk = u->disk->pub.name;
	struct finding *g;

	if (!u->sums.errors)
		return;
	g = findings_add(f, "io-errors", finding_pct(u->sums.errors, u->sums.ios) / 100);
	if (!g)
		return;
	finding_about(g, "device %s", disk);
	finding_say(g, "%s failed %" PRIu64 " of %" PRIu64 " requests%s%s", disk, u->sums.errors, u->sums.ios,
		    u->error ? ", the last with: " : "", u->error ? strerror(u->error) : "");
	finding_evidence(g, "errors", u->sums.errors);
	finding_evidence(g, "ios", u->sums.ios);
	if (u->error)
		finding_evidence(g, "errno", u->error);
}

/* --- how the reads look ----------------------------------------------------------- */

static double random_pct(const struct known *k)
{
	uint64_t reads = 0, jumps = 0;

	for (struct list *l = k->streams->lru.order.next; l != &k->streams->lru.order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);
		const struct stream *s = list_entry(node, struct stream, node);

		reads += s->reads;
		jumps += s->random_reads;
	}
	return finding_pct(jumps, reads);
}

/* How long the reads took matters only beside the time that there was: of the busiest process. */
static struct usage_sums all_reads(const struct known *k, const struct usage **busiest)
{
	struct usage_sums all = {0}, s;
	uint64_t most = 0;

	*busiest = NULL;
	for (struct usage *g = NULL; (g = usages_next(k->usages, g));) {
		s = usage_sums(g, k->whole);
		usage_add(&all, &s);
		if (g->proc && s.read_ns > most) {
			most = s.read_ns;
			*busiest = g;
		}
	}
	return all;
}

static void find_small_reads(struct findings *f, const struct known *k)
{
	const struct usage *u;
	struct usage_sums all = all_reads(k, &u), s;
	double random = random_pct(k), small = finding_pct(all.small_reads, all.sized_reads);
	const struct cache_use cached = finding_cache_use(k, NULL);
	char size[UNITS_LEN];
	struct finding *g;

	if (!u || all.reads < T_REQUESTS || small < T_SMALL_PCT || random < T_RANDOM_PCT)
		return;
	s = usage_sums(u, k->whole);
	if (finding_pct(s.read_ns, k->duration_ns) < T_CAUSE_PCT)
		return;
	g = findings_add(f, "small-random-reads", finding_pct(s.read_ns, k->duration_ns) / 100);
	if (!g)
		return;
	finding_about(g, "pid %u (%s)", u->proc->pub.pid, u->proc->pub.comm);
	finding_say(g, "%.0f %% of the reads are small (%s on average) and %.0f %% jump: pack the files (LMDB, "
		    "WebDataset, TFRecord) or cache them", small,
		    fmt_bytes(size, (double)all.read_bytes / (double)all.reads), random);
	finding_evidence(g, "reads", all.reads);
	finding_evidence(g, "small_pct", small);
	finding_evidence(g, "random_pct", random);
	finding_evidence(g, "mean_bytes", (double)(all.read_bytes / all.reads));
	finding_evidence(g, "read_ns", s.read_ns);
	if (!k->tasks->on)
		return;
	finding_cache(g, &cached);
	finding_files(g, k, &(struct waited_search){.kinds = WAITED_DISK, .whole = k->whole});
}

/* --- why a device is slow --------------------------------------------------------- */

static void find_saturated(struct findings *f, const struct known *k, const struct disk_use *u)
{
	struct usage_sums s = u->sums;
	double queue = finding_pct(s.queue_ns, s.queue_ns + s.device_ns);
	char in_queue[UNITS_LEN], in_device[UNITS_LEN];
	struct finding *g;

	if (s.queued < T_REQUESTS || queue < T_QUEUE_PCT || s.queue_ns / s.queued < T_QUEUE_MS * 1000000ull ||
	    finding_pct(s.queue_ns, k->duration_ns) < T_CAUSE_PCT)
		return;
	g = findings_add(f, "device-saturated", queue / 100);
	if (!g)
		return;
	finding_about(g, "device %s", u->disk->pub.name);
	finding_say(g, "%s is at its limit: requests wait %s for their turn and then take %s", u->disk->pub.name,
		    fmt_duration(in_queue, s.queue_ns / s.queued), fmt_duration(in_device, s.device_ns / s.queued));
	finding_evidence(g, "ios", s.queued);
	finding_evidence(g, "queue_pct", queue);
	finding_evidence(g, "queue_mean_ns", (double)(s.queue_ns / s.queued));
	finding_evidence(g, "device_mean_ns", (double)(s.device_ns / s.queued));
	if (u->disk->pub.nr_requests)
		finding_evidence(g, "nr_requests", u->disk->pub.nr_requests);
	add_files(g, k, u->disk->pub.number);
}

/* A part of a disk's course: how much, and the latency. */
struct stretch {
	double per_step, latency_ns;
	bool known, flat;
};

static double amount(const struct series_step *s, bool bytes)
{
	return (double)(bytes ? s->sums.bytes : s->sums.ios);
}

static struct stretch stretch_of(const struct series *c, size_t back, size_t steps, bool bytes)
{
	double sum = 0, ios = 0, latency = 0, low = INFINITY, high = 0;
	const struct series_step *s;

	for (size_t i = 0; i < steps; i++) {
		s = series_back(c, back + i);
		if (!s)
			return (struct stretch){0};
		sum += amount(s, bytes);
		low = amount(s, bytes) < low ? amount(s, bytes) : low;
		high = amount(s, bytes) > high ? amount(s, bytes) : high;
		ios += (double)s->sums.ios;
		latency += (double)s->sums.ns;
	}
	sum /= (double)steps;
	return (struct stretch){
		.per_step = sum,
		.latency_ns = latency / ios,
		.known = true,
		.flat = high <= sum * (1 + T_FLAT_PCT / 100.0) && low >= sum * (1 - T_FLAT_PCT / 100.0),
	};
}

/* The best time before the flat one that was clearly better. */
static struct stretch faster_stretch(const struct series *c, const struct stretch *flat, bool bytes)
{
	struct stretch best = {0}, p;

	for (size_t back = T_FLAT_STEPS; back + T_FAST_STEPS < SERIES_STEPS; back++) {
		p = stretch_of(c, back, T_FAST_STEPS, bytes);
		if (p.known && p.per_step >= flat->per_step * T_FAST_PCT / 100 &&
		    p.latency_ns * T_STEP_TIMES <= flat->latency_ns && p.per_step > best.per_step)
			best = p;
	}
	return best;
}

static void say_ceiling(struct findings *f, const struct known *k, const struct known_disk *d,
			const struct stretch *flat, const struct stretch *before, bool bytes)
{
	double per_s = 1e9 / SERIES_STEP_NS;
	struct finding *g = findings_add(f, "iops-ceiling", 0.5);
	char now[UNITS_LEN], then[UNITS_LEN], slow[UNITS_LEN], quick[UNITS_LEN];

	if (!g)
		return;
	finding_about(g, "device %s", d->pub.name);
	if (bytes) {
		fmt_bytes(now, flat->per_step * per_s);
		fmt_bytes(then, before->per_step * per_s);
	} else {
		snprintf(now, sizeof(now), "%.0f I/O", flat->per_step * per_s);
		snprintf(then, sizeof(then), "%.0f I/O", before->per_step * per_s);
	}
	finding_say(g, "%s stays at %s a second whatever is asked of it, after %s a second before; the latency went from %s "
		    "to %s: a provisioned or burst limit of the volume", d->pub.name, now, then,
		    fmt_duration(quick, (uint64_t)before->latency_ns), fmt_duration(slow, (uint64_t)flat->latency_ns));
	finding_evidence(g, bytes ? "bytes_per_s" : "iops", flat->per_step * per_s);
	finding_evidence(g, bytes ? "bytes_per_s_before" : "iops_before", before->per_step * per_s);
	finding_evidence(g, "latency_ns", flat->latency_ns);
	finding_evidence(g, "latency_before_ns", before->latency_ns);
	add_files(g, k, d->pub.number);
}

/* A limit of requests shows in their number, one of throughput in the bytes; where all are of a size, in both. */
static void find_ceiling(struct findings *f, const struct known *k, const struct disk_use *u)
{
	const struct series *c = usages_series(k->usages, u->disk->pub.number);

	for (int bytes = 0; c && bytes < 2; bytes++) {
		struct stretch flat = stretch_of(c, 0, T_FLAT_STEPS, bytes), before;

		if (!flat.known || !flat.flat)
			continue;
		before = faster_stretch(c, &flat, bytes);
		if (!before.known)
			continue;
		say_ceiling(f, k, u->disk, &flat, &before, bytes);
		return;
	}
}

/* --- whose it is ------------------------------------------------------------------ */

static const char *unowned_via(const struct known *k)
{
	const char *via = NULL;
	uint64_t most = 0;

	for (struct usage *g = NULL; (g = usages_next(k->usages, g));) {
		struct usage_sums s = usage_sums(g, k->whole);

		if (s.unowned_bytes > most) {
			most = s.unowned_bytes;
			via = g->via;
		}
	}
	return via;
}

static void find_unowned(struct findings *f, const struct known *k)
{
	struct usage_sums all = {0}, s;
	const char *via = unowned_via(k);
	struct finding *g;
	double share;

	for (struct usage *u = NULL; (u = usages_next(k->usages, u));) {
		s = usage_sums(u, k->whole);
		usage_add(&all, &s);
	}
	share = finding_pct(all.unowned_bytes, all.bytes);
	if (share <= T_UNOWNED_PCT || all.unowned_bytes < T_UNOWNED_MIB << 20)
		return;
	g = findings_add(f, "unattributed", share / 100);
	if (!g)
		return;
	finding_about(g, "[%s]", via ? via : "nobody");
	finding_say(g, "%.0f %% of the bytes have no owner, most of them submitted by [%s]: what it writes carries "
		    "no cgroup (cgroup v1, a file system without cgroup writeback, or a device layer)", share,
		    via ? via : "nobody");
	finding_evidence(g, "unowned_bytes", all.unowned_bytes);
	finding_evidence(g, "unowned_pct", share);
}

/* --- all of them ------------------------------------------------------------------ */

static void find_of_disk(struct findings *f, const struct known *k, const struct disk_use *u)
{
	find_errors(f, u);
	find_saturated(f, k, u);
	find_ceiling(f, k, u);
}

/* Entries of one disk stand together. */
static void find_of_each_disk(struct findings *f, const struct known *k, struct usage *const *sorted, size_t n)
{
	struct disk_use u = {0};

	for (size_t i = 0; i < n; i++) {
		struct usage_sums s = usage_sums(sorted[i], k->whole);

		if (u.disk != sorted[i]->disk) {
			if (u.disk)
				find_of_disk(f, k, &u);
			u = (struct disk_use){.disk = sorted[i]->disk};
		}
		usage_add(&u.sums, &s);
		u.error = sorted[i]->error ? sorted[i]->error : u.error;
	}
	if (u.disk)
		find_of_disk(f, k, &u);
}

static void find_of_disks(struct findings *f, const struct known *k)
{
	struct usage **sorted = calloc(k->usages->lru.map.count + 1, sizeof(struct usage *));
	size_t n = 0;

	if (!sorted)
		return;
	for (struct usage *u = NULL; (u = usages_next(k->usages, u));)
		if (u->disk)
			sorted[n++] = u;
	qsort(sorted, n, sizeof(*sorted), by_disk);
	find_of_each_disk(f, k, sorted, n);
	free(sorted);
}

void findings_of_devices(struct findings *f, const struct known *k)
{
	find_hung(f, k);
	find_small_reads(f, k);
	find_unowned(f, k);
	find_of_disks(f, k);
}
