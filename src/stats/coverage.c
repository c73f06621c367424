// SPDX-License-Identifier: GPL-2.0
/*
 * Totals of the run and their state at the last interval's end. The kernel side's own
 * counters arrive as events and only ever grow; one that does not is taken as still.
 */
#include "stats/coverage.h"

#include <errno.h>
#include <stdlib.h>

const struct tally_word tally_words[TALLY_NUMBERS] = {
	{"requests", "requests", "I/Os that are counted in the rows", true, false},
	{"lost", "lost", "the kernel side had them, the rows do not: their end was never shown, or there was no room for them", true, true},
	{"aggregated", "aggregated", "the ring buffer was full: counted exactly, but without the detail of each request", true, false},
	{"unmatched", "unmatched", "completed, but started before tracing did", true, true},
	{"unowned", "unowned", "nobody could be named as their owner", false, false},
	{"map_full", "map-full", "starts that found no room", false, true},
	{"backward", "backward", "times that ran backwards, taken as 0", false, true},
	{"missed", "missed", "program runs that the kernel skipped", false, true},
	{"names_lost", "names-lost", "names that were learnt late: rows may have had none for a while", false, true},
	{"waits_lost", "waits-lost", "waits of tasks that are in no task's time", false, true},
};

bool tally_known(const struct coverage *c, size_t i)
{
	return &c->tally.all[i] != &c->tally.missed || c->missed_known;
}

static void drop(void *ctx, struct lru_node *node)
{
	struct cover *c = ctx;
	struct disk_cover *d = list_entry(node, struct disk_cover, node);

	known_disk_unref(d->disk);
	free(d);
	c->forgotten++;
}

void cover_init(struct cover *c)
{
	*c = (struct cover){0};
	lru_init(&c->disks, sizeof(uint32_t), offsetof(struct disk_cover, number), MODEL_DISKS);
	c->disks.drop = drop;
	c->disks.ctx = c;
}

void cover_free(struct cover *c)
{
	lru_free(&c->disks);
	free(c->list);
}

static struct disk_cover *disk_new(struct known_disk *disk)
{
	struct disk_cover *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->number = disk->pub.number;
	d->disk = disk;
	disk->refs++;
	return d;
}

struct disk_cover *cover_disk(struct cover *c, struct model *m, uint32_t number)
{
	struct disk_cover *d = lru_get(&c->disks, &number);
	struct known_disk *disk;

	if (d)
		return d;
	disk = model_get_disk(m, number);
	d = disk ? disk_new(disk) : NULL;
	if (!d || !lru_put(&c->disks, &d->node))
		return d;
	drop(c, &d->node);
	return NULL;
}

int cover_facts(struct cover *c, struct model *m, const struct iolat_disk_facts *e)
{
	struct disk_cover *d = cover_disk(c, m, e->disk);

	if (!d)
		return -ENOMEM;
	d->now.kernel = e->kernel_ios;
	d->now.unselected = e->unselected;
	return 0;
}

void cover_refused(struct cover *c)
{
	c->refused++;
	c->now.lost++;
}

void cover_counters(struct cover *c, const struct iolat_counters *e)
{
	c->now.lost = e->lost + c->refused;
	c->now.unmatched = e->unmatched;
	c->now.map_full = e->map_full;
	c->now.backward = e->backward;
	c->now.missed = e->missed;
	c->now.names_lost = e->names_lost;
	c->now.waits_lost = e->waits_lost;
	c->missed_known = e->missed_known;
}

static uint64_t growth(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct coverage_disk disk_since(const struct disk_cover *d, const struct disk_tally *before)
{
	return (struct coverage_disk){
		.disk = &d->disk->pub,
		.kernel_known = d->disk->pub.facts_known && d->disk->pub.accounted &&
				!d->disk->pub.incomparable,
		.kernel = growth(d->now.kernel, before->kernel),
		.seen = growth(d->now.streamed, before->streamed) +
			growth(d->now.unselected, before->unselected),
	};
}

static int by_number(const void *a, const void *b)
{
	const struct coverage_disk *x = a, *y = b;

	return (x->disk->number > y->disk->number) - (x->disk->number < y->disk->number);
}

static int list_disks(struct cover *c, bool interval, struct coverage *out)
{
	static const struct disk_tally zero;
	size_t n = c->disks.map.count;
	struct coverage_disk *list = realloc(c->list, (n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	c->list = list;
	out->disks = list;
	out->n_disks = n;
	for (struct list *l = c->disks.order.next; l != &c->disks.order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);
		struct disk_cover *d = list_entry(node, struct disk_cover, node);

		*list++ = disk_since(d, interval ? &d->before : &zero);
	}
	qsort(c->list, n, sizeof(*list), by_number);
	return 0;
}

int cover_describe(struct cover *c, bool interval, struct coverage *out)
{
	*out = (struct coverage){.tally = c->now, .missed_known = c->missed_known};
	for (size_t i = 0; interval && i < TALLY_NUMBERS; i++)
		out->tally.all[i] = growth(c->now.all[i], c->before.all[i]);
	return list_disks(c, interval, out);
}

void cover_turn(struct cover *c)
{
	c->before = c->now;
	for (struct list *l = c->disks.order.next; l != &c->disks.order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);
		struct disk_cover *d = list_entry(node, struct disk_cover, node);

		d->before = d->now;
	}
}
