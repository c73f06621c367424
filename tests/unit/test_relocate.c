// SPDX-License-Identifier: GPL-2.0
/*
 * Every form of the programs, fitted to the stored BTF of kernels (tests/btf): nothing that a program can reach may be
 * without its place in that kernel's types. What the types decide otherwise (argument positions, numbers of flags) is
 * held against what is known of each release. No kernel is asked: fake_kernel.h takes its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_kernel.h"
#include "reach.h"
#include "stack.h"

#include "base/log.h"
#include "collect/embedded.h"
#include "collect/features.h"
#include "collect/tracer.h"

/* A release and what is known of it. Files are made by tests/btf/extract.py. */
struct kernel {
	const char *name;
	struct iolat_knobs expected;
	bool start_hook;	/* block_io_start (6.5), else block_getrq */
};

static const struct kernel kernels[] = {
	{"5.10.136", {.arg_rq = 1, .arg_bio = 1, .errno_status = 1, .flush_seq_bit = 4}, false},
	{"5.10", {.arg_bio = 1, .errno_status = 1, .flush_seq_bit = 4}, false},
	{"5.15", {.errno_status = 1, .flush_seq_bit = 4}, false},
	{"6.1", {.flush_seq_bit = 4, .has_prev_state = 1}, false},
	{"6.12", {.flush_seq_bit = 1, .has_prev_state = 1}, true},
	{"6.18", {.flush_seq_bit = 1, .has_prev_state = 1}, true},
	{"7.2", {.flush_seq_bit = 1, .has_prev_state = 1}, true},
};

static void path_of(char path[256], const char *name)
{
	snprintf(path, 256, "%s/%s.btf", TEST_BTF, name);
}

/* --- what the types say -------------------------------------------------------------- */

static void test_features(void **state)
{
	const struct kernel *k = *state;
	struct iolat_knobs got = {0};
	struct features f;
	char path[256];

	path_of(path, k->name);
	assert_int_equal(features_read(&f, path), 0);
	features_knobs(&f, &got);
	assert_int_equal(got.arg_rq, k->expected.arg_rq);
	assert_int_equal(got.arg_bio, k->expected.arg_bio);
	assert_int_equal(got.errno_status, k->expected.errno_status);
	assert_int_equal(got.flush_seq_bit, k->expected.flush_seq_bit);
	assert_int_equal(got.has_io_start, k->start_hook);
	assert_int_equal(got.has_prev_state, k->expected.has_prev_state);
	assert_true(got.has_bio_queue);
	assert_false(features_tracepoint(&f, "block_no_such"));
	features_free(&f);
}

static void test_no_features(void **state)
{
	struct features f = {0};

	assert_int_equal(features_read(&f, "/nonexistent"), -ENOENT);
	features_free(&f);
	assert_true(features_read(&f, "/dev/null") < 0);
	features_free(&f);
}

/* --- fitting ------------------------------------------------------------------------- */

/* Loads and attaches a form, with everything that can be traced; the exit status. */
static int attach(struct tracer **t, const char *form)
{
	const struct iolat_knobs knobs = {.waits = 1, .files = 1};
	int status;

	setenv("IOLAT_VARIANT", form, 1);
	status = tracer_open(t, &knobs, 0, NULL) ?: tracer_attach(*t);
	unsetenv("IOLAT_VARIANT");
	return status;
}

/* Into a kernel whose types are those of the file. */
static int load(const char *path, const char *form)
{
	struct tracer *t;
	int status;

	fake_reset(path);
	status = attach(&t, form);
	tracer_close(t);
	return status;
}

/* How many programs cannot do; each is told unless `where` is NULL. */
static size_t unfitted(const char *where)
{
	size_t bad = 0;

	for (size_t i = 0; i < fake.n_programs; i++) {
		const struct fake_program *p = &fake.programs[i];
		long at = reach_poison(p->insns, p->n);

		if (at < 0)
			continue;
		if (where)
			print_error("%s, program %s: instruction %ld has no place in this kernel's types\n",
			    where, p->name, at);
		bad++;
	}
	return bad;
}

/* How many programs take more stack than older kernels give. */
static size_t too_deep(const char *where)
{
	size_t bad = 0;

	for (size_t i = 0; i < fake.n_programs; i++) {
		const struct fake_program *p = &fake.programs[i];
		int bytes = stack_of(p->insns, p->n, 0);

		if (bytes <= STACK_MAX)
			continue;
		print_error("%s, program %s: %d bytes of stack\n", where, p->name, bytes);
		bad++;
	}
	return bad;
}

/* How many hooks that the kernel calls for are not attached. */
static size_t unattached(const struct tracer *t, const char *where)
{
	const struct tracer_hook *h;
	size_t bad = 0;

	for (size_t i = 0; (h = tracer_hook_at(t, i)); i++) {
		if (h->attached)
			continue;
		print_error("%s, hook %s: %s\n", where, h->def->tracepoint, strerror(-h->err));
		bad++;
	}
	return bad;
}

static void test_fits(void **state)
{
	const struct kernel *k = *state;
	const struct embedded *e;
	struct tracer *t;
	char path[256], where[64];

	path_of(path, k->name);
	for (size_t i = 0; (e = embedded_at(i)); i++) {
		snprintf(where, sizeof(where), "%s, form %s", k->name, e->name);
		fake_reset(path);
		assert_int_equal(attach(&t, e->name), 0);
		assert_int_equal(unattached(t, where), 0);
		tracer_close(t);
		assert_non_null(fake_program("iolat_rq_complete"));
		assert_int_equal(!!fake_program("iolat_io_start"), k->start_hook);
		assert_int_equal(!!fake_program("iolat_getrq"), !k->start_hook);
		assert_int_equal(unfitted(where), 0);
		assert_int_equal(too_deep(where), 0);
	}
	fake_reset(NULL);
}

/* --- kernels that are not there yet ---------------------------------------------------- */

/* A copy of a kernel's types in which one name is another; names are NUL-terminated strings in there. */
static void rename_in(const char *name, const char *old, const char *new, char path[256])
{
	size_t size, len = strlen(old) + 1;
	char from[256], *data = malloc(1 << 20), *at;
	FILE *f;
	int fd;

	path_of(from, name);
	f = fopen(from, "r");
	assert_non_null(f);
	assert_non_null(data);
	size = fread(data, 1, 1 << 20, f);
	fclose(f);
	at = data - 1;
	do
		at = memmem(at + 1, (size_t)(data + size - at - 1), old, len);
	while (at && at[-1]);
	assert_non_null(at);
	assert_int_equal(strlen(new) + 1, len);
	memcpy(at, new, len);
	strcpy(path, "/tmp/iolat-renamed.XXXXXX");
	fd = mkstemp(path);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	free(data);
}

/* A member that every arm in bpf/compat expects: the programs that read it cannot be fitted, and this is seen. */
static void test_renamed_member(void **state)
{
	static const char *const members[] = {"__data_len", "cmd_flags", "biotail",
						"disk",	      "dfl_cgrp",  "REQ_OP_READ"};
	const struct embedded *e;
	char path[256], new[32];

	for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
		snprintf(new, sizeof(new), "X%s", members[m] + 1);
		rename_in("7.2", members[m], new, path);
		for (size_t i = 0; (e = embedded_at(i)); i++) {
			assert_int_equal(load(path, e->name), 0);
			assert_int_not_equal(unfitted(NULL), 0);
		}
		unlink(path);
	}
	fake_reset(NULL);
}

static void test_lost_tracepoint(void **state)
{
	char path[256];

	rename_in("7.2", "btf_trace_block_rq_issue", "btf_trace_block_rq_XXXXX", path);
	assert_int_equal(load(path, "raw"), EXIT_KERNEL);
	assert_int_equal(fake.n_programs, 0);
	unlink(path);
	rename_in("7.2", "btf_trace_block_rq_requeue", "btf_trace_block_rq_XXXXXXX", path);
	assert_int_equal(load(path, "raw"), 0);
	assert_null(fake_program("iolat_rq_requeue"));
	unlink(path);
	fake_reset(NULL);
}

/* A program that the kernel does not take costs what it sees, and no other goes with it. */
static void test_refused_programs(void **state)
{
	const struct embedded *e;
	const struct tracer_hook *h;
	struct tracer *t;
	char path[256];

	path_of(path, "7.2");
	for (size_t i = 0; (e = embedded_at(i)); i++) {
		fake_reset(path);
		fake.refused[0] = "iolat_rename";
		fake.refused[1] = "iolat_arriving"; /* reads a map; in older forms */
		fake.refused[2] = "iolat_rq_requeue";
		assert_int_equal(attach(&t, e->name), 0);
		for (size_t j = 0; (h = tracer_hook_at(t, j)); j++) {
			assert_int_equal(h->attached, !fake_refuses(h->def->program));
			assert_int_equal(h->err, h->attached ? 0 : -EINVAL);
		}
		tracer_close(t);
	}
	fake_reset(NULL);
}

static void test_refused_program_that_is_needed(void **state)
{
	const struct embedded *e;
	struct tracer *t;
	char path[256];

	path_of(path, "7.2");
	for (size_t i = 0; (e = embedded_at(i)); i++) {
		fake_reset(path);
		fake.refused[0] = "iolat_rq_issue";
		fake.refused[1] = "iolat_rename";
		assert_int_equal(attach(&t, e->name), EXIT_KERNEL);
	}
	fake_reset(NULL);
}

static void test_no_ring_buffer(void **state)
{
	const struct iolat_knobs knobs = {0};
	struct tracer *t;
	char path[256];

	path_of(path, "5.10");
	fake_reset(path);
	fake.no_ring_buffer = true;
	assert_int_equal(tracer_open(&t, &knobs, 0, NULL), EXIT_KERNEL);
	fake_reset("/nonexistent");
	assert_int_equal(tracer_open(&t, &knobs, 0, NULL), EXIT_KERNEL);
	fake_reset(NULL);
}

#define EACH_KERNEL(test)                                                                          \
	{#test " 5.10.136", test, NULL, NULL, (void *)&kernels[0]},                                \
	{#test " 5.10", test, NULL, NULL, (void *)&kernels[1]},                                    \
	{#test " 5.15", test, NULL, NULL, (void *)&kernels[2]},                                    \
	{#test " 6.1", test, NULL, NULL, (void *)&kernels[3]},                                     \
	{#test " 6.12", test, NULL, NULL, (void *)&kernels[4]},                                    \
	{#test " 6.18", test, NULL, NULL, (void *)&kernels[5]},                                    \
	{#test " 7.2", test, NULL, NULL, (void *)&kernels[6]}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH_KERNEL(test_features),
		EACH_KERNEL(test_fits),
		cmocka_unit_test(test_no_features),
		cmocka_unit_test(test_renamed_member),
		cmocka_unit_test(test_lost_tracepoint),
		cmocka_unit_test(test_refused_programs),
		cmocka_unit_test(test_refused_program_that_is_needed),
		cmocka_unit_test(test_no_ring_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
