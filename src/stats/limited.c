// SPDX-License-Identifier: GPL-2.0
/*
 * Limits by cgroup, and the cgroups whose I/O was held back lately. A bio carries the nearest cgroup that has
 * the controller, which may lie above the task's own, so paths are compared.
 */
#include "stats/limited.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CGROUPS 1024

static void drop(void *ctx, struct lru_node *node)
{
	free(list_entry(node, struct limit_list, node));
}

void limited_init(struct limited *l, struct model *m)
{
	*l = (struct limited){.model = m};
	lru_init(&l->cgroups, sizeof(uint64_t), offsetof(struct limit_list, cgroup), CGROUPS);
	l->cgroups.drop = drop;
}

void limited_free(struct limited *l)
{
	lru_free(&l->cgroups);
}

static struct limit_list *get_list(struct limited *l, uint64_t cgroup)
{
	struct limit_list *list = lru_get(&l->cgroups, &cgroup);

	if (list)
		return list;
	list = calloc(1, sizeof(*list));
	if (!list)
		return NULL;
	list->cgroup = cgroup;
	if (lru_put(&l->cgroups, &list->node)) {
		free(list);
		return NULL;
	}
	return list;
}

static size_t find_disk(const struct limit_list *list, const struct iolat_limit *e)
{
	size_t i = 0;

	while (i < list->n &&
	       (list->disks[i].major != e->major || list->disks[i].minor != e->minor))
		i++;
	return i;
}

int limited_limit(struct limited *l, const struct iolat_limit *e)
{
	struct limit_list *list = get_list(l, e->cgroup);
	size_t i;

	if (!list)
		return -ENOMEM;
	i = find_disk(list, e);
	if (i == LIMITED_DISKS)
		return 0;
	if (i == list->n)
		list->n++;
	list->disks[i] = *e;
	return 0;
}

void limited_name(struct limited *l, const struct iolat_name *e)
{
	if (!strcmp(e->name, "kthrotld"))
		l->queue = e->id;
}

static struct held_back *find_recent(struct limited *l, uint64_t cgroup)
{
	for (size_t i = 0; i < LIMITED_RECENT; i++)
		if (l->recent[i].cgroup == cgroup)
			return &l->recent[i];
	return &l->recent[l->next++ % LIMITED_RECENT];
}

void limited_io(struct limited *l, uint32_t via, uint64_t cgroup, uint64_t start_ns, uint64_t end_ns)
{
	if (via && via == l->queue && cgroup)
		*find_recent(l, cgroup) = (struct held_back){cgroup, start_ns, end_ns};
}

static bool applies(const struct iolat_limit *e, bool reads, bool writes)
{
	return (reads && (e->read_bps || e->read_iops)) ||
	       (writes && (e->write_bps || e->write_iops));
}

bool limited_for(struct limited *l, uint64_t cgroup, bool reads, bool writes)
{
	const struct limit_list *list = cgroup ? lru_get(&l->cgroups, &cgroup) : NULL;

	for (size_t i = 0; list && i < list->n; i++)
		if (applies(&list->disks[i], reads, writes))
			return true;
	return false;
}

const struct iolat_limit *limited_disk(struct limited *l, uint64_t cgroup, bool reads, bool writes)
{
	const struct limit_list *list = cgroup ? lru_get(&l->cgroups, &cgroup) : NULL;
	const struct iolat_limit *found = NULL;

	for (size_t i = 0; list && i < list->n; i++) {
		if (!applies(&list->disks[i], reads, writes))
			continue;
		if (found)
			return NULL;
		found = &list->disks[i];
	}
	return found;
}

/* Whether `above` is the cgroup itself or holds it. */
static bool holds(const struct limited *l, uint64_t above, uint64_t cgroup)
{
	const struct known_cgroup *a = cgroups_get(&l->model->cgroups, above);
	const struct known_cgroup *b = cgroups_get(&l->model->cgroups, cgroup);
	const char *outer = a ? a->pub.path : NULL, *inner = b ? b->pub.path : NULL;
	size_t len;

	if (above == cgroup)
		return true;
	len = outer ? strlen(outer) : 0;
	return len > 1 && inner && !strncmp(outer, inner, len) && inner[len] == '/';
}

const struct held_back *limited_released(const struct limited *l, uint64_t cgroup, uint64_t from_ns,
					 uint64_t to_ns)
{
	for (size_t i = 0; cgroup && i < LIMITED_RECENT; i++) {
		const struct held_back *h = &l->recent[i];

		if (h->cgroup && h->end_ns > from_ns && h->end_ns <= to_ns &&
		    holds(l, h->cgroup, cgroup))
			return h;
	}
	return NULL;
}
