// SPDX-License-Identifier: GPL-2.0
/* Copies frames item by item; what has not been in one for a minute is forgotten. */
#include "screen/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/units.h"
#include "render/columns.h"
#include "render/frame.h"
#include "render/table_coverage.h"

#define SECOND_NS 1000000000.0
#define EARLY_NS  50000000.0 /* a frame may come that much too early for its second */

struct item_key {
	struct identity id;
	uint64_t kind; /* bit 0: a task, bit 1: a copy */
};

/* --- sums ------------------------------------------------------------------------- */

void sum_init(struct row *sum)
{
	*sum = (struct row){.ios = 0};
	hist_init(&sum->total);
	hist_init(&sum->queue);
	hist_init(&sum->device);
	hist_init(&sum->size);
}

void sum_free(struct row *sum)
{
	hist_free(&sum->total);
	hist_free(&sum->queue);
	hist_free(&sum->device);
	hist_free(&sum->size);
	sum_init(sum);
}

int sum_add(struct row *sum, const struct row *row)
{
	sum->ios += row->ios;
	sum->bytes += row->bytes;
	sum->errors += row->errors;
	sum->requeues += row->requeues;
	sum->merged += row->merged;
	return hist_merge(&sum->total, &row->total) ?: hist_merge(&sum->queue, &row->queue) ?:
	       hist_merge(&sum->device, &row->device) ?: hist_merge(&sum->size, &row->size);
}

/* --- items ------------------------------------------------------------------------ */

static void item_free(struct item *item)
{
	sum_free(&item->now);
	sum_free(&item->all);
	free(item->texts);
	free(item);
}

static void count_item(struct memory *m, const struct item *item, int n)
{
	if (item->id.of[BY_FILE])
		m->files += (size_t)n;
	if (item->task)
		m->tasks += (size_t)n;
}

static struct item *item_new(struct memory *m, const struct item_key *key)
{
	struct item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->id = key->id;
	item->task = key->kind & 1;
	item->copy = key->kind & 2;
	item->second = m->second;
	sum_init(&item->now);
	sum_init(&item->all);
	if (!map_put(&m->items, key, item)) {
		count_item(m, item, 1);
		return item;
	}
	item_free(item);
	return NULL;
}

static int name(struct item *item, const struct row *row, unsigned int keys)
{
	char *texts = identity_texts(row, keys), *at = texts;

	if (!texts)
		return -ENOMEM;
	free(item->texts);
	item->texts = texts;
	for (int key = 0; key < BY_MAX; key++) {
		item->text[key] = at;
		at += strlen(at) + 1;
	}
	return 0;
}

static bool has_room(const struct memory *m, const struct item_key *key)
{
	return m->items.count < MEMORY_ITEMS && (!(key->kind & 1) || m->tasks < MEMORY_TASKS);
}

/* The item of the row's subject, begun for this frame. 0 with *out NULL: there is no room. */
static int begin_item(struct memory *m, const struct row *row, const struct item_key *key,
		      unsigned int keys, struct item **out)
{
	struct item *item = map_get(&m->items, key);

	*out = NULL;
	if (!item && !has_room(m, key)) {
		m->left_out++;
		return 0;
	}
	item = item ?: item_new(m, key);
	if (!item)
		return -ENOMEM;
	if (item->frame != m->frame)
		sum_free(&item->now);
	item->frame = m->frame;
	*out = item;
	return name(item, row, keys);
}

static void forget_old(struct memory *m)
{
	struct item *item;
	const void *key;

	for (size_t i = 0; (item = map_next(&m->items, &i, &key));) {
		if (m->second - item->second < MEMORY_SECONDS)
			continue;
		count_item(m, item, -1);
		map_del(&m->items, key);
		item_free(item);
	}
}

const struct item *memory_next(const struct memory *m, size_t *i)
{
	return map_next(&m->items, i, NULL);
}

bool memory_fresh(const struct memory *m, const struct item *item)
{
	return item->frame == m->frame;
}

/* --- seconds ---------------------------------------------------------------------- */

/* How many seconds the frame begins, and how many of those (or the one that is open) it filled. */
struct span {
	uint64_t begun, filled;
};

static struct span span_of(struct memory *m, const struct snapshot *s)
{
	double since = m->frame ? (double)s->end_wall_ns - (double)m->second_wall_ns : SECOND_NS;
	double filled = ((double)s->duration_ns + EARLY_NS) / SECOND_NS;
	struct span span = {0, 1};

	if (since + EARLY_NS >= SECOND_NS)
		span.begun = (uint64_t)((since + EARLY_NS) / SECOND_NS);
	if (filled > 1)
		span.filled = (uint64_t)filled;
	if (span.filled > span.begun)
		span.filled = span.begun ?: 1;
	if (span.begun || !m->frame)
		m->second_wall_ns = s->end_wall_ns;
	m->second += span.begun;
	return span;
}

static struct moment *moment_at(struct item *item, uint64_t second)
{
	return &item->minute[second % MEMORY_SECONDS];
}

static void reach(struct item *item, uint64_t second)
{
	if (second - item->second > MEMORY_SECONDS)
		item->second = second - MEMORY_SECONDS;
	while (item->second < second)
		*moment_at(item, ++item->second) = (struct moment){.ios = 0};
}

/* Adds to the seconds of the frame; each gets its part. */
static void add_moment(const struct memory *m, struct item *item, struct span span,
		       const struct moment *of)
{
	uint64_t n = span.filled < MEMORY_SECONDS ? span.filled : MEMORY_SECONDS;

	reach(item, m->second);
	for (uint64_t i = 0; i < n; i++) {
		struct moment *to = moment_at(item, m->second - i);

		to->ios += of->ios / (double)span.filled;
		to->bytes += of->bytes / (double)span.filled;
		to->blocked_ns += of->blocked_ns / (double)span.filled;
		if (of->p99_ns > to->p99_ns)
			to->p99_ns = of->p99_ns;
	}
}

const struct moment *memory_moment(const struct memory *m, const struct item *item, size_t i)
{
	uint64_t back = MEMORY_SECONDS - 1 - i, behind = m->second - item->second;

	if (back < behind || m->second < back)
		return NULL;
	return &item->minute[(m->second - back) % MEMORY_SECONDS];
}

/* --- a frame ---------------------------------------------------------------------- */

static int take_row(struct memory *m, const struct row *row, struct span span)
{
	unsigned int told = m->by.mask;
	struct item_key key = {
		.id = identity_of(&row->subject, row->via, told),
		.kind = row->copy ? 2 : 0,
	};
	struct moment moment = {
		.ios = (double)row->ios,
		.bytes = (double)row->bytes,
		.p99_ns = hist_percentile(&row->total, 0.99),
	};
	struct item *item;
	int err;

	if (m->files >= MEMORY_FILES && !map_get(&m->items, &key)) {
		told &= ~(1u << BY_FILE);
		key.id.of[BY_FILE] = 0;
	}
	err = begin_item(m, row, &key, told, &item);
	if (!err && !row->copy)
		err = sum_add(&m->total, row);
	if (err || !item)
		return err;
	add_moment(m, item, span, &moment);
	return sum_add(&item->now, row) ?: sum_add(&item->all, row);
}

static int take_task(struct memory *m, const struct task *t, struct span span)
{
	const struct row as_row = {.subject = t->subject};
	const struct item_key key = {
		.id = identity_of(&t->subject, NULL, MEMORY_TASK_KEYS),
		.kind = 1,
	};
	const struct moment moment = {.blocked_ns = (double)t->blocked_ns};
	struct item *item;
	int err = begin_item(m, &as_row, &key, MEMORY_TASK_KEYS, &item);

	if (err || !item)
		return err;
	item->times = *t;
	item->times.subject = (struct row_subject){.op = 0};
	add_moment(m, item, span, &moment);
	return 0;
}

/* Of threads that never wait, a process may have many. */
static bool is_of_interest(const struct task *t)
{
	return t->blocked_ns || t->subject.thread->tid == t->subject.process->pid;
}

static int take_items(struct memory *m, const struct snapshot *s, struct span span)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->n_rows; i++)
		err = take_row(m, s->rows[i], span);
	for (size_t i = 0; !err && i < s->n_tasks; i++)
		if (is_of_interest(&s->tasks[i]))
			err = take_task(m, &s->tasks[i], span);
	return err;
}

/* Files and texts live no longer than the frame. */
static void remember(struct remembered_finding *r, const struct finding *f)
{
	r->f = *f;
	r->f.n_files = 0;
	text_printable(r->f.text, sizeof(r->f.text), f->text);
	for (size_t i = 0; i < f->n_evidence; i++) {
		if (!f->evidence[i].text)
			continue;
		text_printable(r->texts[i], sizeof(r->texts[i]), f->evidence[i].text);
		r->f.evidence[i].text = r->texts[i];
	}
}

static int take_findings(struct memory *m, const struct snapshot *s)
{
	struct remembered_finding *list = calloc(s->n_findings + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_findings; i++)
		remember(&list[i], &s->findings[i]);
	free(m->findings);
	m->findings = list;
	m->n_findings = s->n_findings;
	return 0;
}

static void put_flight(FILE *out, const struct stuck *k)
{
	char age[UNITS_LEN], size[UNITS_LEN];

	fprintf(out, "%8s  %-14s  %-7s", fmt_duration(age, k->age_ns), stage_name(k->stage),
		column_op_name(k->subject.op));
	fprintf(out, "  %6s  ", k->inferred ? "-" : fmt_bytes(size, (double)k->bytes));
	column_print_text(out, k->subject.disk ? k->subject.disk->name : "-");
	if (k->subject.process)
		fprintf(out, "  pid %u ", k->subject.process->pid);
	else
		fputs("  ", out);
	column_print_text(out, k->subject.process ? k->subject.process->comm : k->via ? k->via : "-");
}

static int describe_flight(struct flight *flight, const struct stuck *k)
{
	AUTO_FREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	put_flight(out, k);
	if (fclose(out))
		return -ENOMEM;
	text_printable(flight->text, sizeof(flight->text), text);
	return 0;
}

static int take_flights(struct memory *m, const struct snapshot *s)
{
	int err = 0;

	m->n_flights = 0;
	for (size_t i = 0; !err && i < s->n_flying && m->n_flights < MEMORY_LINES; i++) {
		struct flight *flight = &m->flights[m->n_flights++];

		flight->id = identity_of(&s->stuck[i].subject, s->stuck[i].via, MEMORY_FLIGHT_KEYS);
		flight->stuck = i < s->n_stuck;
		err = describe_flight(flight, &s->stuck[i]);
	}
	return err;
}

/* The text that `print` makes, in one line. */
static int print_to(char *out, size_t size, void (*print)(FILE *out, const struct snapshot *s),
		    const struct snapshot *s)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *mem = open_memstream(&text, &len);

	if (!mem)
		return -ENOMEM;
	print(mem, s);
	if (fclose(mem))
		return -ENOMEM;
	text[strcspn(text, "\n")] = '\0';
	text_printable(out, size, text);
	return 0;
}

static void take_head(struct memory *m, const struct snapshot *s)
{
	m->head = *s;
	m->by = *s->by;
	m->head.by = &m->by;
	text_printable(m->host, sizeof(m->host), s->host ? s->host : "");
	m->left_out = 0;
	sum_free(&m->total);
}

int memory_frame(struct memory *m, const struct snapshot *s)
{
	struct span span = span_of(m, s);

	m->frame++;
	take_head(m, s);
	forget_old(m);
	return take_items(m, s, span) ?: take_findings(m, s) ?: take_flights(m, s) ?:
	       print_to(m->coverage, sizeof(m->coverage), table_coverage, s);
}

void memory_init(struct memory *m)
{
	*m = (struct memory){.frame = 0};
	map_init(&m->items, sizeof(struct item_key));
	sum_init(&m->total);
}

void memory_free(struct memory *m)
{
	struct item *item;

	for (size_t i = 0; (item = map_next(&m->items, &i, NULL));)
		item_free(item);
	map_free(&m->items);
	sum_free(&m->total);
	free(m->findings);
}
