// SPDX-License-Identifier: GPL-2.0
/*
 * The gate between bytes from outside and the analysis. One check a kind, found by the
 * list of events, so that a kind without a check does not build; what passes here is
 * used without a second look.
 */
#include "decode/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PATH_LIMIT 4096 /* PATH_MAX, the NUL included */

static bool terminated(const char *s, size_t size)
{
	return memchr(s, '\0', size) != NULL;
}

static bool cgroup_key_ok(__u64 cgroup)
{
	return IOLAT_CGROUP_TREE(cgroup) < IOLAT_TREE_MAX;
}

/* No clock that counts from a boot comes to 146 years; so sums and steps beyond such a time stay in 64 bits. */
static bool time_ok(__u64 ns)
{
	return ns < 1ull << 62;
}

/* The parts of the latency sum up to a start that is not before the clock's zero. */
static bool times_ok(const struct iolat_request *e)
{
	return time_ok(e->end_ns) && e->queue_ns <= e->end_ns && e->device_ns <= e->end_ns - e->queue_ns;
}

static bool request_ok(const struct iolat_request *e)
{
	return e->op < IOLAT_OP_MAX && e->owner < IOLAT_OWNER_MAX && cgroup_key_ok(e->cgroup) &&
	       times_ok(e);
}

static bool share_ok(const struct iolat_share *e)
{
	return time_ok(e->end_ns) && e->op < IOLAT_OP_MAX && e->owner < IOLAT_OWNER_MAX && cgroup_key_ok(e->cgroup);
}

static bool task_ok(const struct iolat_task *e)
{
	return e->what < IOLAT_TASK_MAX && cgroup_key_ok(e->cgroup) && time_ok(e->ts_ns) &&
	       terminated(e->comm, sizeof(e->comm));
}

static bool disk_ok(const struct iolat_disk *e)
{
	return e->disk && terminated(e->name, sizeof(e->name));
}

static bool name_ok(const struct iolat_name *e)
{
	return e->id && terminated(e->name, sizeof(e->name));
}

static bool run_ok(const struct iolat_run *e)
{
	return time_ok(e->mono_ns) && terminated(e->host, sizeof(e->host)) && terminated(e->kernel, sizeof(e->kernel));
}

static bool hook_ok(const struct iolat_hook *e)
{
	return terminated(e->name, sizeof(e->name));
}

static bool cgroup_ok(const struct iolat_cgroup *e)
{
	size_t room = e->head.size - sizeof(*e);

	if (room > PATH_LIMIT)
		room = PATH_LIMIT;
	return e->cgroup && cgroup_key_ok(e->cgroup) && terminated(e->path, room);
}

static bool disk_facts_ok(const struct iolat_disk_facts *e)
{
	return e->disk && e->rotational <= 2 && terminated(e->model, sizeof(e->model)) &&
	       terminated(e->scheduler, sizeof(e->scheduler)) &&
	       terminated(e->transport, sizeof(e->transport));
}

static bool disk_below_ok(const struct iolat_disk_below *e)
{
	return e->disk && (e->index < e->count || (!e->index && !e->count)) &&
	       terminated(e->name, sizeof(e->name));
}

/* A rank is one of the world's. */
static bool process_facts_ok(const struct iolat_process_facts *e)
{
	bool ranked = e->rank >= 0;

	return e->tgid && e->rank >= -1 &&
	       (!ranked || !e->world_size || (__u32)e->rank < e->world_size);
}

static bool counters_ok(const struct iolat_counters *e)
{
	return e->missed_known <= 1;
}

static bool end_ok(const struct iolat_end *e)
{
	return time_ok(e->mono_ns);
}

/* Buckets in rising order, so that none comes twice; the I/Os that each part tells of. */
static bool sum_buckets(const struct iolat_aggregate *e, uint64_t ios[IOLAT_PART_MAX])
{
	int64_t last = -1;

	for (size_t i = 0; i < e->n_buckets; i++) {
		const struct iolat_bucket *b = &e->buckets[i];
		int64_t place = (int64_t)b->part * IOLAT_BUCKETS + b->number;

		if (b->part >= IOLAT_PART_MAX || b->number >= IOLAT_BUCKETS || !b->count ||
		    place <= last)
			return false;
		ios[b->part] += b->count;
		last = place;
	}
	return true;
}

static bool aggregate_ok(const struct iolat_aggregate *e)
{
	uint64_t ios[IOLAT_PART_MAX] = {0};

	return e->head.size >= sizeof(*e) + e->n_buckets * sizeof(e->buckets[0]) &&
	       e->op < IOLAT_OP_MAX && e->owner < IOLAT_OWNER_MAX && cgroup_key_ok(e->cgroup) &&
	       time_ok(e->end_ns) && e->start_ns <= e->end_ns && e->last_ns <= e->end_ns && e->other <= 1 &&
	       e->errors <= e->ios && sum_buckets(e, ios) && ios[IOLAT_PART_TOTAL] == e->ios &&
	       ios[IOLAT_PART_QUEUE] <= e->ios && ios[IOLAT_PART_DEVICE] <= e->ios;
}

/* Its last text ends; one that is missing behind it is empty. */
static bool container_ok(const struct iolat_container *e)
{
	const char *end = (const char *)e + e->head.size;

	return e->cgroup && cgroup_key_ok(e->cgroup) && e->head.size > sizeof(*e) && !end[-1];
}

static bool cgroup_gone_ok(const struct iolat_cgroup_gone *e)
{
	return e->cgroup && cgroup_key_ok(e->cgroup);
}

static bool wait_ok(const struct iolat_wait *e)
{
	return e->call < IOLAT_CALL_MAX && cgroup_key_ok(e->cgroup) && time_ok(e->end_ns) && e->start_ns <= e->end_ns;
}

static bool other_ok(const struct iolat_other *e)
{
	return e->op < IOLAT_OP_MAX && e->owner < IOLAT_OWNER_MAX && cgroup_key_ok(e->cgroup) &&
	       time_ok(e->end_ns) && e->queue_ns <= e->end_ns && e->device_ns <= e->end_ns - e->queue_ns;
}

static bool look_ok(const struct iolat_look *e)
{
	return e->inflight <= 1 && time_ok(e->ts_ns);
}

static bool inflight_ok(const struct iolat_inflight *e)
{
	return e->op < IOLAT_OP_MAX && e->owner < IOLAT_OWNER_MAX && cgroup_key_ok(e->cgroup) &&
	       e->earlier <= 1 && time_ok(e->start_ns) &&
	       (!e->issue_ns || (e->start_ns <= e->issue_ns && time_ok(e->issue_ns)));
}

static bool limit_ok(const struct iolat_limit *e)
{
	return e->cgroup && cgroup_key_ok(e->cgroup);
}

static bool command_ok(const struct iolat_command *e)
{
	return terminated(e->line, sizeof(e->line));
}

/* The kernel's own, which does not come here; those of old recordings look otherwise, and nobody looks at them. */
static bool dentry_ok(const struct iolat_dentry *e)
{
	return true;
}

static bool file_ok(const struct iolat_file *e)
{
	size_t room = e->head.size - sizeof(*e);

	return terminated(e->path, room < PATH_LIMIT ? room : PATH_LIMIT);
}

/* Its last text ends; one that is missing behind it is empty. */
static bool fs_ok(const struct iolat_fs *e)
{
	const char *end = (const char *)e + e->head.size;

	return e->head.size > sizeof(*e) && !end[-1];
}

static bool called_ok(const struct iolat_called *e)
{
	return e->tgid && e->before <= 1 && e->ended < IOLAT_CALLED_END_MAX;
}

static bool mark_ok(const struct iolat_mark *e)
{
	return e->what < IOLAT_MARK_WHATS && e->kind < IOLAT_MARK_KINDS && terminated(e->name, sizeof(e->name));
}

static bool gpu_ok(const struct iolat_gpu *e)
{
	return (e->busy_pct <= 100 || e->busy_pct == IOLAT_GPU_UNKNOWN) && terminated(e->name, sizeof(e->name));
}

static bool gpu_process_ok(const struct iolat_gpu_process *e)
{
	return e->tgid;
}

static bool select_ok(const struct iolat_select *e)
{
	return e->what < IOLAT_SELECT_MAX && terminated(e->text, sizeof(e->text)) && e->text[0];
}

static bool clock_ok(const struct iolat_clock *e)
{
	return e->synchronized <= 1;
}

static bool user_ok(const struct iolat_user *e)
{
	return terminated(e->name, sizeof(e->name));
}

/* Each kind's check is NAME_ok. */
#define X(KIND, name)                                                                              \
	static int take_##name(const struct event_handlers *h, void *ctx, const void *data)        \
	{                                                                                          \
		const struct iolat_##name *e = data;                                               \
                                                                                                   \
		if (e->head.size < sizeof(*e) || !name##_ok(e))                                    \
			return -EBADMSG;                                                           \
		return h->name(ctx, e);                                                            \
	}
IOLAT_EVENTS(X)
#undef X

int decode_event(const struct event_handlers *h, void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;

	if (size < sizeof(*head) || head->size < sizeof(*head) || head->size > size)
		return -EBADMSG;
	switch (head->kind) {
	case IOLAT_EV_NONE:
		return -EBADMSG;
#define X(KIND, name)                                                                              \
	case IOLAT_EV_##KIND:                                                                      \
		return take_##name(h, ctx, data);
		IOLAT_EVENTS(X)
#undef X
	default:
		return -ENOTSUP;
	}
}
