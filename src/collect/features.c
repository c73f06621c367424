// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the kernel's BTF: tracepoints are typedefs "btf_trace_NAME" of function
 * prototypes whose first argument is hidden from programs. Feeds load.c's knobs and
 * doctor's report.
 */
#include "collect/features.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_SEQ_BIT 4 /* RQF_FLUSH_SEQ where BTF has no enumerator for it (before 6.12) */

#define PREFIX "btf_trace_"

/* To look one up in BTF itself is to go through all types. */
struct tracepoint {
	const char *name;	/* in the BTF */
	__u32 type;		/* of the typedef */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tracepoint *)a)->name, ((const struct tracepoint *)b)->name);
}

/* The name of the tracepoint that a type stands for, or NULL. */
static const char *tracepoint_name(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf_is_typedef(t) ? btf__name_by_offset(btf, t->name_off) : NULL;

	return name && !strncmp(name, PREFIX, strlen(PREFIX)) ? name + strlen(PREFIX) : NULL;
}

#define ROOM 1024u /* a step of it */

static bool make_room(struct features *f)
{
	struct tracepoint *more;

	if (f->n_tracepoints % ROOM)
		return true;
	more = reallocarray(f->tracepoints, f->n_tracepoints + ROOM, sizeof(*more));
	if (more)
		f->tracepoints = more;
	return more;
}

static int list_tracepoints(struct features *f)
{
	for (__u32 id = 1; id < btf__type_cnt(f->btf); id++) {
		const struct btf_type *t = btf__type_by_id(f->btf, id);
		const char *name = tracepoint_name(f->btf, t);

		if (name && !make_room(f))
			return -ENOMEM;
		if (name)
			f->tracepoints[f->n_tracepoints++] = (struct tracepoint){name, t->type};
	}
	if (f->n_tracepoints)
		qsort(f->tracepoints, f->n_tracepoints, sizeof(*f->tracepoints), by_name);
	return 0;
}

int features_read(struct features *f, const char *file)
{
	*f = (struct features){.path = file ?: FEATURES_BTF, .foreign = file};
	f->btf = btf__parse(f->path, NULL);
	return f->btf ? list_tracepoints(f) : -errno;
}

void features_free(struct features *f)
{
	free(f->tracepoints);
	f->tracepoints = NULL;
	f->n_tracepoints = 0;
	btf__free(f->btf);
	f->btf = NULL;
}

/* The prototype of a tracepoint, or NULL. */
static const struct btf_type *prototype(const struct features *f, const char *tracepoint)
{
	const struct tracepoint wanted = {.name = tracepoint}, *found = NULL;
	const struct btf_type *t;

	if (f->n_tracepoints)
		found = bsearch(&wanted, f->tracepoints, f->n_tracepoints, sizeof(wanted), by_name);
	t = found ? btf__type_by_id(f->btf, found->type) : NULL;
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
