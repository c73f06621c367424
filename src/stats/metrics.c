// SPDX-License-Identifier: GPL-2.0
/*
 * Two sets of counters, for I/O and for tasks. A take first finds a place for each row, then makes room, then adds up:
 * what gets none of its own goes into `other` from that moment on, so that no I/O is ever counted twice or under two
 * names.
 */
#include "stats/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- labels ----------------------------------------------------------------------- */

static void put_places(struct metric_labels *l, const struct container *c, const struct pod *p,
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

static void put_worker(struct metric_labels *l, const struct worker *w)
{
	if (!w)
		return;
	metric_labels_number(l, LABEL_WORKER, w->index);
	if (w->rank_known)
		metric_labels_number(l, LABEL_RANK, w->rank);
}

/* What rows are by, and no more: of what is in flight everything is known. */
static void put_subject(struct metric_labels *l, const struct row_subject *s, const struct by *by)
{
	put_places(l, by_has(by, BY_CONTAINER) ? s->container : NULL, by_has(by, BY_POD) ? s->pod : NULL,
		   by_has(by, BY_JOB) ? s->job : NULL);
	if (s->cgroup && by_has(by, BY_CGROUP))
		l->value[LABEL_CGROUP] = s->cgroup->path;
	if (s->process && by_has(by, BY_PROCESS)) {
		metric_labels_number(l, LABEL_PID, s->process->pid);
		l->value[LABEL_COMM] = s->process->comm;
	}
	if (s->thread && by_has(by, BY_THREAD))
		metric_labels_number(l, LABEL_TID, s->thread->tid);
	put_worker(l, by_has(by, BY_WORKER) ? s->worker : NULL);
	if (s->disk && by_has(by, BY_DEVICE))
		l->value[LABEL_DEVICE] = s->disk->name;
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

/* --- I/O -------------------------------------------------------------------------- */

static struct metric *io_metric(struct metric_set *set, const struct row_subject *s, const struct by *by)
{
	struct metric_labels l = {.len = 0};

	put_subject(&l, s, by);
	if (by_has(by, BY_OP))
		l.value[LABEL_OP] = op_name(s->op);
	return metric_set_get(set, &l);
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

static int make_other(struct metrics *m, struct metric_set *set)
{
	struct metric_labels l = {.value[LABEL_CONTAINER] = "other"};

	if (set == &m->io)
		l.value[LABEL_DEVICE] = l.value[LABEL_OP] = "other";
	return metric_set_other(set, &l);
}

static int make_room(struct metrics *m, struct metric_set *set, struct metric **to, size_t n_to)
{
	int err = set->n > set->max ? make_other(m, set) : 0;

	if (!err)
		m->ended += metric_set_make_room(set, to, n_to);
	return err;
}

static int find_io(struct metrics *m, const struct snapshot *s, uint64_t now_ns, struct metric **to)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct row *r = s->rows[i];

		to[i] = is_rest(r) ? NULL : io_metric(&m->io, &r->subject, s->by);
		if (!to[i] && !is_rest(r))
			return -ENOMEM;
		if (to[i])
			metric_touch(to[i], (double)r->total.sum + (double)r->ios, now_ns);
	}
	for (size_t i = 0; i < s->n_flying; i++) {
		to[s->n_rows + i] = io_metric(&m->io, &s->stuck[i].subject, s->by);
		if (!to[s->n_rows + i])
			return -ENOMEM;
		metric_touch(to[s->n_rows + i], (double)s->stuck[i].age_ns + 1, now_ns);
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
		if (!to[i] && !make_other(m, &m->io))
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
	struct metric_labels l = {.len = 0};

	put_places(&l, t->subject.container, t->subject.pod, t->subject.job);
	put_worker(&l, t->subject.worker);
	return metric_set_get(set, &l);
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
		metric_touch(to[i], (double)s->tasks[i].blocked_ns, now_ns);
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

/* --- GPUs ------------------------------------------------------------------------- */

static struct metric_gpu *get_gpu(struct metrics *m, uint32_t number)
{
	struct metric_gpu *gpus;

	for (size_t i = 0; i < m->n_gpus; i++)
		if (m->gpus[i].number == number)
			return &m->gpus[i];
	gpus = realloc(m->gpus, (m->n_gpus + 1) * sizeof(*gpus));
	if (!gpus)
		return NULL;
	m->gpus = gpus;
	gpus[m->n_gpus] = (struct metric_gpu){.number = number};
	return &gpus[m->n_gpus++];
}

static int take_gpu(struct metrics *m, const struct gpu *from)
{
	struct metric_gpu *g = get_gpu(m, from->number);

	if (!g)
		return -ENOMEM;
	if (from->sampled) {
		g->busy_known = from->busy_known;
		g->busy_pct = (uint64_t)(from->busy_pct + 0.5);
	}
	g->memory_used = from->memory_used;
	g->memory_total = from->memory_total;
	g->compared_ns += from->compared_ns;
	g->idle_ns += from->idle_ns;
	g->starved_ns += from->starved_ns;
	return 0;
}

static int take_gpus(struct metrics *m, const struct snapshot *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->n_gpus; i++)
		err = take_gpu(m, &s->gpus[i]);
	return err;
}

/* --- the whole -------------------------------------------------------------------- */

/* What is not of a set of labels takes a hundred series; tasks get one set for each of I/O. One of each is `other`. */
static size_t sets_within(size_t max_series)
{
	size_t n = max_series / (METRIC_IO_SERIES + REASON_MAX);

	return n > 1 ? n - 1 : n;
}

int metrics_init(struct metrics *m, size_t max_series)
{
	*m = (struct metrics){.max_series = max_series};
	metric_set_init(&m->io, sets_within(max_series));
	metric_set_init(&m->tasks, sets_within(max_series));
	while (finding_code_at(m->n_codes))
		m->n_codes++;
	m->found_ns = calloc(m->n_codes, sizeof(*m->found_ns));
	return m->found_ns ? 0 : -ENOMEM;
}

void metrics_free(struct metrics *m)
{
	metric_set_free(&m->io);
	metric_set_free(&m->tasks);
	free(m->found_ns);
	free(m->gpus);
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
	m->requests += c->tally.requests;
	m->lost += c->tally.lost;
	m->aggregated += c->tally.aggregated;
	m->unmatched += c->tally.unmatched;
	m->unowned += c->tally.unowned;
}

int metrics_take(struct metrics *m, const struct snapshot *s, uint64_t now_ns)
{
	int err;

	metric_set_begin(&m->io);
	metric_set_begin(&m->tasks);
	m->waits = s->waits;
	m->flying_known = s->stuck_known;
	m->hooks = s->hooks;
	m->n_hooks = s->n_hooks;
	take_coverage(m, &s->coverage);
	take_findings(m, s, now_ns);
	err = take_io(m, s, now_ns);
	return err ?: take_tasks(m, s, now_ns) ?: take_gpus(m, s);
}

/* --- what is gone ----------------------------------------------------------------- */

static bool same_places(const struct metric *x, const struct metric_labels *l)
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

static void mark(struct metric_set *set, const struct metric_labels *l)
{
	for (size_t i = 0; i < set->n; i++)
		if (!set->list[i]->alive && same_places(set->list[i], l))
			set->list[i]->alive = true;
}

void metrics_living(struct metrics *m, const struct container *c, const struct pod *p,
		    const struct job *j)
{
	struct metric_labels l = {.len = 0};

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
	metric_set_sweep(set, is_over, e);
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
