// SPDX-License-Identifier: GPL-2.0
/*
 * Slices are filled as requests end, in any order, and shared out when they are old enough that no more is
 * to come. What a request did before the oldest open slice is left out.
 */
#include "stats/served.h"

#include <errno.h>
#include <stdlib.h>

#define SLICE_NS 1000000ull
#define REST	 (SERVED_OWNERS - 1)

static void drop(void *ctx, struct lru_node *node)
{
	struct served_disk *d = list_entry(node, struct served_disk, node);

	for (size_t i = 0; i < d->n_owners; i++)
		if (d->owners[i].proc)
			proc_unref(d->owners[i].proc);
	known_disk_unref(d->disk);
	for (size_t i = 0; i < SERVED_PIECES; i++)
		free(d->pieces[i]);
	free(d);
}

void served_init(struct served *v, struct model *m)
{
	*v = (struct served){.model = m};
	lru_init(&v->disks, sizeof(uint32_t), offsetof(struct served_disk, number), SERVED_DISKS);
	v->disks.drop = drop;
}

void served_free(struct served *v)
{
	lru_free(&v->disks);
}

static struct served_disk *make(struct served *v, uint32_t number)
{
	struct known_disk *disk = model_get_disk(v->model, number);
	struct served_disk *d = calloc(1, sizeof(*d));

	if (!disk || !d) {
		free(d);
		return NULL;
	}
	d->number = number;
	d->disk = disk;
	disk->refs++;
	if (!lru_put(&v->disks, &d->node))
		return d;
	drop(v, &d->node);
	return NULL;
}

/* --- sharing out ----------------------------------------------------------------- */

static uint64_t part(uint64_t of, uint64_t a, uint64_t b)
{
	return (uint64_t)((double)of * (double)a / (double)b);
}

static void share_out(struct served_disk *d, struct served_slice *s)
{
	uint64_t all = s->self_ns, given = 0, piece;

	for (size_t i = 0; i < SERVED_IN_SLICE; i++)
		all += s->others[i].ns;
	if (s->waited_ns && !all) {
		d->idle_now += s->waited_ns;
	} else if (s->waited_ns) {
		for (size_t i = 0; i < SERVED_IN_SLICE && s->others[i].ns; i++) {
			piece = part(s->waited_ns, s->others[i].ns, all);
			d->owners[s->others[i].owner].now += piece;
			given += piece;
		}
		d->self_now += s->waited_ns - given;
	}
	*s = (struct served_slice){0};
}

static struct served_slice **piece_of(struct served_disk *d, uint64_t number)
{
	return &d->pieces[number / SERVED_PIECE % SERVED_PIECES];
}

/* The slice, made if there was nothing in it yet; NULL: out of memory. */
static struct served_slice *slice(struct served_disk *d, uint64_t number)
{
	struct served_slice **piece = piece_of(d, number);

	if (!*piece)
		*piece = calloc(SERVED_PIECE, sizeof(**piece));
	return *piece ? &(*piece)[number % SERVED_PIECE] : NULL;
}

/* A piece goes with its last slice: what is open never reaches round to it. */
static void close_slice(struct served_disk *d, uint64_t number)
{
	struct served_slice **piece = piece_of(d, number);

	if (!*piece)
		return;
	share_out(d, &(*piece)[number % SERVED_PIECE]);
	if (number % SERVED_PIECE < SERVED_PIECE - 1)
		return;
	free(*piece);
	*piece = NULL;
}

/* No slice before `number` is open any more. */
static void close_before(struct served_disk *d, uint64_t number)
{
	uint64_t opened = d->first ? d->first + SERVED_SLICES : 0;

	for (uint64_t i = d->first; i < number && i < opened; i++)
		close_slice(d, i);
	if (number > d->first)
		d->first = number;
}

void served_close(struct served *v, uint64_t until_ns)
{
	for (struct list *l = v->disks.order.next; l != &v->disks.order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);
		struct served_disk *d = list_entry(node, struct served_disk, node);

		if (d->first)
			close_before(d, until_ns / SLICE_NS);
	}
}

/* --- filling ---------------------------------------------------------------------- */

/* Time of a slice; `to` is behind its start, `from` before its end. */
static uint64_t within(uint64_t number, uint64_t from, uint64_t to)
{
	uint64_t start = number * SLICE_NS, end = start + SLICE_NS;

	return (to < end ? to : end) - (from > start ? from : start);
}

/* Opens slices up to `to_ns` and returns the first one that a time from `from_ns` on still counts in. */
static uint64_t open_slices(struct served_disk *d, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t last = to_ns / SLICE_NS, from = from_ns / SLICE_NS;

	if (!d->first)
		d->first = from > 1 && last - from < SERVED_SLICES ? from : last;
	if (last >= d->first + SERVED_SLICES)
		close_before(d, last - SERVED_SLICES + 1);
	return from > d->first ? from : d->first;
}

static int add_wait(struct served_disk *d, uint64_t from_ns, uint64_t to_ns)
{
	struct served_slice *s;

	for (uint64_t i = open_slices(d, from_ns, to_ns); i * SLICE_NS < to_ns; i++) {
		s = slice(d, i);
		if (!s)
			return -ENOMEM;
		s->waited_ns += within(i, from_ns, to_ns);
	}
	return 0;
}

static int add_self(struct served_disk *d, uint64_t from_ns, uint64_t to_ns)
{
	struct served_slice *s;

	for (uint64_t i = open_slices(d, from_ns, to_ns); i * SLICE_NS < to_ns; i++) {
		s = slice(d, i);
		if (!s)
			return -ENOMEM;
		s->self_ns += within(i, from_ns, to_ns);
	}
	return 0;
}

/* A slice with too many owners counts further ones for the last of them. */
static void add_to(struct served_slice *s, uint16_t owner, uint64_t ns)
{
	size_t i = 0;

	while (i < SERVED_IN_SLICE - 1 && s->others[i].ns && s->others[i].owner != owner)
		i++;
	if (!s->others[i].ns)
		s->others[i].owner = owner;
	s->others[i].ns += ns;
}

static int add_other(struct served_disk *d, uint16_t owner, uint64_t from_ns, uint64_t to_ns)
{
	struct served_slice *s;

	for (uint64_t i = open_slices(d, from_ns, to_ns); i * SLICE_NS < to_ns; i++) {
		s = slice(d, i);
		if (!s)
			return -ENOMEM;
		add_to(s, owner, within(i, from_ns, to_ns));
	}
	return 0;
}

int served_self(struct served *v, const struct iolat_request *e)
{
	uint64_t issue = e->end_ns - e->device_ns;
	struct served_disk *d;
	int err;

	if (!e->disk || e->flags & (IOLAT_RQ_COPY | IOLAT_RQ_PASSTHROUGH))
		return 0;
	d = lru_get(&v->disks, &e->disk);
	d = d ? d : make(v, e->disk);
	if (!d)
		return -ENOMEM;
	err = add_wait(d, issue - e->queue_ns, e->end_ns);
	if (!err && !(e->flags & (IOLAT_RQ_NO_DEVICE | IOLAT_RQ_NO_SPLIT)))
		err = add_self(d, issue, e->end_ns);
	return err;
}

static size_t find_owner(const struct served_disk *d, const struct served_owner *o)
{
	size_t i = 0;

	while (i < d->n_owners && (d->owners[i].process != o->process ||
				   d->owners[i].cgroup != o->cgroup || d->owners[i].via != o->via))
		i++;
	return i;
}

static uint16_t owner_of(struct served_disk *d, const struct served_owner *o)
{
	const struct served_owner its_cgroup = {.cgroup = o->cgroup};
	size_t i = find_owner(d, o);

	if (i < d->n_owners)
		return i;
	if (i >= SERVED_PROCESSES && o->proc && o->cgroup)
		return owner_of(d, &its_cgroup);
	if (d->n_owners == SERVED_OWNERS)
		return REST;
	d->owners[i] = *o;
	if (i == REST)
		d->owners[i] = (struct served_owner){.via = "others"};
	if (d->owners[i].proc)
		proc_ref(o->proc);
	d->n_owners++;
	return i;
}

static int identify(struct served *v, const struct iolat_other *e, struct served_owner *o)
{
	struct via_source from = {.queue = e->via, .copy = e->flags & IOLAT_RQ_COPY};
	struct proc *p = proc_at(&v->model->procs, e->tgid ? e->tgid : e->tid, e->end_ns).proc;

	*o = (struct served_owner){.cgroup = e->cgroup};
	if (e->tgid && p) {
		o->process = p->serial;
		o->proc = p;
		return 0;
	}
	from.thread = p;
	return model_via(v->model, &from, &o->via);
}

int served_other(struct served *v, const struct iolat_other *e)
{
	struct served_disk *d = lru_get(&v->disks, &e->disk);
	struct served_owner o;
	int err;

	if (!d || !e->device_ns)
		return 0;
	err = identify(v, e, &o);
	return err ? err : add_other(d, owner_of(d, &o), e->end_ns - e->device_ns, e->end_ns);
}

/* --- results ----------------------------------------------------------------------- */

void served_turn(struct served *v)
{
	for (struct list *l = v->disks.order.next; l != &v->disks.order; l = l->next) {
		struct lru_node *node = list_entry(l, struct lru_node, order);
		struct served_disk *d = list_entry(node, struct served_disk, node);

		d->self_before += d->self_now;
		d->idle_before += d->idle_now;
		d->self_now = d->idle_now = 0;
		for (size_t i = 0; i < d->n_owners; i++) {
			d->owners[i].before += d->owners[i].now;
			d->owners[i].now = 0;
		}
	}
}

const struct served_disk *served_next(const struct served *v, const struct served_disk *last)
{
	const struct list *l = last ? last->node.order.next : v->disks.order.next;
	const struct lru_node *node;

	if (l == &v->disks.order)
		return NULL;
	node = list_entry(l, struct lru_node, order);
	return list_entry(node, struct served_disk, node);
}

uint64_t served_by(const struct served_owner *o, bool whole)
{
	return o->now + (whole ? o->before : 0);
}

uint64_t served_waited(const struct served_disk *d, bool whole)
{
	uint64_t sum = d->self_now + d->idle_now;

	if (whole)
		sum += d->self_before + d->idle_before;
	for (size_t i = 0; i < d->n_owners; i++)
		sum += served_by(&d->owners[i], whole);
	return sum;
}
