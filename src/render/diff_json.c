// SPDX-License-Identifier: GPL-2.0
/* A comparison as one JSON object. */
#include "base/json.h"
#include "render/diff.h"

static void put_run(struct json *j, const struct diff_view *v, enum compare_side side)
{
	const struct snapshot *s = v->comparison->runs[side];
	char stamp[RFC3339_LEN];

	json_key(j, side == COMPARE_BEFORE ? "before" : "after");
	json_open(j, '{');
	json_kstr(j, "file", v->files[side]);
	json_kstr(j, "host", s->host);
	json_kstr(j, "kernel", s->kernel);
	json_kstr(j, "command", s->command);
	json_kstr(j, "start", s->start_wall_ns ? fmt_rfc3339(stamp, s->start_wall_ns) : NULL);
	json_kstr(j, "end", s->end_wall_ns ? fmt_rfc3339(stamp, s->end_wall_ns) : NULL);
	json_ku64(j, "duration_ns", s->duration_ns);
	json_ku64(j, "requests", s->coverage.tally.requests);
	json_ku64(j, "lost", s->coverage.tally.lost);
	json_close(j, '}');
}

static void put_side(struct json *j, const char *key, bool known, double v, int decimals)
{
	json_key(j, key);
	if (known)
		json_double(j, v, decimals);
	else
		json_null(j);
}

static void put_measure(struct json *j, const struct compare_group *g, enum compare_measure m)
{
	int decimals = m == COMPARE_BLOCKED ? 2 : 0;
	double v[COMPARE_SIDES] = {0};
	bool known[COMPARE_SIDES];

	for (int side = 0; side < COMPARE_SIDES; side++)
		known[side] = compare_value(&g->sums[side], m, &v[side]);
	json_key(j, compare_measure_name(m));
	json_open(j, '{');
	put_side(j, "before", known[0], v[0], decimals);
	put_side(j, "after", known[1], v[1], decimals);
	put_side(j, "ratio", known[0] && known[1] && v[0] > 0, v[0] > 0 ? v[1] / v[0] : 0, 4);
	json_kstr(j, "change", compare_change_name(compare_change(g, m)));
	json_close(j, '}');
}

static void put_measures(struct json *j, const struct compare_group *g, bool tasks)
{
	size_t n;
	const enum compare_measure *m = diff_measures(tasks, &n);

	for (size_t i = 0; i < n; i++)
		put_measure(j, g, m[i]);
}

static void put_group(struct json *j, const struct compare_list *l, const struct compare_group *g, bool tasks)
{
	json_open(j, '{');
	json_key(j, "key");
	json_open(j, '{');
	for (size_t i = 0; i < l->by.n; i++)
		json_kstr(j, row_key_name(l->by.keys[i]), g->names[l->by.keys[i]]);
	json_close(j, '}');
	put_measures(j, g, tasks);
	json_close(j, '}');
}

static void put_list(struct json *j, const char *key, const struct compare_list *l, bool tasks)
{
	json_key(j, key);
	json_open(j, '[');
	for (size_t i = 0; i < l->n; i++)
		put_group(j, l, &l->groups[i], tasks);
	json_close(j, ']');
}

int diff_json(FILE *out, const struct diff_view *v)
{
	const struct comparison *c = v->comparison;
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	json_kstr(&j, "schema", "iolat/1");
	json_kstr(&j, "type", "diff");
	json_kstr(&j, "iolat", IOLAT_VERSION);
	put_run(&j, v, COMPARE_BEFORE);
	put_run(&j, v, COMPARE_AFTER);
	json_key(&j, "all");
	json_open(&j, '{');
	put_measures(&j, &c->all, false);
	json_close(&j, '}');
	put_list(&j, "rows", &c->rows, false);
	if (c->tasks.by.mask) {
		put_list(&j, "tasks", &c->tasks, true);
	} else {
		json_key(&j, "tasks");
		json_null(&j);
	}
	json_close(&j, '}');
	json_end(&j);
	return 0;
}
