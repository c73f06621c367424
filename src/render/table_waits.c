// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks in columns of a fixed width, so that the workers of a loader stand side by side and frames under one another;
 * stuck requests and findings as lines. Texts from elsewhere are cleaned on their way out.
 */
#include "render/table_waits.h"

#include <inttypes.h>

#include "base/units.h"
#include "render/columns.h"
#include "render/frame.h"

/* --- tasks ------------------------------------------------------------------------ */

static const char *const headers[REASON_MAX] = {
	[REASON_DISK] = "DISK%",	  [REASON_THROTTLE] = "THROTTLE%",
	[REASON_NETWORK_FS] = "NETFS%",	  [REASON_FUSE] = "FUSE%",
	[REASON_PAGE_FAULT] = "FAULT%",	  [REASON_OTHER] = "OTHER%",
};

static bool is_leader(const struct task *t)
{
	return t->subject.process->pid == t->subject.thread->tid;
}

const char *table_reason_header(enum wait_reason r)
{
	return headers[r];
}

/* Of threads that never wait, a process may have many. */
static bool is_shown(const struct task *t)
{
	return t->blocked_ns || is_leader(t);
}

/* Reasons that nobody has need no column. */
static unsigned int reasons_shown(const struct snapshot *s)
{
	unsigned int mask = 1u << REASON_DISK;

	for (size_t i = 0; i < s->n_tasks; i++)
		for (int r = 0; r < REASON_MAX; r++)
			if (s->tasks[i].reasons[r])
				mask |= 1u << r;
	return mask;
}

static double pct(uint64_t part, uint64_t whole)
{
	double v = whole ? 100.0 * (double)part / (double)whole : 0;

	return v > 100 ? 100 : v;
}

static void put_task(FILE *out, const struct task *t, unsigned int mask)
{
	const struct process *p = t->subject.process;
	char blocked[UNITS_LEN];

	fprintf(out, "%8.1f  %8s", pct(t->blocked_ns, t->wall_ns),
		fmt_duration(blocked, t->blocked_ns));
	for (int r = 0; r < REASON_MAX; r++)
		if (mask & 1u << r)
			fprintf(out, "  %9.1f", pct(t->reasons[r], t->wall_ns));
	fprintf(out, "  %7u  %7u  ", p->pid, t->subject.thread->tid);
	column_print_text(out, p->comm_known ? p->comm : "-");
	column_print_part_in_job(out, p);
	if (!is_leader(t) && t->subject.thread->comm_known) {
		fputs(" / ", out);
		column_print_text(out, t->subject.thread->comm);
	}
	fputc('\n', out);
}

static void put_header(FILE *out, unsigned int mask)
{
	fprintf(out, "%8s  %8s", "BLOCKED%", "BLOCKED");
	for (int r = 0; r < REASON_MAX; r++)
		if (mask & 1u << r)
			fprintf(out, "  %9s", headers[r]);
	fprintf(out, "  %7s  %7s  TASK\n", "PID", "TID");
}

void table_tasks(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	unsigned int mask = reasons_shown(s);
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < s->n_tasks; i++) {
		if (!is_shown(&s->tasks[i]))
			continue;
		if (o->top && shown == o->top) {
			left++;
			continue;
		}
		if (!shown++)
			put_header(out, mask);
		put_task(out, &s->tasks[i], mask);
	}
	if (left)
		fprintf(out, "... and %zu more task%s\n", left, left == 1 ? "" : "s");
}

/* --- what is stuck ------------------------------------------------------------------ */

static void put_owner(FILE *out, const struct stuck *k)
{
	const struct process *p = k->subject.process;

	if (!p && !k->via) {
		fputs("an unknown process", out);
		return;
	}
	if (!p) {
		fputc('[', out);
		column_print_text(out, k->via);
		fputc(']', out);
		return;
	}
	fprintf(out, "pid %u (", p->pid);
	column_print_text(out, p->comm_known ? p->comm : "-");
	column_print_part_in_job(out, p);
	fputc(')', out);
}

static void put_stuck(FILE *out, const struct stuck *k)
{
	char age[UNITS_LEN], size[UNITS_LEN];

	fprintf(out, "stuck for %s: ", fmt_duration(age, k->age_ns));
	put_owner(out, k);
	fprintf(out, ", %s", column_op_name(k->subject.op));
	if (!k->inferred)
		fprintf(out, " of %s", fmt_bytes(size, (double)k->bytes));
	if (!k->inferred && k->has_sector)
		fprintf(out, " at sector %" PRIu64, k->sector);
	fputs(" on ", out);
	column_print_text(out, k->subject.disk ? k->subject.disk->name : "an unknown device");
	fprintf(out, ", %s%s\n", stage_name(k->stage), k->inferred ? " (inferred)" : "");
}

void table_stuck(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	size_t n = o->top && o->top < s->n_stuck ? o->top : s->n_stuck;

	for (size_t i = 0; i < n; i++)
		put_stuck(out, &s->stuck[i]);
	if (n < s->n_stuck)
		fprintf(out, "... and %zu more stuck\n", s->n_stuck - n);
}

/* --- GPUs ---------------------------------------------------------------------------- */

static void put_gpu(FILE *out, const struct gpu *g)
{
	char used[UNITS_LEN], total[UNITS_LEN];

	fprintf(out, "GPU %u ", g->number);
	column_print_text(out, g->name);
	if (g->sampled)
		fprintf(out, ": %.0f %% busy", g->busy_pct);
	else
		fputs(": no samples", out);
	if (g->compared_ns && g->idle_ns)
		fprintf(out, ", starved of I/O for %.0f %% of its idle time", pct(g->starved_ns, g->idle_ns));
	if (g->memory_total)
		fprintf(out, ", memory %s of %s", fmt_bytes(used, (double)g->memory_used), fmt_bytes(total, (double)g->memory_total));
	for (size_t i = 0; i < g->n_processes; i++)
		fprintf(out, "%s%u", i ? "," : ", used by ", g->processes[i].process->pid);
	fputc('\n', out);
}

void table_gpus(FILE *out, const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_gpus; i++)
		put_gpu(out, &s->gpus[i]);
}

/* --- phases -------------------------------------------------------------------------- */

static double per_second(uint64_t n, uint64_t ns)
{
	return ns ? (double)n * 1e9 / (double)ns : 0;
}

static void put_times(FILE *out, const struct phase *p)
{
	char p50[UNITS_LEN] = "-", p99[UNITS_LEN] = "-";

	if (p->ios) {
		fmt_duration(p50, p->p50_ns);
		fmt_duration(p99, p->p99_ns);
	}
	fprintf(out, "  %8s  %8s", p50, p99);
}

static void put_phase(FILE *out, const struct phase *p)
{
	char took[UNITS_LEN], read[UNITS_LEN], again[UNITS_LEN] = "-", blocked[16] = "-";

	if (p->reread_known)
		fmt_bytes(again, (double)p->reread_bytes);
	if (p->blocked_known)
		snprintf(blocked, sizeof(blocked), "%.1f", p->blocked_pct);
	fprintf(out, "%8s  %8" PRIu64 "  %7.0f  %8s  %8s", fmt_duration(took, p->duration_ns), p->ios,
		per_second(p->ios, p->duration_ns), fmt_bytes(read, (double)p->bytes), again);
	put_times(out, p);
	fprintf(out, "  %8s  ", blocked);
	column_print_text(out, p->name);
	fputs(p->open ? " ...\n" : "\n", out);
}

/* The latest ones, where there are many. */
void table_phases(FILE *out, const struct snapshot *s, const struct render_options *o)
{
	size_t first = o->top && o->top < s->n_phases ? s->n_phases - o->top : 0;

	if (!s->n_phases)
		return;
	fprintf(out, "%8s  %8s  %7s  %8s  %8s  %8s  %8s  %8s  PHASE\n", "TOOK", "IOS", "IOPS", "BYTES", "REREAD", "P50", "P99",
		"BLOCKED%");
	if (first)
		fprintf(out, "... and %zu phase%s before these\n", first, first == 1 ? "" : "s");
	for (size_t i = first; i < s->n_phases; i++)
		put_phase(out, &s->phases[i]);
}

/* --- findings ----------------------------------------------------------------------- */

void table_findings(FILE *out, const struct snapshot *s)
{
	size_t n = s->type == SNAPSHOT_INTERVAL && s->n_findings ? 1 : s->n_findings;

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s: ", s->findings[i].code);
		column_print_text(out, s->findings[i].text);
		fputc('\n', out);
	}
}
