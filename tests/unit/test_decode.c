// SPDX-License-Identifier: GPL-2.0
/*
 * The decoder against whole, short, unknown and hostile events. Truncated events lie at
 * the end of a heap block of their size, so that a sanitizer sees any read behind it.
 */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/decode.h"

struct calls {
	int of[IOLAT_EV_MAX];
	int answer;
};

#define X(KIND, name)                                                                              \
	static int on_##name(void *ctx, const struct iolat_##name *e)                              \
	{                                                                                          \
		struct calls *c = ctx;                                                             \
                                                                                                   \
		c->of[IOLAT_EV_##KIND]++;                                                          \
		return c->answer;                                                                  \
	}
IOLAT_EVENTS(X)
#undef X

static const struct event_handlers handlers = {
#define X(KIND, name) .name = on_##name,
	IOLAT_EVENTS(X)
#undef X
};

static int decode(const void *data, size_t size, struct calls *c)
{
	*c = (struct calls){0};
	return decode_event(&handlers, c, data, size);
}

static int refusal(const void *data, size_t size)
{
	struct calls c;
	int err = decode(data, size, &c);

	for (int i = 0; err && i < IOLAT_EV_MAX; i++)
		assert_int_equal(c.of[i], 0);
	return err;
}

#define assert_taken(e)	  assert_int_equal(refusal(&(e), sizeof(e)), 0)
#define assert_refused(e) assert_int_equal(refusal(&(e), sizeof(e)), -EBADMSG)

/* One good event of each kind. */
struct sample {
	size_t size;
	uint64_t bytes[160];
};

static void put_sample(struct sample *s, const void *e, size_t size)
{
	assert_true(size <= sizeof(s->bytes));
	s->size = size;
	memcpy(s->bytes, e, size);
}

#define SAMPLE(s, KIND, ...)                                                                       \
	do {                                                                                       \
		typeof(__VA_ARGS__) sample = __VA_ARGS__;                                          \
		put_sample(&(s)[IOLAT_EV_##KIND], &sample, sizeof(sample));                        \
	} while (0)

/* Down to where the text ends. */
static void cut_sample(struct sample *s, size_t size)
{
	struct iolat_head head;

	memcpy(&head, s->bytes, sizeof(head));
	head.size = (__u16)size;
	memcpy(s->bytes, &head, sizeof(head));
	s->size = size;
}

/* With one text alone, so that only its end is a NUL. */
static union a_short_container {
	struct iolat_container e;
	uint64_t bytes[3];
} a_short_container(void)
{
	union a_short_container u = {.bytes = {0}};

	memcpy((char *)&u + sizeof(u.e), "runtime", 8);
	u.e.head = (struct iolat_head){IOLAT_EV_CONTAINER, sizeof(u)};
	u.e.cgroup = 7;
	return u;
}

static void all_samples(struct sample s[IOLAT_EV_MAX])
{
	memset(s, 0, IOLAT_EV_MAX * sizeof(*s));
	SAMPLE(s, REQUEST, a_request());
	SAMPLE(s, SHARE, a_share());
	SAMPLE(s, TASK, a_task(IOLAT_TASK_NEW, 100, 5, "dd"));
	SAMPLE(s, DISK, a_disk(1, "sda"));
	SAMPLE(s, NAME, a_name(1, "writeback"));
	SAMPLE(s, RUN, a_run());
	SAMPLE(s, HOOK, a_hook("block_rq_issue"));
	SAMPLE(s, CGROUP, a_cgroup(7, "/a/b"));
	SAMPLE(s, DISK_FACTS, some_facts(1));
	SAMPLE(s, COUNTERS, some_counters());
	SAMPLE(s, END, an_end());
	SAMPLE(s, AGGREGATE, an_aggregate());
	SAMPLE(s, PROCESS_FACTS, some_process_facts(100, 5, 0));
	SAMPLE(s, CGROUP_GONE, a_gone_cgroup(7));
	SAMPLE(s, CONTAINER, a_short_container());
	SAMPLE(s, WAIT, a_wait());
	SAMPLE(s, OTHER, an_other());
	SAMPLE(s, LOOK, a_look(1000));
	SAMPLE(s, INFLIGHT, an_inflight(1000));
	SAMPLE(s, LIMIT, a_limit());
	SAMPLE(s, DISK_BELOW, a_disk_below(1, 0, 1, "sda2"));
	SAMPLE(s, COMMAND, a_command("iolat -p 1"));
	SAMPLE(s, DENTRY, a_dentry(8, 1, 12, "train.bin"));
	cut_sample(&s[IOLAT_EV_DENTRY], sizeof(struct iolat_dentry));
	SAMPLE(s, FILE, a_file(8, 1, 12, "/data/train.bin"));
	SAMPLE(s, CALLED, a_called(100, 5000, 3));
	SAMPLE(s, FS, a_fs(0, 40, 0x6969, "nfs4", "", ""));
	cut_sample(&s[IOLAT_EV_FILE], sizeof(struct iolat_file) + sizeof("/data/train.bin"));
	cut_sample(&s[IOLAT_EV_FS], sizeof(struct iolat_fs) + sizeof("nfs4"));
	SAMPLE(s, GPU, a_gpu(0, 1, 50));
	SAMPLE(s, GPU_PROCESS, a_gpu_process(0, 1, 100));
	SAMPLE(s, MARK, a_mark(IOLAT_MARK_START, "epoch 3", 1));
	SAMPLE(s, SELECT, a_select(IOLAT_SELECT_NAME, "dd"));
	SAMPLE(s, CLOCK, a_clock(1000, 2000));
	SAMPLE(s, USER, a_user(1000, "ml"));
}

static void test_every_kind_reaches_its_handler(void **state)
{
	struct sample s[IOLAT_EV_MAX];
	struct calls c;

	all_samples(s);
	for (int kind = 1; kind < IOLAT_EV_MAX; kind++) {
		assert_true(s[kind].size > 0);
		assert_int_equal(decode(s[kind].bytes, s[kind].size, &c), 0);
		for (int i = 0; i < IOLAT_EV_MAX; i++)
			assert_int_equal(c.of[i], i == kind);
	}
}

static void test_handlers_answer_is_returned(void **state)
{
	struct iolat_request e = a_request();
	struct calls c = {.answer = -ENOMEM};

	assert_int_equal(decode_event(&handlers, &c, &e, sizeof(e)), -ENOMEM);
}

static int decode_copy(const struct sample *s, size_t carried, size_t claimed)
{
	void *copy = malloc(carried ? carried : 1);
	struct iolat_head head;
	int err;

	assert_non_null(copy);
	memcpy(copy, s->bytes, carried);
	if (carried >= sizeof(head)) {
		memcpy(&head, copy, sizeof(head));
		head.size = (__u16)claimed;
		memcpy(copy, &head, sizeof(head));
	}
	err = refusal(copy, carried);
	free(copy);
	return err;
}

/* Whether the head says so or only the carrier: no prefix is an event. */
static void test_every_truncation_is_refused(void **state)
{
	struct sample s[IOLAT_EV_MAX];

	all_samples(s);
	for (int kind = 1; kind < IOLAT_EV_MAX; kind++) {
		size_t whole = s[kind].size;

		if (kind == IOLAT_EV_CGROUP) /* up to the path's NUL */
			whole = sizeof(struct iolat_cgroup) + sizeof("/a/b");
		for (size_t n = 0; n < whole; n++) {
			assert_int_equal(decode_copy(&s[kind], n, n), -EBADMSG);
			assert_int_equal(decode_copy(&s[kind], n, s[kind].size), -EBADMSG);
			assert_int_equal(decode_copy(&s[kind], s[kind].size, n), -EBADMSG);
		}
		assert_int_equal(decode_copy(&s[kind], whole, whole), 0);
	}
}

static void test_longer_events_of_newer_writers_are_taken(void **state)
{
	struct {
		struct iolat_request e;
		uint64_t newer;
	} longer = {.e = a_request()};

	longer.e.head.size = sizeof(longer);
	assert_taken(longer);
}

static void test_unknown_kinds_are_skipped(void **state)
{
	struct iolat_request e = a_request();

	e.head.kind = IOLAT_EV_MAX;
	assert_int_equal(refusal(&e, sizeof(e)), -ENOTSUP);
	e.head.kind = 0xffff;
	assert_int_equal(refusal(&e, sizeof(e)), -ENOTSUP);
	e.head.kind = IOLAT_EV_NONE;
	assert_refused(e);
}

static void test_request_ranges(void **state)
{
	struct iolat_request e = a_request();

	e.op = IOLAT_OP_MAX;
	assert_refused(e);
	e = a_request();
	e.owner = IOLAT_OWNER_MAX;
	assert_refused(e);
	e = a_request();
	e.cgroup = ~0ULL;
	assert_refused(e);
	e = a_request();
	e.disk = 0;
	assert_taken(e);
}

static void test_request_times(void **state)
{
	struct iolat_request e = a_request();

	e.queue_ns = e.end_ns - e.device_ns;
	assert_taken(e);
	e.queue_ns++;
	assert_refused(e);
	e.queue_ns = ~0ULL - 1; /* the sum wraps round to a small one */
	assert_refused(e);
	e.queue_ns = 0;
	e.device_ns = ~0ULL;
	assert_refused(e);
}

static void test_share_ranges(void **state)
{
	struct iolat_share e = a_share();

	e.op = IOLAT_OP_MAX;
	assert_refused(e);
	e = a_share();
	e.owner = IOLAT_OWNER_MAX;
	assert_refused(e);
	e = a_share();
	e.cgroup = IOLAT_CGROUP(IOLAT_TREE_MAX, 1);
	assert_refused(e);
}

static void test_numbers_that_must_not_be_zero(void **state)
{
	struct iolat_disk disk = a_disk(0, "sda");
	struct iolat_disk_facts facts = some_facts(0);
	struct iolat_name name = a_name(0, "loop0");
	union a_cgroup cgroup = a_cgroup(0, "/");
	union a_container container = a_docker(0, "1", "x");
	struct iolat_cgroup_gone gone = a_gone_cgroup(0);

	assert_refused(disk);
	assert_refused(facts);
	assert_refused(name);
	assert_refused(cgroup);
	assert_refused(container);
	assert_refused(gone);
}

static void test_enumerators(void **state)
{
	struct iolat_task task = a_task(IOLAT_TASK_MAX, 1, 1, "x");
	struct iolat_disk_facts facts = some_facts(1);
	struct iolat_counters counters = some_counters();

	facts.rotational = 3;
	counters.missed_known = 2;
	assert_refused(task);
	assert_refused(facts);
	assert_refused(counters);
}

static void test_lists_of_disks_below(void **state)
{
	struct iolat_disk_below none = a_disk_below(1, 0, 0, "");
	struct iolat_disk_below last = a_disk_below(1, 2, 3, "sda2");
	struct iolat_disk_below nobodys = a_disk_below(0, 0, 1, "sda2");
	struct iolat_disk_below behind = a_disk_below(1, 3, 3, "sda2");
	struct iolat_disk_below of_none = a_disk_below(1, 1, 0, "sda2");

	assert_taken(none);
	assert_taken(last);
	assert_refused(nobodys);
	assert_refused(behind);
	assert_refused(of_none);
}

#define assert_needs_nul(event, field)                                                             \
	do {                                                                                       \
		typeof(event) e_ = event;                                                          \
                                                                                                   \
		memset(e_.field, 'x', sizeof(e_.field));                                           \
		assert_refused(e_);                                                                \
		e_.field[sizeof(e_.field) - 1] = '\0';                                             \
		assert_taken(e_);                                                                  \
	} while (0)

static void test_ranks(void **state)
{
	struct iolat_process_facts e = some_process_facts(100, 5, 0);

	e.world_size = 4;
	assert_taken(e);
	e.rank = 3;
	assert_taken(e);
	e.rank = 4;
	assert_refused(e);
	e.world_size = 0; /* not known */
	assert_taken(e);
	e.rank = -2;
	assert_refused(e);
	e = some_process_facts(0, 5, 0);
	assert_refused(e);
}

static void test_strings_must_end(void **state)
{
	assert_needs_nul(a_task(IOLAT_TASK_NEW, 1, 1, "x"), comm);
	assert_needs_nul(a_disk(1, "sda"), name);
	assert_needs_nul(a_name(1, "x"), name);
	assert_needs_nul(a_run(), host);
	assert_needs_nul(a_run(), kernel);
	assert_needs_nul(a_hook("x"), name);
	assert_needs_nul(a_command("x"), line);
	assert_needs_nul(a_mark(IOLAT_MARK_END, "epoch 3", 1), name);
	assert_needs_nul(a_gpu(0, 1, 50), name);
	assert_needs_nul(a_select(IOLAT_SELECT_NAME, "x"), text);
	assert_needs_nul(some_facts(1), model);
	assert_needs_nul(some_facts(1), scheduler);
	assert_needs_nul(some_facts(1), transport);
	assert_needs_nul(a_disk_below(1, 0, 1, "sda2"), name);
}

static void test_cgroup_path_must_end_within_the_event(void **state)
{
	union a_cgroup u = a_cgroup(7, "/a/b");
	char *path = (char *)&u + sizeof(u.e);

	memset(path, 'x', CGROUP_ROOM);
	assert_refused(u);
	path[CGROUP_ROOM - 1] = '\0';
	assert_taken(u);
	u.e.head.size -= 8;
	assert_refused(u);
}

static void test_cgroup_path_has_a_limit(void **state)
{
	size_t size = sizeof(struct iolat_cgroup) + 4097;
	struct iolat_cgroup *e = calloc(1, size);

	assert_non_null(e);
	e->head = (struct iolat_head){.kind = IOLAT_EV_CGROUP, .size = (__u16)size};
	e->cgroup = 7;
	memset((char *)e + sizeof(*e), 'x', 4096);
	assert_int_equal(refusal(e, size), -EBADMSG);
	((char *)e)[size - 2] = '\0';
	assert_int_equal(refusal(e, size), 0);
	free(e);
}

static void test_names_of_file_systems_end(void **state)
{
	struct iolat_fs_event fs = a_fs(0, 40, 0x6969, "nfs4", "server:/export", "/data");

	assert_int_equal(refusal(&fs, sizeof(fs)), 0);
	fs.fs.head.size -= 1;
	((char *)&fs)[fs.fs.head.size - 1] = 'x';
	assert_int_equal(refusal(&fs, fs.fs.head.size), -EBADMSG);
	fs.fs.head.size = sizeof(fs.fs);
	assert_int_equal(refusal(&fs, sizeof(fs.fs)), -EBADMSG);
}

static void test_aggregate_ranges(void **state)
{
	union an_aggregate u = an_aggregate();

	u.e.op = IOLAT_OP_MAX;
	assert_refused(u);
	u = an_aggregate();
	u.e.owner = IOLAT_OWNER_MAX;
	assert_refused(u);
	u = an_aggregate();
	u.e.cgroup = ~0ULL;
	assert_refused(u);
	u = an_aggregate();
	u.e.start_ns = u.e.end_ns + 1;
	assert_refused(u);
	u = an_aggregate();
	u.e.last_ns = u.e.end_ns + 1;
	assert_refused(u);
	u = an_aggregate();
	u.e.errors = 4;
	assert_refused(u);
	u = an_aggregate();
	u.e.other = 2;
	assert_refused(u);
}

/* Buckets lie within the event, rise, and hold each I/O once. */
static void test_aggregate_buckets(void **state)
{
	union an_aggregate u = an_aggregate();

	u.e.n_buckets++;
	assert_refused(u);
	u = an_aggregate();
	u.buckets[1].number = u.buckets[0].number;
	assert_refused(u);
	u = an_aggregate();
	u.buckets[1].number = IOLAT_BUCKETS;
	assert_refused(u);
	u = an_aggregate();
	u.buckets[3].part = IOLAT_PART_MAX;
	assert_refused(u);
	u = an_aggregate();
	u.buckets[3].count = 0;
	assert_refused(u);
	u.buckets[3].count = 3;
	assert_taken(u);
	u.buckets[3].count = 4;
	assert_refused(u);
	u = an_aggregate();
	u.buckets[0].count = 3;
	assert_refused(u);
	u.e.ios = 4;
	assert_taken(u);
}

static void flip(struct sample *s, uint64_t *seed)
{
	size_t n = 1 + next_random(seed) % 8;

	while (n--) {
		size_t bit = next_random(seed) % (s->size * 8);

		((unsigned char *)s->bytes)[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
}

static void test_flipped_bits_never_crash(void **state)
{
	uint64_t seed = 20240229;
	struct sample s[IOLAT_EV_MAX];
	struct calls c;

	for (int round = 0; round < 20000; round++) {
		int kind = 1 + round % (IOLAT_EV_MAX - 1);
		int err;

		all_samples(s);
		flip(&s[kind], &seed);
		err = decode(s[kind].bytes, s[kind].size, &c);
		assert_true(err == 0 || err == -EBADMSG || err == -ENOTSUP);
	}
}

/* What steps on from a time must not come round to zero. */
static void test_times_that_no_clock_shows(void **state)
{
	struct iolat_request e = a_request();
	struct iolat_wait w = a_wait();
	struct iolat_look l = a_look(1ull << 62);

	e.end_ns = ~0ull;
	assert_refused(e);
	w.end_ns = ~0ull;
	assert_refused(w);
	assert_refused(l);
}

static void test_waits_that_cannot_be(void **state)
{
	struct iolat_wait e = a_wait();

	assert_taken(e);
	e.end_ns = e.start_ns - 1;
	assert_refused(e);
	e = a_wait();
	e.call = IOLAT_CALL_MAX;
	assert_refused(e);
	e = a_wait();
	e.cgroup = IOLAT_CGROUP(3ULL, 7);
	assert_refused(e);
}

static void test_what_is_in_flight_and_cannot_be(void **state)
{
	struct iolat_inflight e = an_inflight(1000);
	struct iolat_other o = an_other();

	assert_taken(e);
	e.issue_ns = e.start_ns - 1;
	assert_refused(e);
	e.issue_ns = 0;
	assert_taken(e);
	e.earlier = 2;
	assert_refused(e);
	o.device_ns = o.end_ns;
	assert_refused(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind_reaches_its_handler),
		cmocka_unit_test(test_times_that_no_clock_shows),
		cmocka_unit_test(test_waits_that_cannot_be),
		cmocka_unit_test(test_what_is_in_flight_and_cannot_be),
		cmocka_unit_test(test_handlers_answer_is_returned),
		cmocka_unit_test(test_every_truncation_is_refused),
		cmocka_unit_test(test_longer_events_of_newer_writers_are_taken),
		cmocka_unit_test(test_unknown_kinds_are_skipped),
		cmocka_unit_test(test_request_ranges),
		cmocka_unit_test(test_request_times),
		cmocka_unit_test(test_share_ranges),
		cmocka_unit_test(test_numbers_that_must_not_be_zero),
		cmocka_unit_test(test_enumerators),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_strings_must_end),
		cmocka_unit_test(test_lists_of_disks_below),
		cmocka_unit_test(test_cgroup_path_must_end_within_the_event),
		cmocka_unit_test(test_cgroup_path_has_a_limit),
		cmocka_unit_test(test_names_of_file_systems_end),
		cmocka_unit_test(test_aggregate_ranges),
		cmocka_unit_test(test_aggregate_buckets),
		cmocka_unit_test(test_flipped_bits_never_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
