// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the entry of a request (mostly in a small cache by process and disk) and adds the request up. Kept
 * bounded by forgetting what was not used the longest.
 */
#include "stats/usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct disk_series {
	struct lru_node node;
	uint32_t disk;
	struct series series;
};

static void drop(void *ctx, struct lru_node *node)
{
	struct usage *g = list_entry(node, struct usage, node);
	struct usages *u = ctx;

	for (size_t i = 0; i < USAGE_CACHE; i++)
		if (u->cache[i].usage == g)
			u->cache[i].usage = NULL;
	if (g->proc)
		proc_unref(g->proc);
	if (g->disk)
		known_disk_unref(g->disk);
	free(g);
}

static void drop_series(void *ctx, struct lru_node *node)
{
	free(list_entry(node, struct disk_series, node));
}

void usages_init(struct usages *u, struct model *m)
{
	*u = (struct usages){.model = m};
	lru_init(&u->lru, sizeof(struct usage_key), offsetof(struct usage, key), USAGE_ENTRIES);
	u->lru.drop = drop;
	u->lru.ctx = u;
	lru_init(&u->series, sizeof(uint32_t), offsetof(struct disk_series, disk), USAGE_SERIES);
	u->series.drop = drop_series;
}

void usages_free(struct usages *u)
{
	lru_free(&u->lru);
	lru_free(&u->series);
}

static void refer(struct usages *u, struct usage *g, struct proc *p, uint32_t disk)
{
	g->disk = disk ? model_get_disk(u->model, disk) : NULL;
	if (g->disk)
		g->disk->refs++;
	if (p)
		proc_ref(p);
	g->proc = p;
}

static struct usage *make(struct usages *u, const struct usage_key *key, struct proc *p)
{
	struct usage *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->key = *key;
	refer(u, g, p, key->disk);
	if (!lru_put(&u->lru, &g->node))
		return g;
	drop(u, &g->node);
	return NULL;
}

/* The entry of what that process (0: none, then the cgroup says whose) submitted then. */
static struct usage *find(struct usages *u, uint32_t tgid, uint64_t cgroup, uint32_t disk, uint64_t at_ns)
{
	struct proc *p = tgid ? proc_at(&u->model->procs, tgid, at_ns).proc : NULL;
	struct usage_key key = {.process = p ? p->serial : 0, .cgroup = p ? 0 : cgroup, .disk = disk};
	struct usage *g = lru_get(&u->lru, &key);

	return g ? g : make(u, &key, p);
}

/* A dead process's pid may be another's by now. */
static struct usage *get(struct usages *u, const struct iolat_request *e)
{
	struct usage_hit *hit = &u->cache[(e->tgid ^ e->disk << 5) % USAGE_CACHE];
	struct usage *g = hit->usage;

	if (e->tgid && g && hit->tgid == e->tgid && hit->disk == e->disk && g->proc && !g->proc->dead)
		return g;
	g = find(u, e->tgid, e->cgroup, e->disk, e->end_ns - e->device_ns - e->queue_ns);
	*hit = (struct usage_hit){e->tgid, e->disk, e->tgid ? g : NULL};
	return g;
}

static void add_read(struct usage_sums *s, const struct iolat_request *e)
{
	s->reads++;
	s->read_bytes += e->bytes;
	s->read_ns += e->queue_ns + e->device_ns;
	s->sized_reads++;
	s->small_reads += e->bytes <= USAGE_SMALL;
}

static void add_times(struct usage_sums *s, const struct iolat_request *e)
{
	if (e->op == IOLAT_OP_FLUSH) {
		s->flushes++;
		s->flush_ns += e->queue_ns + e->device_ns;
	} else if (!(e->flags & (IOLAT_RQ_NO_SPLIT | IOLAT_RQ_NO_DEVICE))) {
		s->queued++;
		s->queue_ns += e->queue_ns;
		s->device_ns += e->device_ns;
	}
}

static void add(struct usage *g, const struct iolat_request *e)
{
	struct usage_sums *s = &g->now;

	s->ios++;
	s->bytes += e->bytes;
	if (e->op == IOLAT_OP_READ)
		add_read(s, e);
	add_times(s, e);
	if (e->flags & IOLAT_RQ_SWAP) {
		s->swaps++;
		s->swap_ns += e->queue_ns + e->device_ns;
	}
	if (e->owner == IOLAT_OWNER_NONE)
		s->unowned_bytes += e->bytes;
	/* A device that does not know discards or zeroing is asked once, and the kernel does without. */
	if (e->error && e->error != EOPNOTSUPP) {
		s->errors++;
		g->error = e->error;
	}
}

static struct series *get_series(struct usages *u, uint32_t disk)
{
	struct disk_series *d = lru_get(&u->series, &disk);

	if (d)
		return &d->series;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->disk = disk;
	if (!lru_put(&u->series, &d->node))
		return &d->series;
	free(d);
	return NULL;
}

static int learn_via(struct usages *u, struct usage *g, uint32_t via, uint32_t tid, uint64_t at_ns)
{
	struct via_source from = {.queue = via};

	if (g->proc || g->via)
		return 0;
	if (tid)
		from.thread = proc_at(&u->model->procs, tid, at_ns).proc;
	return model_via(u->model, &from, &g->via);
}

int usages_request(struct usages *u, const struct iolat_request *e, const struct reread_answer *again)
{
	struct series *series;
	struct usage *g;

	if (e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	g = get(u, e);
	series = get_series(u, e->disk);
	if (!g || !series)
		return -ENOMEM;
	add(g, e);
	g->now.followed += again->followed;
	g->now.again += again->again;
	if (e->op == IOLAT_OP_READ || e->op == IOLAT_OP_WRITE)
		series_add(series, e->end_ns, &(struct series_part){1, e->bytes, e->queue_ns + e->device_ns});
	return learn_via(u, g, e->via, e->tid, e->end_ns);
}

/* Those of an aggregate whose time is known in parts. */
static uint64_t count_split(const struct iolat_aggregate *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->n_buckets; i++)
		n += e->buckets[i].part == IOLAT_PART_QUEUE ? e->buckets[i].count : 0;
	return n;
}

/* The sizes of reads are not known one by one. */
static void add_aggregate(struct usage_sums *s, const struct iolat_aggregate *e)
{
	s->ios += e->ios;
	s->bytes += e->bytes;
	s->errors += e->errors;
	if (e->op == IOLAT_OP_READ) {
		s->reads += e->ios;
		s->read_bytes += e->bytes;
		s->read_ns += e->sum_ns[IOLAT_PART_TOTAL];
	}
	if (e->op == IOLAT_OP_FLUSH) {
		s->flushes += e->ios;
		s->flush_ns += e->sum_ns[IOLAT_PART_TOTAL];
	} else {
		s->queued += count_split(e);
		s->queue_ns += e->sum_ns[IOLAT_PART_QUEUE];
		s->device_ns += e->sum_ns[IOLAT_PART_DEVICE];
	}
	if (e->flags & IOLAT_RQ_SWAP) {
		s->swaps += e->ios;
		s->swap_ns += e->sum_ns[IOLAT_PART_TOTAL];
	}
	if (e->owner == IOLAT_OWNER_NONE && !e->other)
		s->unowned_bytes += e->bytes;
}

int usages_aggregate(struct usages *u, const struct iolat_aggregate *e)
{
	struct series *series;
	struct usage *g;

	if (e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	g = find(u, e->tgid, e->cgroup, e->disk, e->last_ns);
	series = e->disk ? get_series(u, e->disk) : NULL;
	if (!g || (e->disk && !series))
		return -ENOMEM;
	add_aggregate(&g->now, e);
	if (series && (e->op == IOLAT_OP_READ || e->op == IOLAT_OP_WRITE)) /* in the middle of the while */
		series_add(series, e->start_ns + (e->end_ns - e->start_ns) / 2,
			   &(struct series_part){e->ios, e->bytes, e->sum_ns[IOLAT_PART_TOTAL]});
	return learn_via(u, g, e->via, e->tid, e->last_ns);
}

void usage_add(struct usage_sums *to, const struct usage_sums *from)
{
	uint64_t *a = (uint64_t *)to;
	const uint64_t *b = (const uint64_t *)from;

	_Static_assert(sizeof(*to) % sizeof(*a) == 0, "counters alone");
	for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
		a[i] += b[i];
}

struct usage_sums usage_sums(const struct usage *g, bool whole)
{
	struct usage_sums sums = g->now;

	if (whole)
		usage_add(&sums, &g->before);
	return sums;
}

struct usage *usages_next(const struct usages *u, const struct usage *last)
{
	const struct list *l = last ? last->node.order.next : u->lru.order.next;
	const struct lru_node *node;

	if (l == &u->lru.order)
		return NULL;
	node = list_entry(l, struct lru_node, order);
	return list_entry(node, struct usage, node);
}

void usages_turn(struct usages *u)
{
	for (struct usage *g = usages_next(u, NULL), *next; g; g = next) {
		next = usages_next(u, g);
		if (u->forgets && !g->now.ios && !g->now.bytes) {
			lru_drop(&u->lru, &g->node);
			continue;
		}
		usage_add(&g->before, &g->now);
		g->now = (struct usage_sums){0};
	}
}

const struct series *usages_series(struct usages *u, uint32_t disk)
{
	struct disk_series *d = lru_get(&u->series, &disk);

	return d ? &d->series : NULL;
}
