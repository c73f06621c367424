// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of rows: from what an I/O belongs to, to the row that counts it. A table that
 * is full has one more row, "other", for all that came too late; where copies are apart, one of those, too.
 */
#include "stats/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char aggregated_via[] = "aggregated";
static const char other_via[] = "other"; /* its address is in no table of texts */

const char *row_key_name(enum row_key key)
{
	static const char *const names[BY_MAX] = {
		[BY_PROCESS] = "process", [BY_THREAD] = "thread",	[BY_WORKER] = "worker",
		[BY_CGROUP] = "cgroup",	  [BY_CONTAINER] = "container", [BY_POD] = "pod",
		[BY_JOB] = "job",	  [BY_DEVICE] = "device",	[BY_OP] = "op",
		[BY_FILE] = "file",	  [BY_FS] = "fs",	[BY_HOST] = "host",
	};

	return names[key];
}

void rows_init(struct rows *t, const struct by *by, size_t max)
{
	*t = (struct rows){.by = by, .max = max};
	map_init(&t->map, sizeof(struct row_id));
}

struct row_slot *rows_next(const struct rows *t, size_t *i)
{
	return map_next(&t->map, i, NULL);
}

void rows_free(struct rows *t)
{
	struct row_slot *s;

	for (size_t i = 0; (s = rows_next(t, &i));)
		row_free(s);
	map_free(&t->map);
}

struct row_slot *rows_find(const struct rows *t, const struct row_id *id)
{
	return map_get(&t->map, id);
}

static struct row_id other_id(const struct by *by, bool copy)
{
	return (struct row_id){.via = other_via, .op = by_has(by, BY_OP) ? IOLAT_OP_OTHER : 0, .copy = copy};
}

static struct row_slot *find_other(const struct rows *t, bool copy)
{
	struct row_id id = other_id(t->by, copy);

	return rows_find(t, &id);
}

bool row_is_other(const struct row_slot *s)
{
	return s->id.via == other_via;
}

bool rows_full(const struct rows *t)
{
	return t->map.count >= t->max + (find_other(t, false) != NULL) + (find_other(t, true) != NULL);
}

/* Whether rows are by something that an aggregate does not tell. */
static bool lacks_key(const struct by *by, const struct row_subjects *s)
{
	return s->aggregated && (by_has(by, BY_THREAD) || by_has(by, BY_FILE) || by_has(by, BY_FS));
}

static uint64_t place_id(const struct by *by, enum row_key key, const struct known_place *p)
{
	return by_has(by, key) && p ? p->serial : 0;
}

/* Submitters without a process are told apart by `via`, where rows are by submitter. */
static struct row_id id_of(const struct rows *t, const struct row_subjects *s)
{
	const struct by *by = t->by;
	bool by_submitter = by_has(by, BY_PROCESS) || by_has(by, BY_THREAD);

	return (struct row_id){
		.process = by_has(by, BY_PROCESS) && s->proc ? s->proc->serial : 0,
		.thread = by_has(by, BY_THREAD) && s->thread ? s->thread->serial : 0,
		.worker = by_has(by, BY_WORKER) && s->worker ? s->worker->serial : 0,
		.cgroup = by_has(by, BY_CGROUP) && s->cgroup ? s->cgroup->pub.key : 0,
		.places =
			{
				place_id(by, BY_CONTAINER, s->places[PLACE_CONTAINER]),
				place_id(by, BY_POD, s->places[PLACE_POD]),
				place_id(by, BY_JOB, s->places[PLACE_JOB]),
			},
		.via = (by_submitter && !s->proc) || lacks_key(by, s) ? s->via : NULL,
		.fs = by_has(by, BY_FS) && s->fs ? s->fs->dev : 0,
		.file = by_has(by, BY_FILE) && s->file ? s->file->key : (struct file_key){0},
		.disk = by_has(by, BY_DEVICE) && s->disk ? s->disk->pub.number : 0,
		.op = by_has(by, BY_OP) ? s->op : 0,
		.copy = t->copies_apart && s->copy,
	};
}

static struct row_slot *slot_new(const struct row_id *id)
{
	struct row_slot *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->id = *id;
	s->pub.subject.op = id->op;
	s->pub.copy = id->copy;
	hist_init(&s->pub.total);
	hist_init(&s->pub.queue);
	hist_init(&s->pub.device);
	hist_init(&s->pub.size);
	return s;
}

static void name_process(struct row_slot *s, struct proc *p)
{
	if (!s->id.process)
		return;
	proc_ref(p);
	s->proc = p;
	s->pub.subject.process = &p->pub;
}

static void name_thread(struct row_slot *s, struct proc_thread *th)
{
	if (!s->id.thread)
		return;
	proc_thread_ref(th);
	s->thread = th;
	s->pub.subject.thread = &th->pub;
}

static void name_worker(struct row_slot *s, struct known_worker *w)
{
	if (!s->id.worker)
		return;
	worker_ref(w);
	s->worker = w;
	s->pub.subject.worker = &w->pub;
}

static void name_cgroup(struct row_slot *s, struct known_cgroup *c)
{
	if (!s->id.cgroup)
		return;
	c->refs++;
	s->cgroup = c;
	s->pub.subject.cgroup = &c->pub;
}

static void name_places(struct row_slot *s, struct known_place *const places[PLACE_KINDS])
{
	struct row_subject *subject = &s->pub.subject;

	for (int kind = 0; kind < PLACE_KINDS; kind++) {
		if (!s->id.places[kind])
			continue;
		place_ref(places[kind]);
		s->places[kind] = places[kind];
	}
	subject->container =
		s->places[PLACE_CONTAINER] ? &s->places[PLACE_CONTAINER]->container : NULL;
	subject->pod = s->places[PLACE_POD] ? &s->places[PLACE_POD]->pod : NULL;
	subject->job = s->places[PLACE_JOB] ? &s->places[PLACE_JOB]->job : NULL;
}

static void name_disk(struct row_slot *s, struct known_disk *d)
{
	if (!s->id.disk)
		return;
	d->refs++;
	s->disk = d;
	s->pub.subject.disk = &d->pub;
}

static void name_file(struct row_slot *s, struct known_file *f)
{
	if (!s->id.file.inode)
		return;
	known_file_ref(f);
	s->file = f;
	s->pub.subject.file = &f->pub;
}

static void name_fs(struct row_slot *s, struct known_fs *fs)
{
	if (!s->id.fs)
		return;
	known_fs_ref(fs);
	s->fs = fs;
	s->pub.subject.fs = &fs->pub;
}

static void name_all(struct row_slot *s, const struct row_subjects *from)
{
	name_process(s, from->proc);
	name_thread(s, from->thread);
	name_worker(s, from->worker);
	name_cgroup(s, from->cgroup);
	name_places(s, from->places);
	name_disk(s, from->disk);
	name_file(s, from->file);
	name_fs(s, from->fs);
}

static struct row_slot *put(struct rows *t, struct row_slot *s)
{
	if (s && map_put(&t->map, &s->id, s)) {
		row_free(s);
		return NULL;
	}
	return s;
}

static struct row_slot *make(struct rows *t, const struct row_id *id, const struct row_subjects *s)
{
	struct row_slot *slot = put(t, slot_new(id));

	if (!slot)
		return NULL;
	name_all(slot, s);
	if (by_has(t->by, BY_HOST))
		slot->pub.subject.host = t->host;
	return slot;
}

static struct row_slot *make_other(const struct by *by, bool copy)
{
	struct row_id id = other_id(by, copy);

	return slot_new(&id);
}

struct row_slot *row_other(const struct by *by)
{
	return make_other(by, false);
}

static struct row_slot *get_other(struct rows *t, bool copy)
{
	struct row_slot *s = find_other(t, copy);

	return s ? s : put(t, make_other(t->by, copy));
}

struct row_slot *rows_get_other(struct rows *t)
{
	return get_other(t, false);
}

static void note_via(struct row_slot *s, const char *via)
{
	if (s->via_known && s->via != via)
		s->via_mixed = true;
	s->via = via;
	s->via_known = true;
}

static void note_container(struct row_slot *s, struct known_place *container)
{
	if (s->container_known && s->container != container)
		s->container_mixed = true;
	place_ref(container);
	place_unref(s->container);
	s->container = container;
	s->container_known = true;
}

static struct row_slot *find_or_make(struct rows *t, const struct row_subjects *s)
{
	struct row_id id = id_of(t, s);
	struct row_slot *slot = rows_find(t, &id);

	if (slot)
		return slot;
	return rows_full(t) ? get_other(t, id.copy) : make(t, &id, s);
}

struct row_slot *rows_get(struct rows *t, const struct row_subjects *s)
{
	struct row_slot *slot = find_or_make(t, s);

	if (!slot)
		return NULL;
	note_via(slot, s->via);
	note_container(slot, s->places[PLACE_CONTAINER]);
	return slot;
}

static int sum_up(struct row_slot *into, struct row_slot *s, struct row_slot **left)
{
	s->next = *left;
	*left = s;
	return into ? row_merge(into, s) : -ENOMEM;
}

int rows_move(struct rows *to, struct row_slot *s, struct row_slot **left)
{
	struct row_slot *there = rows_find(to, &s->id);

	if (there)
		return sum_up(there, s, left);
	if (row_is_other(s) || rows_full(to)) /* the one moved stays what it was */
		return sum_up(rows_get_other(to), s, left);
	if (map_put(&to->map, &s->id, s))
		return sum_up(NULL, s, left);
	return 0;
}

static struct row_subjects subjects_of(const struct row_slot *s)
{
	struct row_subjects is = {
		.proc = s->proc,
		.thread = s->thread,
		.worker = s->worker,
		.cgroup = s->cgroup,
		.disk = s->disk,
		.file = s->file,
		.fs = s->fs,
		.via = s->id.via,
		.aggregated = s->id.via && (s->proc || !strcmp(s->id.via, aggregated_via)),
		.copy = s->id.copy,
		.op = s->id.op,
	};

	memcpy(is.places, s->places, sizeof(is.places));
	return is;
}

int rows_fold(struct rows *to, const struct row_slot *s)
{
	struct row_subjects is = subjects_of(s);
	struct row_slot *into;

	if (s->id.copy && !by_has(to->by, BY_DEVICE))
		return 0;
	into = row_is_other(s) ? rows_get_other(to) : find_or_make(to, &is);
	return into ? row_merge(into, s) : -ENOMEM;
}

struct row_slot *row_copy(const struct row_slot *s)
{
	struct row_slot *copy = slot_new(&s->id);
	struct row_subjects same = subjects_of(s);

	if (!copy)
		return NULL;
	name_all(copy, &same);
	if (row_merge(copy, s)) {
		row_free(copy);
		return NULL;
	}
	return copy;
}
