// SPDX-License-Identifier: GPL-2.0
/*
 * All counts come from one read of /proc/diskstats a frame, however many disks there are:
 * it costs less than the files of two of them.
 */
#include "collect/diskwatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/blockdev.h"
#include "collect/diskfacts.h"

/* A disk's count when the run began. */
struct baseline {
	uint64_t diskseq;
	uint64_t ios, now;
	uint64_t round;		/* of counting that found it, as below */
	bool was_empty;		/* had no medium, so the count holds for the next one, too */
};

struct watched {
	struct iolat_disk disk;
	struct iolat_disk_facts facts;	/* as passed on last */
	bool counted;			/* `base` is known, and so is `now` */
	bool accounted;			/* as sysfs says; */
	bool by_driver;			/* ... but only if the count is not 0 */
	uint64_t base, now;
	uint64_t unselected_base;	/* what the kernel side had left out before this run, */
	uint64_t unselected_now;	/* and until it was told last */
	uint64_t round;			/* of counting that found it */
};

struct dev {
	uint32_t major, minor;
};

void diskwatch_init(struct diskwatch *w, struct tracer *t)
{
	*w = (struct diskwatch){.tracer = t};
	map_init(&w->disks, sizeof(uint32_t));
	map_init(&w->by_dev, sizeof(struct dev));
	map_init(&w->baselines, sizeof(struct dev));
}

static void free_values(struct map *m)
{
	void *v;

	for (size_t i = 0; (v = map_next(m, &i, NULL));)
		free(v);
	map_free(m);
}

void diskwatch_free(struct diskwatch *w)
{
	free_values(&w->baselines);
	free_values(&w->disks);
	map_free(&w->by_dev);
}

/* --- where counts begin ----------------------------------------------------------- */

static void add_baseline(void *ctx, uint32_t major, uint32_t minor)
{
	const struct dev dev = {major, minor};
	struct diskwatch *w = ctx;
	struct baseline *b = calloc(1, sizeof(*b));
	uint64_t sectors = 0;

	if (!b)
		return;
	if (!blockdev_identity(major, minor, &b->diskseq, &sectors) ||
	    map_put(&w->baselines, &dev, b))
		free(b);
	else
		b->was_empty = !sectors;
}

static void begin_count(void *ctx, uint32_t major, uint32_t minor, uint64_t ios)
{
	const struct dev dev = {major, minor};
	struct diskwatch *w = ctx;
	struct baseline *b = map_get(&w->baselines, &dev);

	if (b)
		b->ios = b->now = ios;
}

/* What passed between two files of a recording is in the second one. */
static void go_on_count(struct baseline *b, const struct dev *dev, const struct diskwatch *before)
{
	const struct watched *d = map_get(&before->by_dev, dev);
	const struct baseline *known = map_get(&before->baselines, dev);

	if (d && (!b->diskseq || (uint32_t)b->diskseq == d->disk.disk))
		b->ios = b->now = d->now;
	else if (!d && known && known->diskseq == b->diskseq)
		b->ios = b->now = known->now;
}

void diskwatch_begin(struct diskwatch *w, const struct diskwatch *before)
{
	struct baseline *b;
	const void *dev;

	blockdev_each(add_baseline, w);
	blockdev_counts(begin_count, w);
	for (size_t i = 0; before && (b = map_next(&w->baselines, &i, &dev));)
		go_on_count(b, dev, before);
}

/* At the run's start; at 0 for a disk that came later; nowhere for one that took over the counters of
 * another (a loop device with a new file). */
static void find_base(struct diskwatch *w, struct watched *d)
{
	const struct dev dev = {d->disk.major, d->disk.minor};
	struct baseline *b = map_get(&w->baselines, &dev);

	d->base = b ? b->ios : 0;
	d->now = b && w->frozen ? b->now : d->base;
	d->counted = !b || b->was_empty || !b->diskseq || (uint32_t)b->diskseq == d->disk.disk;
	if (b)
		b->was_empty = false;
}

/* --- the disks -------------------------------------------------------------------- */

static void forget(struct diskwatch *w, struct watched *d)
{
	const struct dev dev = {d->disk.major, d->disk.minor};

	if (map_get(&w->by_dev, &dev) == d)
		map_del(&w->by_dev, &dev);
	map_del(&w->disks, &d->disk.disk);
	if (!w->follows)
		tracer_forget_disk(w->tracer, d->disk.disk);
	free(d);
}

static int remember(struct diskwatch *w, struct watched *d)
{
	const struct dev dev = {d->disk.major, d->disk.minor};
	int err = map_put(&w->disks, &d->disk.disk, d);

	if (!err && dev.major) {
		err = map_put(&w->by_dev, &dev, d);
		if (err)
			map_del(&w->disks, &d->disk.disk);
	}
	return err;
}

static int pass_facts(struct watched *d, const struct iolat_disk_facts *now, bool even_same,
		      const struct sink *sink)
{
	if (!even_same && !memcmp(now, &d->facts, sizeof(*now)))
		return 0;
	d->facts = *now;
	return sink->event(sink->ctx, now, sizeof(*now));
}

static bool is_accounted(const struct watched *d)
{
	return d->accounted && !(d->by_driver && !d->now);
}

static struct watched *watch(struct diskwatch *w, const struct iolat_disk *e)
{
	const struct dev dev = {e->major, e->minor};
	struct watched *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->disk = *e;
	d->round = w->round;
	d->facts.head = (struct iolat_head){IOLAT_EV_DISK_FACTS, sizeof(d->facts)};
	d->facts.disk = e->disk;
	if (remember(w, d)) {
		free(d);
		return NULL;
	}
	find_base(w, d);
	d->by_driver = diskfacts_read(e, &d->facts);
	d->accounted = d->facts.accounted;
	d->facts.accounted = is_accounted(d);
	/* A disk that is first heard of after the last count was not counted if it was new. */
	d->facts.incomparable = !d->counted || (w->frozen && !map_get(&w->baselines, &dev));
	return d;
}

/* Once the disk is gone, who is followed may have had it forgotten. */
static uint64_t unselected(const struct diskwatch *w, struct watched *d)
{
	uint64_t now = tracer_unselected(w->tracer, d->disk.disk);

	if (now > d->unselected_now)
		d->unselected_now = now;
	return d->unselected_now > d->unselected_base ? d->unselected_now - d->unselected_base : 0;
}

/* The last word on a disk that is gone: how much the kernel counted on it will never be known. */
static int bid_farewell(struct diskwatch *w, struct watched *d, const struct sink *sink)
{
	struct iolat_disk_facts last = d->facts;
	int err;

	last.incomparable = 1;
	last.kernel_ios = 0;
	last.unselected = unselected(w, d);
	err = pass_facts(d, &last, false, sink);
	forget(w, d);
	return err;
}

/* Another number under the same major and minor: that disk is gone, its counters are the new one's. */
static int drop_predecessor(struct diskwatch *w, const struct iolat_disk *e, const struct sink *sink)
{
	const struct dev dev = {e->major, e->minor};
	struct watched *d = map_get(&w->by_dev, &dev);

	return d ? bid_farewell(w, d, sink) : 0;
}

int diskwatch_disk(struct diskwatch *w, const struct iolat_disk *e, const struct sink *sink)
{
	struct watched *d = map_get(&w->disks, &e->disk);
	int err = sink->event(sink->ctx, e, e->head.size);

	if (err || d) /* one that is announced again tells nothing new */
		return err;
	err = drop_predecessor(w, e, sink);
	if (err)
		return err;
	d = watch(w, e);
	if (!d)
		return -ENOMEM;
	return pass_facts(d, &d->facts, true, sink) ?: diskfacts_below(e, sink);
}

static void begin_late(struct diskwatch *w, uint32_t number, const struct diskwatch *before)
{
	struct watched *d = map_get(&w->disks, &number);
	const struct watched *known = before ? map_get(&before->disks, &number) : NULL;

	if (d && before)
		d->unselected_base = known ? known->unselected_now : 0;
	else if (d)
		d->unselected_base = tracer_unselected(w->tracer, number);
}

int diskwatch_copy(struct diskwatch *w, const struct diskwatch *other, const struct diskwatch *before,
		   const struct sink *sink)
{
	const struct watched *d;
	int err = 0;

	w->follows = true;
	for (size_t i = 0; !err && (d = map_next(&other->disks, &i, NULL));) {
		err = diskwatch_disk(w, &d->disk, sink);
		begin_late(w, d->disk.disk, before);
	}
	return err;
}

/* --- counting --------------------------------------------------------------------- */

static void count(void *ctx, uint32_t major, uint32_t minor, uint64_t ios)
{
	const struct dev dev = {major, minor};
	struct diskwatch *w = ctx;
	struct watched *d = map_get(&w->by_dev, &dev);
	struct baseline *b;

	if (d) {
		d->now = ios;
		d->round = w->round;
	}
	b = map_get(&w->baselines, &dev);
	if (b) {
		b->now = ios;
		b->round = w->round;
	}
}

/* When the kernel does not tell, nothing is known of who is gone either. */
static void count_all(struct diskwatch *w)
{
	w->round++;
	w->told = blockdev_counts(count, w);
}

/* A disk without numbers (a path of a multipath NVMe disk) is in no list. */
static bool is_gone(const struct diskwatch *w, const struct watched *d)
{
	return w->told && d->disk.major && d->round != w->round;
}

/* Another disk that gets its numbers begins to count at 0. */
static int bury(struct diskwatch *w, struct watched *d, const struct sink *sink)
{
	const struct dev dev = {d->disk.major, d->disk.minor};

	free(map_del(&w->baselines, &dev));
	return bid_farewell(w, d, sink);
}

/* The first request of a disk (the SCSI layer asks what it is) may come before sysfs has it. */
static bool is_new_in_sysfs(struct watched *d, struct iolat_disk_facts *now)
{
	if (d->facts.rotational <= 1)
		return false;
	d->by_driver = diskfacts_read(&d->disk, now);
	d->accounted = now->accounted;
	return now->rotational <= 1;
}

static int report(struct diskwatch *w, struct watched *d, const struct sink *sink)
{
	struct iolat_disk_facts now = d->facts;
	int err = is_new_in_sysfs(d, &now) ? diskfacts_below(&d->disk, sink) : 0;

	if (err)
		return err;
	now.accounted = is_accounted(d);
	if (now.accounted && !now.incomparable)
		now.kernel_ios = d->now - d->base;
	now.unselected = unselected(w, d);
	return pass_facts(d, &now, false, sink);
}

int diskwatch_report(struct diskwatch *w, const struct sink *sink)
{
	struct watched *d;
	int err = 0;

	if (!w->frozen)
		count_all(w);
	for (size_t i = 0; !err && (d = map_next(&w->disks, &i, NULL));)
		err = is_gone(w, d) ? bury(w, d, sink) : report(w, d, sink);
	return err;
}

/* A disk that did I/O of which no event came: one that has no requests, or events that fail to come. */
static int report_silent(struct diskwatch *w, const struct dev *dev, const struct baseline *b,
			 const struct sink *sink)
{
	struct iolat_disk e = {
		.head = {.kind = IOLAT_EV_DISK, .size = sizeof(e)},
		.disk = b->diskseq ? (uint32_t)b->diskseq : (dev->major << 20 | dev->minor | 1u << 31),
		.major = dev->major,
		.minor = dev->minor,
	};

	blockdev_name(dev->major, dev->minor, e.name, sizeof(e.name));
	return diskwatch_disk(w, &e, sink);
}

int diskwatch_introduce(struct diskwatch *w, uint32_t major, uint32_t minor, const struct sink *sink)
{
	const struct dev dev = {major, minor};
	struct baseline b = {};
	uint64_t sectors;

	if (map_get(&w->by_dev, &dev) || !blockdev_identity(major, minor, &b.diskseq, &sectors) ||
	    !b.diskseq)
		return 0;
	return report_silent(w, &dev, &b, sink);
}

int diskwatch_freeze(struct diskwatch *w, const struct sink *sink)
{
	struct baseline *b;
	const void *dev;
	int err = 0;

	count_all(w);
	w->frozen = true;
	for (size_t i = 0; !err && (b = map_next(&w->baselines, &i, &dev));)
		if (b->round == w->round && b->now > b->ios && !map_get(&w->by_dev, dev))
			err = report_silent(w, dev, b, sink);
	return err;
}
