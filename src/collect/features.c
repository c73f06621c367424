// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the kernel's BTF: tracepoints are typedefs "btf_trace_NAME" of function
 * prototypes whose first argument is hidden from programs. Feeds load.c's knobs and
 * doctor's report.
 */
#include "collect/features.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_SEQ_BIT 4 /* RQF_FLUSH_SEQ where BTF has no enumerator for it (before 6.12) */

int features_read(struct features *f, const char *file)
{
	f->path = file ?: FEATURES_BTF;
	f->foreign = file;
	f->btf = btf__parse(f->path, NULL);
	return f->btf ? 0 : -errno;
}

void features_free(struct features *f)
{
	btf__free(f->btf);
	f->btf = NULL;
}

/* The prototype of a tracepoint, or NULL. */
static const struct btf_type *prototype(const struct features *f, const char *tracepoint)
{
	char name[64];
	const struct btf_type *t;
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(f->btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	t = btf__type_by_id(f->btf, btf__type_by_id(f->btf, id)->type);
	if (!t || !btf_is_ptr(t))
		return NULL;
	t = btf__type_by_id(f->btf, t->type);
	return t && btf_is_func_proto(t) ? t : NULL;
}

bool features_tracepoint(const struct features *f, const char *name)
{
	return prototype(f, name);
}

static bool is_pointer_to(const struct features *f, __u32 id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(f->btf, id);

	if (!t || !btf_is_ptr(t))
		return false;
	t = btf__type_by_id(f->btf, t->type);
	return t && btf_is_struct(t) && !strcmp(btf__name_by_offset(f->btf, t->name_off), name);
}

/* Which argument, as a program counts them, points to struct `type`; 0 if none does. */
static int argument(const struct features *f, const char *tracepoint, const char *type)
{
	const struct btf_type *proto = prototype(f, tracepoint);

	for (int i = 1; proto && i < btf_vlen(proto); i++)
		if (is_pointer_to(f, btf_params(proto)[i].type, type))
			return i - 1;
	return 0;
}

static int arguments(const struct features *f, const char *tracepoint)
{
	const struct btf_type *proto = prototype(f, tracepoint);

	return proto ? btf_vlen(proto) - 1 : 0;
}

/* block_rq_complete(rq, STATUS, nr_bytes): an int until 5.15, blk_status_t after. */
static bool status_is_errno(const struct features *f)
{
	const struct btf_type *proto = prototype(f, "block_rq_complete"), *t;

	if (!proto || btf_vlen(proto) < 3)
		return false;
	t = btf__type_by_id(f->btf, btf_params(proto)[2].type);
	return t && btf_is_int(t);
}

/* The value of an enumerator of whatever enum has it, else `otherwise`. */
static int enumerator(const struct features *f, const char *name, int otherwise)
{
	__u32 n = btf__type_cnt(f->btf);

	for (__u32 id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(f->btf, id);

		if (!btf_is_enum(t))
			continue;
		for (int i = 0; i < btf_vlen(t); i++)
			if (!strcmp(btf__name_by_offset(f->btf, btf_enum(t)[i].name_off), name))
				return btf_enum(t)[i].val;
	}
	return otherwise;
}

void features_knobs(const struct features *f, struct iolat_knobs *knobs)
{
	knobs->arg_rq = argument(f, "block_rq_issue", "request");
	knobs->arg_bio = argument(f, "block_bio_queue", "bio");
	knobs->errno_status = status_is_errno(f);
	knobs->flush_seq_bit = enumerator(f, "__RQF_FLUSH_SEQ", FLUSH_SEQ_BIT);
	knobs->has_io_start = features_tracepoint(f, "block_io_start");
	knobs->has_bio_queue = features_tracepoint(f, "block_bio_queue");
	knobs->has_prev_state = arguments(f, "sched_switch") >= 4;
}
