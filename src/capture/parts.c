// SPDX-License-Identifier: GPL-2.0
/* Adds up what is counted from the beginning of each file, and leaves out what may be told only once. */
#include "capture/parts.h"

#include <stdlib.h>
#include <string.h>

struct counted {
	uint64_t kernel_ios, unselected;
};

struct part_disk {
	struct counted before, now;
	bool incomparable;
};

bool parts_follow(const struct iolat_run *before, const struct iolat_run *e)
{
	return before->part && e->part > before->part && e->first_ns == before->first_ns &&
	       e->recorder == before->recorder && !memcmp(e->host, before->host, sizeof(e->host));
}

void parts_init(struct parts *p, bool last)
{
	*p = (struct parts){.last = last};
	map_init(&p->disks, sizeof(uint32_t));
}

void parts_free(struct parts *p)
{
	struct part_disk *d;

	for (size_t i = 0; (d = map_next(&p->disks, &i, NULL));)
		free(d);
	map_free(&p->disks);
}

void parts_next(struct parts *p, bool last)
{
	struct part_disk *d;

	p->later = true;
	p->last = last;
	p->before = p->now;
	for (size_t i = 0; (d = map_next(&p->disks, &i, NULL));)
		d->before = d->now;
}

static const void *take_counters(struct parts *p, const struct iolat_counters *e)
{
	struct iolat_counters *c = &p->now;

	*c = *e;
	c->head.size = sizeof(*c);
	for (size_t i = 0; i < IOLAT_COUNTERS; i++)
		c->all[i] += p->before.all[i];
	p->changed.counters = *c;
	return &p->changed.counters;
}

static struct part_disk *get_disk(struct parts *p, uint32_t number)
{
	struct part_disk *d = map_get(&p->disks, &number);

	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (d && !map_put(&p->disks, &number, d))
		return d;
	free(d);
	return NULL;
}

static const void *take_facts(struct parts *p, const struct iolat_disk_facts *e)
{
	struct part_disk *d = get_disk(p, e->disk);
	struct iolat_disk_facts *facts = &p->changed.facts;

	*facts = *e;
	facts->head.size = sizeof(*facts);
	if (!d) {
		facts->incomparable = 1;
		return facts;
	}
	d->incomparable |= e->incomparable;
	d->now.kernel_ios = facts->kernel_ios += d->before.kernel_ios;
	d->now.unselected = facts->unselected += d->before.unselected;
	facts->incomparable = d->incomparable;
	if (facts->incomparable)
		facts->kernel_ios = 0;
	return facts;
}

static bool is_once(const struct iolat_head *head, size_t size)
{
	const struct iolat_called *called = (const void *)head;

	switch (head->kind) {
	case IOLAT_EV_SELECT:
	case IOLAT_EV_RUN:
	case IOLAT_EV_HOOK:
	case IOLAT_EV_COMMAND:
		return true;
	}
	return head->kind == IOLAT_EV_CALLED && size >= sizeof(*called) && called->before;
}

const void *parts_take(struct parts *p, const void *event, size_t size)
{
	const struct iolat_head *head = event;

	if (head->kind == IOLAT_EV_COUNTERS && size >= sizeof(struct iolat_counters))
		return take_counters(p, event);
	if (head->kind == IOLAT_EV_DISK_FACTS && size >= sizeof(struct iolat_disk_facts))
		return take_facts(p, event);
	if (head->kind == IOLAT_EV_END && !p->last)
		return NULL;
	return p->later && is_once(head, size) ? NULL : event;
}
