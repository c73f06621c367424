// SPDX-License-Identifier: GPL-2.0
/*
 * Stands between the tracer's rings and the analysis (or a recording): looks at each
 * event's cgroup and disk, and puts in what only this host can tell, once each.
 */
#include "collect/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/map.h"
#include "collect/blockdev.h"

#define MAX_CGROUPS 65536	/* known ids before the set is started anew */

#define KNOWN	   ((void *)1)
#define UNRESOLVED ((void *)2)

/* A disk's count when its growth began. */
struct baseline {
	uint64_t diskseq;
	uint64_t ios;
	bool was_empty;		/* had no medium, so the count holds for the next one, too */
};

struct known_disk {
	struct iolat_disk disk;
	struct iolat_disk_facts facts;
	bool counted;		/* `base` is known */
	uint64_t base;
};

struct facts {
	struct tracer *tracer;
	const struct cgroupfs *cgroups;
	struct sink sink;
	struct map known_cgroups;	/* by key; KNOWN, or UNRESOLVED until the next frame */
	uint64_t last_cgroup;
	struct map baselines;		/* by major, minor */
	struct map disks;		/* by number */
	bool frozen;			/* kernel_ios stays as it is */
};

static int send(struct facts *f, const void *event, size_t size)
{
	return f->sink.event(f->sink.ctx, event, size);
}

/* --- disks ------------------------------------------------------------------------ */

static void add_baseline(void *ctx, uint32_t major, uint32_t minor)
{
	const uint32_t key[2] = {major, minor};
	struct facts *f = ctx;
	struct baseline *b = calloc(1, sizeof(*b));
	uint64_t sectors = 0;

	if (!b)
		return;
	if (!blockdev_identity(major, minor, &b->diskseq, &sectors) ||
	    !blockdev_count(major, minor, &b->ios) || map_put(&f->baselines, key, b))
		free(b);
	else
		b->was_empty = !sectors;
}

/* Where the growth of a disk's count begins: at the run's start; at 0 for a disk that came later;
 * nowhere for one that took over the counters of another (a loop device with a new file). */
static void find_base(struct facts *f, struct known_disk *d)
{
	const uint32_t key[2] = {d->disk.major, d->disk.minor};
	struct baseline *b = map_get(&f->baselines, key);

	d->base = b ? b->ios : 0;
	d->counted = !b || b->was_empty || !b->diskseq || (uint32_t)b->diskseq == d->disk.disk;
	if (b)
		b->was_empty = false;
}

/* What the kernel counted since the base. */
static void count_disk(struct known_disk *d)
{
	uint64_t ios = 0;

	if (d->facts.accounted && !d->facts.incomparable &&
	    blockdev_count(d->disk.major, d->disk.minor, &ios))
		d->facts.kernel_ios = ios - d->base;
}

static int send_disk_facts(struct facts *f, struct known_disk *d)
{
	if (!f->frozen || !d->facts.kernel_ios)
		count_disk(d);
	d->facts.unselected = tracer_unselected(f->tracer, d->disk.disk);
	return send(f, &d->facts, sizeof(d->facts));
}

static struct known_disk *know_disk(struct facts *f, const struct iolat_disk *e)
{
	struct known_disk *d = calloc(1, sizeof(*d));

	if (!d || map_put(&f->disks, &e->disk, d)) {
		free(d);
		return NULL;
	}
	d->disk = *e;
	d->facts.head = (struct iolat_head){IOLAT_EV_DISK_FACTS, sizeof(d->facts)};
	d->facts.disk = e->disk;
	find_base(f, d);
	blockdev_facts(e->major, e->minor, &d->facts);
	d->facts.incomparable = !d->counted;
	return d;
}

/* Another number under the same major and minor: that disk is gone, its counters are the new one's. */
static void drop_predecessor(struct facts *f, const struct iolat_disk *e)
{
	struct known_disk *d;

	for (size_t i = 0; (d = map_next(&f->disks, &i, NULL));)
		if (d->disk.major == e->major && d->disk.minor == e->minor && e->major) {
			map_del(&f->disks, &d->disk.disk);
			free(d);
		}
}

/* A disk may be announced again; that tells nothing new. */
static int pass_disk(struct facts *f, const struct iolat_disk *e)
{
	struct known_disk *d = map_get(&f->disks, &e->disk);
	int err = send(f, e, e->head.size);

	if (err || d)
		return err;
	drop_predecessor(f, e);
	d = know_disk(f, e);
	return d ? send_disk_facts(f, d) : -ENOMEM;
}

/* A disk that did I/O of which no event came: one that has no requests, or events that fail to come. */
static int report_silent_disk(struct facts *f, const uint32_t key[2], struct baseline *b)
{
	struct iolat_disk e = {
		.head = {.kind = IOLAT_EV_DISK, .size = sizeof(e)},
		.disk = b->diskseq ? (uint32_t)b->diskseq : (key[0] << 20 | key[1] | 1u << 31),
		.major = key[0],
		.minor = key[1],
	};
	uint64_t ios;

	if (!blockdev_count(key[0], key[1], &ios) || ios <= b->ios || map_get(&f->disks, &e.disk))
		return 0;
	blockdev_name(key[0], key[1], e.name, sizeof(e.name));
	return pass_disk(f, &e);
}

/* Whether some known disk already stands for these counters. */
static bool is_known(struct facts *f, const uint32_t key[2])
{
	struct known_disk *d;

	for (size_t i = 0; (d = map_next(&f->disks, &i, NULL));)
		if (d->disk.major == key[0] && d->disk.minor == key[1])
			return true;
	return false;
}

int facts_freeze(struct facts *f)
{
	struct baseline *b;
	struct known_disk *d;
	const void *key;
	int err = 0;

	for (size_t i = 0; (d = map_next(&f->disks, &i, NULL));)
		count_disk(d);
	f->frozen = true;
	for (size_t i = 0; !err && (b = map_next(&f->baselines, &i, &key));)
		if (!is_known(f, key))
			err = report_silent_disk(f, key, b);
	return err;
}

/* --- cgroups ---------------------------------------------------------------------- */

static int send_cgroup(struct facts *f, uint64_t key, const char *path)
{
	size_t size = sizeof(struct iolat_cgroup) + strlen(path) + 1;
	struct iolat_cgroup *e = calloc(1, size);
	int err;

	if (!e)
		return -ENOMEM;
	e->head.kind = IOLAT_EV_CGROUP;
	e->head.size = size;
	e->cgroup = key;
	memcpy(e->path, path, strlen(path) + 1);
	err = send(f, e, size);
	free(e);
	return err;
}

/* At first sight, while the cgroup most likely still exists. */
static int know_cgroup(struct facts *f, uint64_t key, uint32_t tgid)
{
	char *path;
	int err;

	f->last_cgroup = key;
	if (map_get(&f->known_cgroups, &key))
		return 0;
	if (f->known_cgroups.count >= MAX_CGROUPS)
		map_clear(&f->known_cgroups);
	path = cgroupfs_path(f->cgroups, key);
	if (!path && tgid)
		path = cgroupfs_path_of_task(f->cgroups, IOLAT_CGROUP_TREE(key), tgid);
	err = map_put(&f->known_cgroups, &key, path ? KNOWN : UNRESOLVED);
	if (!err && path)
		err = send_cgroup(f, key, path);
	free(path);
	return err;
}

/* What could not be resolved may only have been too early: ask again, but once a frame. */
static void retry_cgroups(struct facts *f)
{
	const void *key;
	void *v;

	f->last_cgroup = 0;
	for (size_t i = 0; (v = map_next(&f->known_cgroups, &i, &key));)
		if (v == UNRESOLVED)
			map_del(&f->known_cgroups, key);
}

static int pass_owner(struct facts *f, uint64_t cgroup, uint32_t tgid)
{
	return cgroup && cgroup != f->last_cgroup ? know_cgroup(f, cgroup, tgid) : 0;
}

/* --- the stream ------------------------------------------------------------------- */

static int pass(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	const struct iolat_request *rq = data;
	const struct iolat_share *share = data;
	struct facts *f = ctx;
	int err = 0;

	switch (head->kind) {
	case IOLAT_EV_REQUEST:
		err = pass_owner(f, rq->cgroup, rq->tgid);
		break;
	case IOLAT_EV_SHARE:
		err = pass_owner(f, share->cgroup, share->tgid);
		break;
	case IOLAT_EV_DISK:
		return pass_disk(f, data);
	}
	return err ?: send(f, data, size);
}

struct sink facts_sink(struct facts *f)
{
	return (struct sink){pass, f};
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int send_run(struct facts *f, const struct iolat_knobs *knobs)
{
	struct iolat_run e = {
		.head = {.kind = IOLAT_EV_RUN, .size = sizeof(e)},
		.bio_submission = tracer_hook_attached(f->tracer, "block_bio_queue"),
		.mono_ns = now_ns(CLOCK_MONOTONIC),
		.wall_ns = now_ns(CLOCK_REALTIME),
		.blkio_v1 = knobs->blkio_v1,
		.selected = knobs->by_task,
	};
	struct utsname u;

	if (!uname(&u)) {
		snprintf(e.host, sizeof(e.host), "%.63s", u.nodename);
		snprintf(e.kernel, sizeof(e.kernel), "%.63s", u.release);
	}
	return send(f, &e, sizeof(e));
}

static int send_hooks(struct facts *f)
{
	const struct tracer_hook *h;
	int err = 0;

	for (size_t i = 0; !err && (h = tracer_hook_at(f->tracer, i)); i++) {
		struct iolat_hook e = {
			.head = {.kind = IOLAT_EV_HOOK, .size = sizeof(e)},
			.attached = h->attached,
			.required = h->def->required,
		};

		snprintf(e.name, sizeof(e.name), "%s", h->def->tracepoint);
		err = send(f, &e, sizeof(e));
	}
	return err;
}

int facts_begin(struct facts *f, const struct iolat_knobs *knobs)
{
	int err;

	blockdev_each(add_baseline, f);
	err = send_run(f, knobs) ?: send_hooks(f);
	if (err)
		return err;
	err = tracer_tasks(f->tracer, &f->sink);
	return err == -ENOTSUP || err == -EPERM ? 0 : err; /* names come as tasks show up */
}

static int send_counters(struct facts *f)
{
	struct iolat_counters e;

	tracer_counters(f->tracer, &e);
	return send(f, &e, sizeof(e));
}

int facts_counters(struct facts *f)
{
	struct known_disk *d;
	int err = send_counters(f);

	retry_cgroups(f);

	for (size_t i = 0; !err && (d = map_next(&f->disks, &i, NULL));)
		err = send_disk_facts(f, d);
	return err;
}

int facts_new(struct facts **out, struct tracer *t, const struct cgroupfs *cgroups,
	      const struct sink *sink)
{
	struct facts *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return -ENOMEM;
	f->tracer = t;
	f->cgroups = cgroups;
	f->sink = *sink;
	map_init(&f->known_cgroups, sizeof(uint64_t));
	map_init(&f->baselines, 2 * sizeof(uint32_t));
	map_init(&f->disks, sizeof(uint32_t));
	return 0;
}

static void free_values(struct map *m)
{
	void *v;

	for (size_t i = 0; (v = map_next(m, &i, NULL));)
		free(v);
	map_free(m);
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	free_values(&f->baselines);
	free_values(&f->disks);
	map_free(&f->known_cgroups);
	free(f);
}
