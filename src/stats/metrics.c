// SPDX-License-Identifier: GPL-2.0
/*
 * Two sets of counters, for I/O and for tasks, found by their labels' text. A take first finds a place for each
 * row, then makes room, then adds up: what gets none of its own goes into `other` from that moment
 * on, so that no I/O is ever counted twice or under two names.
 */
#include "stats/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_TEXT 4096

const char *metric_label_name(enum metric_label label)
{
	static const char *const names[LABEL_MAX] = {
#define X(NAME, name) [LABEL_##NAME] = name,
		METRIC_LABELS(X)
#undef X
	};

	return names[label];
}

/* --- labels ----------------------------------------------------------------------- */

/* Labels in the making. What is too long is cut. */
struct labels {
	char text[LABELS_TEXT];
	size_t len;
	const char *value[LABEL_MAX];
	char numbers[LABEL_MAX][24];
};

static void put_number(struct labels *l, enum metric_label label, uint64_t n)
{
	snprintf(l->numbers[label], sizeof(l->numbers[label]), "%llu", (unsigned long long)n);
	l->value[label] = l->numbers[label];
}

static void put_places(struct labels *l, const struct container *c, const struct pod *p,
		       const struct job *j)
{
	if (c)
		l->value[LABEL_CONTAINER] = c->name ? c->name : c->label;
	if (p) {
		l->value[LABEL_NAMESPACE] = p->space;
		l->value[LABEL_POD] = p->name ? p->name : p->uid;
	}
	if (j)
		l->value[LABEL_JOB] = j->id;
}

static void put_worker(struct labels *l, const struct worker *w)
{
	if (!w)
		return;
	put_number(l, LABEL_WORKER, w->index);
	if (w->rank_known)
		put_number(l, LABEL_RANK, w->rank);
}

static void put_subject(struct labels *l, const struct row_subject *s)
{
	put_places(l, s->container, s->pod, s->job);
	if (s->cgroup)
		l->value[LABEL_CGROUP] = s->cgroup->path;
	if (s->process) {
		put_number(l, LABEL_PID, s->process->pid);
		l->value[LABEL_COMM] = s->process->comm;
	}
	if (s->thread)
		put_number(l, LABEL_TID, s->thread->tid);
	put_worker(l, s->worker);
	if (s->disk)
		l->value[LABEL_DEVICE] = s->disk->name;
}

static void join(struct labels *l)
{
	l->len = 0;
	for (int i = 0; i < LABEL_MAX; i++) {
		const char *v = l->value[i] ? l->value[i] : "";
		size_t left = sizeof(l->text) - l->len - (size_t)(LABEL_MAX - i);
		size_t len = strnlen(v, left);

		memcpy(l->text + l->len, v, len);
		l->text[l->len + len] = '\0';
		l->len += len + 1;
	}
}

static const char *op_name(enum iolat_op op)
{
	static const char *const names[IOLAT_OP_MAX] = {
		[IOLAT_OP_READ] = "read",   [IOLAT_OP_WRITE] = "write",
		[IOLAT_OP_FLUSH] = "flush", [IOLAT_OP_DISCARD] = "discard",
		[IOLAT_OP_OTHER] = "other",
	};

	return names[op];
}

/* --- sets ------------------------------------------------------------------------- */

static void set_init(struct metric_set *set, size_t max)
{
	*set = (struct metric_set){.max = max ? max : 1};
	map_init(&set->by_hash, sizeof(uint64_t));
}

static void metric_free(struct metric *x)
{
	if (!x)
		return;
	hist_free(&x->latency);
	hist_free(&x->queue);
	free(x);
}

static void set_free(struct metric_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		metric_free(set->list[i]);
	metric_free(set->other);
	free(set->list);
	map_free(&set->by_hash);
}

static struct metric *metric_new(const struct labels *l)
{
	struct metric *x = calloc(1, sizeof(*x) + l->len);
	const char *at;

	if (!x)
		return NULL;
	memcpy(x->text, l->text, l->len);
	x->len = l->len;
	x->hash = map_hash(l->text, l->len);
	at = x->text;
	for (int i = 0; i < LABEL_MAX; i++) {
		x->label[i] = at;
		at += strlen(at) + 1;
	}
	hist_init(&x->latency);
	hist_init(&x->queue);
	return x;
}

static int set_add(struct metric_set *set, struct metric *x)
{
	struct metric **list;
	size_t room = set->room ? 2 * set->room : 64;

	if (set->n == set->room) {
		list = realloc(set->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		set->list = list;
		set->room = room;
	}
	x->next = map_get(&set->by_hash, &x->hash);
	if (map_put(&set->by_hash, &x->hash, x))
		return -ENOMEM;
	set->list[set->n++] = x;
	return 0;
}

/* The one of these labels, made when it is new; NULL: out of memory. */
static struct metric *set_get(struct metric_set *set, struct labels *l)
{
	struct metric *x;
	uint64_t hash;

	join(l);
	hash = map_hash(l->text, l->len);
	for (x = map_get(&set->by_hash, &hash); x; x = x->next)
		if (x->len == l->len && !memcmp(x->text, l->text, l->len))
			return x;
	x = metric_new(l);
	if (x && set_add(set, x)) {
		metric_free(x);
		return NULL;
	}
	return x;
}

static void unlink_hash(struct metric_set *set, struct metric *x)
{
	struct metric *at = map_get(&set->by_hash, &x->hash);

	if (at == x && !x->next) {
		map_del(&set->by_hash, &x->hash);
	} else if (at == x) {
		map_put(&set->by_hash, &x->hash, x->next); /* replaces: needs no memory */
	} else {
		while (at->next != x)
			at = at->next;
		at->next = x->next;
	}
}

/* Takes out of the list what `ends` says; frees it. */
static size_t set_sweep(struct metric_set *set, bool (*ends)(const struct metric *x, const void *ctx),
			const void *ctx)
{
	size_t n = 0, was = set->n;

	for (size_t i = 0; i < was; i++) {
		struct metric *x = set->list[i];

		if (!ends(x, ctx)) {
			set->list[n++] = x;
			continue;
		}
		unlink_hash(set, x);
		metric_free(x);
	}
	set->n = n;
	return was - n;
}

/* --- room ------------------------------------------------------------------------- */

static int least_active_last(const void *a, const void *b)
{
	const struct metric *x = *(struct metric *const *)a, *y = *(struct metric *const *)b;

	return (x->activity < y->activity) - (x->activity > y->activity);
}

static int get_other(const struct metrics *m, struct metric_set *set)
{
	struct labels l = {.len = 0};

	if (set->other)
		return 0;
	l.value[LABEL_CONTAINER] = "other";
	if (set == &m->io)
		l.value[LABEL_DEVICE] = l.value[LABEL_OP] = "other";
	join(&l);
	set->other = metric_new(&l);
	return set->other ? 0 : -ENOMEM;
}

/* Those behind the place `max` in the order of their activity go. Their places in `to` become `other`. */
static int make_room(struct metrics *m, struct metric_set *set, struct metric **to, size_t n_to)
{
	size_t kept = set->n < set->max ? set->n : set->max;

	if (set->n <= set->max)
		return 0;
	if (get_other(m, set))
		return -ENOMEM;
	qsort(set->list, set->n, sizeof(*set->list), least_active_last);
	for (size_t i = kept; i < set->n; i++)
		set->list[i]->activity = -1;
	for (size_t i = 0; i < n_to; i++)
		if (to[i] && to[i]->activity < 0)
			to[i] = set->other;
	for (size_t i = kept; i < set->n; i++) {
		unlink_hash(set, set->list[i]);
		metric_free(set->list[i]);
		m->ended++;
	}
	set->n = kept;
	return 0;
}

static void begin_take(struct metric_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		set->list[i]->activity *= 0.75;
		set->list[i]->in_flight = set->list[i]->oldest_ns = 0;
	}
	if (set->other)
		set->other->in_flight = set->other->oldest_ns = 0;
}

/* One that is there already keeps its place against a newcomer of the same activity. */
static void touch(struct metric *x, double activity, uint64_t now_ns)
{
	x->activity += x->active_ns ? activity : activity / 2;
	if (activity > 0)
		x->active_ns = now_ns;
}

/* --- I/O -------------------------------------------------------------------------- */

static struct metric *io_metric(struct metric_set *set, const struct row_subject *s, bool by_op)
{
	struct labels l = {.len = 0};

	put_subject(&l, s);
	if (by_op)
		l.value[LABEL_OP] = op_name(s->op);
	return set_get(set, &l);
}

/* The row of what found no room in the kernel or in the table of rows; it has no disk of its own. */
static bool is_rest(const struct row *r)
{
	return r->via && !strcmp(r->via, "other");
}

static int add_row(struct metric *x, const struct row *r)
{
	int err = hist_merge(&x->latency, &r->total);

	x->ios += r->ios;
	x->bytes += r->bytes;
	x->errors += r->errors;
	return err ?: hist_merge(&x->queue, &r->queue);
}

static void add_flying(struct metric *x, const struct stuck *k)
{
	x->in_flight += !k->inferred;
	if (k->age_ns > x->oldest_ns)
		x->oldest_ns = k->age_ns;
}

static int find_io(struct metrics *m, const struct snapshot *s, uint64_t now_ns, struct metric **to)
{
	bool by_op = by_has(s->by, BY_OP);

	for (size_t i = 0; i < s->n_rows; i++) {
		const struct row *r = s->rows[i];

		to[i] = is_rest(r) ? NULL : io_metric(&m->io, &r->subject, by_op);
		if (!to[i] && !is_rest(r))
			return -ENOMEM;
		if (to[i])
			touch(to[i], (double)r->total.sum + (double)r->ios, now_ns);
	}
	for (size_t i = 0; i < s->n_flying; i++) {
		to[s->n_rows + i] = io_metric(&m->io, &s->stuck[i].subject, by_op);
		if (!to[s->n_rows + i])
			return -ENOMEM;
		touch(to[s->n_rows + i], (double)s->stuck[i].age_ns + 1, now_ns);
	}
	return 0;
}

static int take_io(struct metrics *m, const struct snapshot *s, uint64_t now_ns)
{
	size_t n = s->n_rows + s->n_flying;
	struct metric **to = calloc(n + 1, sizeof(*to));
	int err = to ? find_io(m, s, now_ns, to) : -ENOMEM;

	if (!err)
		err = make_room(m, &m->io, to, n);
	for (size_t i = 0; !err && i < s->n_rows; i++) {
		if (!to[i] && !get_other(m, &m->io))
			to[i] = m->io.other;
		err = to[i] ? add_row(to[i], s->rows[i]) : -ENOMEM;
	}
	for (size_t i = s->n_rows; !err && i < n; i++)
		add_flying(to[i], &s->stuck[i - s->n_rows]);
	free(to);
	return err;
}

/* --- tasks ------------------------------------------------------------------------ */

/* Labels of a task: its places and, if it is one, which worker it is. */
static struct metric *task_metric(struct metric_set *set, const struct task *t)
{
	struct labels l = {.len = 0};

	put_places(&l, t->subject.container, t->subject.pod, t->subject.job);
	put_worker(&l, t->subject.worker);
	return set_get(set, &l);
}

static int find_tasks(struct metrics *m, const struct snapshot *s, uint64_t now_ns,
		      struct metric **to)
{
	for (size_t i = 0; i < s->n_tasks; i++) {
		if (!s->tasks[i].blocked_ns)
			continue;
		to[i] = task_metric(&m->tasks, &s->tasks[i]);
		if (!to[i])
			return -ENOMEM;
		touch(to[i], (double)s->tasks[i].blocked_ns, now_ns);
	}
	return 0;
}

static int take_tasks(struct metrics *m, const struct snapshot *s, uint64_t now_ns)
{
	struct metric **to = calloc(s->n_tasks + 1, sizeof(*to));
	int err = to ? find_tasks(m, s, now_ns, to) : -ENOMEM;

	if (!err)
		err = make_room(m, &m->tasks, to, s->n_tasks);
	for (size_t i = 0; !err && i < s->n_tasks; i++)
		for (int reason = 0; to[i] && reason < REASON_MAX; reason++)
			to[i]->reasons[reason] += s->tasks[i].reasons[reason];
	free(to);
	return err;
}

/* --- the whole -------------------------------------------------------------------- */

int metrics_init(struct metrics *m, size_t max_series)
{
	*m = (struct metrics){.max_series = max_series};
	/* What is not of a set of labels takes a hundred series; tasks get one set for each of I/O. */
	set_init(&m->io, max_series / (METRIC_IO_SERIES + REASON_MAX));
	set_init(&m->tasks, max_series / (METRIC_IO_SERIES + REASON_MAX));
	while (finding_code_at(m->n_codes))
		m->n_codes++;
	m->found_ns = calloc(m->n_codes, sizeof(*m->found_ns));
	return m->found_ns ? 0 : -ENOMEM;
}

void metrics_free(struct metrics *m)
{
	set_free(&m->io);
	set_free(&m->tasks);
	free(m->found_ns);
}

static void take_findings(struct metrics *m, const struct snapshot *s, uint64_t now_ns)
{
	m->n_findings = s->n_findings < FINDINGS_MAX ? s->n_findings : FINDINGS_MAX;
	for (size_t i = 0; i < m->n_findings; i++) {
		m->findings[i] = s->findings[i];
		for (size_t code = 0; code < m->n_codes; code++)
			if (!strcmp(finding_code_at(code), s->findings[i].code))
				m->found_ns[code] = now_ns;
	}
}

static void take_coverage(struct metrics *m, const struct coverage *c)
{
	m->requests += c->requests;
	m->lost += c->lost;
	m->aggregated += c->aggregated;
	m->unmatched += c->unmatched;
	m->unowned += c->unowned;
}

int metrics_take(struct metrics *m, const struct snapshot *s, uint64_t now_ns)
{
	int err;

	begin_take(&m->io);
	begin_take(&m->tasks);
	m->waits = s->waits;
	m->flying_known = s->stuck_known;
	m->hooks = s->hooks;
	m->n_hooks = s->n_hooks;
	take_coverage(m, &s->coverage);
	take_findings(m, s, now_ns);
	err = take_io(m, s, now_ns);
	return err ?: take_tasks(m, s, now_ns);
}

/* --- what is gone ----------------------------------------------------------------- */

static bool same_places(const struct metric *x, const struct labels *l)
{
	static const enum metric_label places[] = {LABEL_NAMESPACE, LABEL_POD, LABEL_CONTAINER,
						   LABEL_JOB};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *v = l->value[places[i]];

		if (strcmp(x->label[places[i]], v ? v : ""))
			return false;
	}
	return true;
}

static void mark(struct metric_set *set, const struct labels *l)
{
	for (size_t i = 0; i < set->n; i++)
		if (!set->list[i]->alive && same_places(set->list[i], l))
			set->list[i]->alive = true;
}

void metrics_living(struct metrics *m, const struct container *c, const struct pod *p,
		    const struct job *j)
{
	struct labels l = {.len = 0};

	put_places(&l, c, p, j);
	mark(&m->io, &l);
	mark(&m->tasks, &l);
}

struct expiry {
	uint64_t before_ns;
	bool (*device_there)(const char *name);
};

static bool has_place(const struct metric *x)
{
	return x->label[LABEL_CONTAINER][0] || x->label[LABEL_POD][0] || x->label[LABEL_JOB][0];
}

static bool is_over(const struct metric *x, const void *ctx)
{
	const struct expiry *e = ctx;

	if (x->active_ns > e->before_ns || x->in_flight)
		return false;
	if (has_place(x) && !x->alive)
		return true;
	return x->label[LABEL_DEVICE][0] && !e->device_there(x->label[LABEL_DEVICE]);
}

static void expire(struct metric_set *set, const struct expiry *e)
{
	set_sweep(set, is_over, e);
	for (size_t i = 0; i < set->n; i++)
		set->list[i]->alive = false;
}

void metrics_expire(struct metrics *m, uint64_t now_ns, uint64_t idle_ns,
		    bool (*device_there)(const char *name))
{
	const struct expiry e = {now_ns > idle_ns ? now_ns - idle_ns : 0, device_there};

	expire(&m->io, &e);
	expire(&m->tasks, &e);
}
