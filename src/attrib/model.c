// SPDX-License-Identifier: GPL-2.0
/*
 * Ties the tables of known things together: disks and work queues are kept here,
 * processes in proc.c, cgroups in cgroup.c, the names of kernel submitters in via.c.
 */
#include "attrib/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_name {
	struct lru_node node;
	uint32_t id;
	char name[IOLAT_NAME_LEN];
};

void known_disk_unref(struct known_disk *d)
{
	if (--d->refs)
		return;
	free(d->pub.below);
	free(d);
}

static void drop_disk(void *ctx, struct lru_node *node)
{
	known_disk_unref(list_entry(node, struct known_disk, node));
}

static void drop_name(void *ctx, struct lru_node *node)
{
	free(list_entry(node, struct known_name, node));
}

#define KEY_AT(type, field) sizeof(((struct type *)0)->field), offsetof(struct type, field)

void model_init(struct model *m, const struct selection *s, bool want_threads)
{
	m->generation = 0;
	proc_table_init(&m->procs, s, want_threads);
	vias_init(&m->vias);
	workers_init(&m->workers);
	files_init(&m->files);
	cgroups_init(&m->cgroups, s);
	lru_init(&m->disks, KEY_AT(known_disk, pub.number), MODEL_DISKS);
	lru_init(&m->names, KEY_AT(known_name, id), MODEL_NAMES);
	m->disks.drop = drop_disk;
	m->names.drop = drop_name;
}

void model_free(struct model *m)
{
	cgroups_free(&m->cgroups);
	lru_free(&m->disks);
	lru_free(&m->names);
	workers_free(&m->workers);
	files_free(&m->files);
	proc_table_free(&m->procs);
	vias_free(&m->vias);
}

static void name_by_number(struct disk *d)
{
	snprintf(d->name, sizeof(d->name), "%u:%u", d->major, d->minor);
}

struct known_disk *model_get_disk(struct model *m, uint32_t number)
{
	struct known_disk *d = lru_get(&m->disks, &number);

	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->pub.number = number;
	d->pub.diskseq = number >> 31 ? 0 : number;
	d->pub.rotational = -1;
	d->refs = 1;
	name_by_number(&d->pub);
	if (lru_put(&m->disks, &d->node)) {
		free(d);
		return NULL;
	}
	return d;
}

int model_disk(struct model *m, const struct iolat_disk *e)
{
	struct known_disk *d = model_get_disk(m, e->disk);

	if (!d)
		return -ENOMEM;
	d->pub.major = e->major;
	d->pub.minor = e->minor;
	memcpy(d->pub.name, e->name, sizeof(d->pub.name));
	if (!d->pub.name[0])
		name_by_number(&d->pub);
	return 0;
}

int model_disk_facts(struct model *m, const struct iolat_disk_facts *e)
{
	struct known_disk *d = model_get_disk(m, e->disk);

	if (!d)
		return -ENOMEM;
	d->pub.facts_known = true;
	d->pub.accounted = e->accounted;
	d->pub.incomparable = e->incomparable;
	d->pub.rotational = e->rotational > 1 ? -1 : e->rotational;
	d->pub.nr_requests = e->nr_requests;
	memcpy(d->pub.model, e->model, sizeof(d->pub.model));
	memcpy(d->pub.scheduler, e->scheduler, sizeof(d->pub.scheduler));
	memcpy(d->pub.transport, e->transport, sizeof(d->pub.transport));
	return 0;
}

/* What comes out of order, or too much of it, is left out. */
int model_disk_below(struct model *m, const struct iolat_disk_below *e)
{
	struct known_disk *d = model_get_disk(m, e->disk);
	char (*list)[IOLAT_DISK_LEN];

	if (!d)
		return -ENOMEM;
	if (!e->index)
		d->pub.n_below = 0;
	d->pub.below_known = true;
	if (!e->count || e->index != d->pub.n_below || e->index >= MODEL_BELOW)
		return 0;
	list = realloc(d->pub.below, (e->index + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	d->pub.below = list;
	memcpy(list[d->pub.n_below++], e->name, sizeof(*list));
	return 0;
}

static struct known_name *get_name(struct model *m, uint32_t id)
{
	struct known_name *n = lru_get(&m->names, &id);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->id = id;
	if (lru_put(&m->names, &n->node)) {
		free(n);
		return NULL;
	}
	return n;
}

int model_name(struct model *m, const struct iolat_name *e)
{
	struct known_name *n = get_name(m, e->id);

	if (!n)
		return -ENOMEM;
	if (strcmp(n->name, e->name))
		m->generation++;
	memcpy(n->name, e->name, sizeof(n->name));
	return 0;
}

static struct via_text text_of(const struct known_name *n, const struct via_source *from)
{
	const struct process *p = from->thread ? &from->thread->pub : NULL;

	if (n && from->copy)
		return via_of_device(n->name);
	if (n)
		return via_of_queue(n->name);
	return via_of_comm(p && p->comm_known ? p->comm : NULL);
}

bool model_wants_io(struct model *m, const struct model_io *io)
{
	const struct selection *s = m->procs.selection;
	struct known_disk *d;

	if (!select_has_ios(s))
		return true;
	d = lru_get(&m->disks, &io->disk);
	return select_wants_io(s, &(struct select_io){
					  .disk = d ? d->pub.name : "",
					  .part = io->part,
					  .op = io->op,
					  .latency_ns = io->latency_ns,
				  });
}

/* Of a partition the disk will do: which ones it has is not told. */
bool model_has_device(const struct model *m, const char *word)
{
	const struct known_disk *d;

	for (size_t i = 0; (d = map_next(&m->disks.map, &i, NULL));)
		for (unsigned int part = 0; part < 256; part++)
			if (select_is_device(word, d->pub.name, part))
				return true;
	return false;
}

int model_via(struct model *m, const struct via_source *from, const char **via)
{
	struct known_name *n = from->queue ? lru_get(&m->names, &from->queue) : NULL;
	struct via_text text = text_of(n, from);

	*via = NULL;
	if (from->copy && !n && !from->thread)
		return 0;
	*via = vias_intern(&m->vias, &text);
	return *via ? 0 : -ENOMEM;
}
