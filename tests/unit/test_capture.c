// SPDX-License-Identifier: GPL-2.0
/* Recordings: what was written is read again to the bit, and nothing else ever is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <errno.h>
#include <cmocka.h>

#include "capture/crc.h"
#include "capture/decoder.h"
#include "capture/format.h"
#include "capture/parts.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "iolat/wire.h"

#define PATH_LEN 64

/* Events as one long string of bytes. */
struct log {
	unsigned char *bytes;
	size_t len, room;
	unsigned int events;
};

static int keep(void *ctx, const void *data, size_t size)
{
	struct log *l = ctx;

	if (l->len + size > l->room) {
		l->room = 2 * (l->room + size);
		l->bytes = realloc(l->bytes, l->room);
		assert_non_null(l->bytes);
	}
	memcpy(l->bytes + l->len, data, size);
	l->len += size;
	l->events++;
	return 0;
}

static uint32_t lcg(uint32_t *state)
{
	return *state = *state * 1664525 + 1013904223;
}

static struct iolat_request request(uint32_t *seed, uint64_t now)
{
	uint32_t r = lcg(seed);

	return (struct iolat_request){
		.head = {IOLAT_EV_REQUEST, sizeof(struct iolat_request)},
		.disk = 1 + r % 3,
		.end_ns = now - r % 5000,
		.queue_ns = r % 1000,
		.device_ns = r % 7 ? r % 100000 : (uint64_t)r << 30,
		.sector = r % 5 ? r : ~0ULL,
		.cgroup = 7 + r % 2,
		.bytes = r % 11 ? 4096 : UINT32_MAX,
		.tgid = 100 + r % 4,
		.tid = 100 + r % 9,
		.merged = r % 13 ? 0 : 12,
		.requeues = r % 50 ? 0 : 3,
		.error = r % 77 ? 0 : 5,
		.op = r % 5,
		.owner = r % 4,
		.flags = r % 16,
	};
}

static struct iolat_request_file request_file(uint32_t *seed, uint64_t now)
{
	struct iolat_request_file e = {.request = request(seed, now), .inode = lcg(seed) % 1000, .fs_magic = 0xef53,
				       .of = IOLAT_OF_FILE};

	e.request.head.size = sizeof(e);
	return e;
}

/* Of four threads in turn. */
static struct iolat_wait wait_event(uint32_t *seed, uint64_t now)
{
	uint32_t r = lcg(seed);

	return (struct iolat_wait){
		.head = {IOLAT_EV_WAIT, sizeof(struct iolat_wait)},
		.tid = 100 + r % 4,
		.end_ns = now,
		.start_ns = now - r % 100000,
		.cgroup = 7,
		.tgid = 100,
		.fs_magic = r % 9 ? 0xef53 : 0x6969,
		.major_faults = r % 3,
		.flags = r % 4,
	};
}

static struct iolat_cgroup *cgroup_event(void)
{
	static union {
		struct iolat_cgroup e;
		char room[64];
	} u;

	u.e = (struct iolat_cgroup){.head = {IOLAT_EV_CGROUP, sizeof(u.e) + 5}, .cgroup = 7};
	memcpy(u.e.path, "/a/b", 5);
	return &u.e;
}

/* A file in memory, and a path that opens it; its descriptor lives as long as the program. */
static int make_file(char path[PATH_LEN])
{
	int fd = memfd_create("capture", 0);

	assert_true(fd >= 0);
	snprintf(path, PATH_LEN, "/proc/self/fd/%d", fd);
	return dup(fd);
}

/* Writes n requests and some cgroups to a fresh file, whose path it leaves in `path`. */
static struct log write_recording(char path[PATH_LEN], unsigned int n, int close_it)
{
	struct log in = {0};
	struct capture_writer *w;
	uint32_t seed = 1;
	uint64_t bytes;
	const struct iolat_end end = {.head = {IOLAT_EV_END, sizeof(end)}, .mono_ns = 99};

	assert_int_equal(capture_create(&w, make_file(path)), 0);
	for (unsigned int i = 0; i < n; i++) {
		struct iolat_request e = request(&seed, 1000000000ull * i);

		assert_int_equal(capture_add(w, &e, sizeof(e)), 0);
		keep(&in, &e, sizeof(e));
		if (i % 5 == 0) {
			struct iolat_request_file file = request_file(&seed, 1000000000ull * i);

			assert_int_equal(capture_add(w, &file, sizeof(file)), 0);
			keep(&in, &file, sizeof(file));
		}
		if (i % 3 == 0) {
			struct iolat_wait wait = wait_event(&seed, 1000000000ull * i);

			assert_int_equal(capture_add(w, &wait, sizeof(wait)), 0);
			keep(&in, &wait, sizeof(wait));
		}
		if (i % 100)
			continue;
		assert_int_equal(capture_add(w, cgroup_event(), cgroup_event()->head.size), 0);
		keep(&in, cgroup_event(), cgroup_event()->head.size);
	}
	assert_int_equal(capture_requests(w), n + (n + 4) / 5);
	assert_int_equal(capture_flush(w), 0);
	bytes = capture_bytes(w);
	assert_int_equal(capture_close(w, 99), 0);
	if (!close_it) { /* as if killed before the end was written */
		assert_int_equal(truncate(path, bytes), 0);
		return in;
	}
	keep(&in, &end, sizeof(end));
	return in;
}

static struct log read_recording(const char *path, enum capture_end *end, int *err)
{
	struct capture_reader *r;
	struct log out = {0};
	uint32_t version;

	*err = capture_open(&r, path, &version);
	if (!*err)
		*err = capture_read(r, keep, &out, end);
	capture_reader_close(r);
	return out;
}

static void test_what_was_written_is_read(void **state)
{
	char path[PATH_LEN];
	struct log in = write_recording(path, 20000, 1), out;
	enum capture_end end;
	int err;

	out = read_recording(path, &end, &err);
	assert_int_equal(err, 0);
	assert_int_equal(end, CAPTURE_WHOLE);
	assert_int_equal(out.len, in.len);
	assert_memory_equal(out.bytes, in.bytes, in.len);
	free(in.bytes);
	free(out.bytes);
}

static void test_a_killed_run_is_read_to_its_last_block(void **state)
{
	char path[PATH_LEN];
	struct log in = write_recording(path, 3000, 0), out;
	enum capture_end end;
	int err;

	out = read_recording(path, &end, &err);
	assert_int_equal(err, 0);
	assert_int_equal(end, CAPTURE_CUT);
	assert_int_equal(out.len, in.len);
	assert_memory_equal(out.bytes, in.bytes, in.len);
	free(in.bytes);
	free(out.bytes);
}

static unsigned char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	unsigned char *bytes;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*len = ftell(f);
	rewind(f);
	bytes = malloc(*len);
	assert_int_equal(fread(bytes, 1, *len, f), *len);
	fclose(f);
	return bytes;
}

static void spill(const char *path, const unsigned char *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

/* What is read of a broken file is a beginning of what was written, never something else. */
static void check_is_a_beginning(const struct log *in, const struct log *out)
{
	assert_true(out->len <= in->len);
	if (out->len)
		assert_memory_equal(out->bytes, in->bytes, out->len);
}

static void test_every_truncation(void **state)
{
	char path[PATH_LEN];
	struct log in = write_recording(path, 150, 1), out;
	enum capture_end end;
	unsigned char *bytes;
	size_t len;
	int err;

	bytes = slurp(path, &len);
	for (size_t cut = 0; cut < len; cut++) {
		spill(path, bytes, cut);
		out = read_recording(path, &end, &err);
		if (cut < sizeof(struct capture_header))
			assert_int_equal(err, -EINVAL);
		else
			assert_int_equal(end, CAPTURE_CUT);
		check_is_a_beginning(&in, &out);
		free(out.bytes);
	}
	free(bytes);
	free(in.bytes);
}

static void test_bit_flips(void **state)
{
	char path[PATH_LEN];
	struct log in = write_recording(path, 300, 1), out;
	enum capture_end end;
	unsigned char *bytes;
	uint32_t seed = 7;
	size_t len;
	int err;

	bytes = slurp(path, &len);
	for (int i = 0; i < 3000; i++) {
		size_t at = lcg(&seed) % len;
		unsigned char bit = 1 << (seed >> 20) % 8;

		bytes[at] ^= bit;
		spill(path, bytes, len);
		out = read_recording(path, &end, &err);
		assert_true(err || end != CAPTURE_WHOLE);
		check_is_a_beginning(&in, &out);
		free(out.bytes);
		bytes[at] ^= bit;
	}
	free(bytes);
	free(in.bytes);
}

static int ignore(void *ctx, const void *data, size_t size)
{
	assert_true(size >= sizeof(struct iolat_head));
	return 0;
}

/* Past the checksum, too: the decoder alone stands any bytes. */
static void test_the_decoder_stands_noise(void **state)
{
	struct decoder *d = decoder_new();
	unsigned char raw[4096];
	uint32_t seed = 3;

	for (int i = 0; i < 20000; i++) {
		size_t len = lcg(&seed) % sizeof(raw);
		int err;

		for (size_t k = 0; k < len; k++)
			raw[k] = lcg(&seed) >> 24 & (i % 2 ? 0xff : 0x03);
		err = decoder_block(d, raw, len, ignore, NULL);
		assert_true(err == 0 || err == -EBADMSG);
	}
	decoder_free(d);
}

static void test_other_files_are_refused_by_name(void **state)
{
	struct capture_header h = {CAPTURE_MAGIC, CAPTURE_VERSION + 1, CAPTURE_ORDER, 0, 0};
	char path[PATH_LEN];
	struct capture_reader *r;
	uint32_t version;

	close(make_file(path));
	assert_int_equal(capture_open(&r, path, &version), -EINVAL);
	spill(path, (const unsigned char *)"not a recording at all", 22);
	assert_int_equal(capture_open(&r, path, &version), -EINVAL);
	spill(path, (const unsigned char *)&h, sizeof(h));
	assert_int_equal(capture_open(&r, path, &version), -EPROTO);
	assert_int_equal(version, CAPTURE_VERSION + 1);
	h.version = CAPTURE_VERSION;
	h.request = sizeof(struct iolat_request) + 8;
	h.crc = capture_header_crc(&h);
	spill(path, (const unsigned char *)&h, sizeof(h));
	assert_int_equal(capture_open(&r, path, &version), -EPROTO);
	assert_int_equal(version, 0);
	assert_int_equal(capture_open(&r, "/nowhere/at/all", &version), -ENOENT);
}

/* A recorder before a field was added: the same events, shorter. */
static void test_shorter_events_get_zeros(void **state)
{
	char path[PATH_LEN];
	uint32_t seed = 1;
	struct iolat_wait wait = wait_event(&seed, 500000);
	struct capture_writer *w;
	enum capture_end end;
	struct log out;
	int err;

	wait.head.size = offsetof(struct iolat_wait, major_faults);
	assert_int_equal(capture_create(&w, make_file(path)), 0);
	for (int i = 0; i < 2; i++) /* as it is, and by its difference */
		assert_int_equal(capture_add(w, &wait, wait.head.size), 0);
	assert_int_equal(capture_close(w, 99), 0);
	out = read_recording(path, &end, &err);
	assert_int_equal(end, CAPTURE_WHOLE);
	assert_int_equal(out.events, 3);
	memset((char *)&wait + wait.head.size, 0, sizeof(wait) - wait.head.size);
	wait.head.size = sizeof(wait);
	assert_memory_equal(out.bytes, &wait, sizeof(wait));
	assert_memory_equal(out.bytes + sizeof(wait), &wait, sizeof(wait));
	free(out.bytes);
}

/* A steady worker: same subject, sequential, times that vary in a few microseconds. */
static void test_a_request_takes_few_bytes(void **state)
{
	char path[PATH_LEN];
	struct capture_writer *w;
	uint32_t seed = 5;
	uint64_t now = 1000000000;
	const unsigned int n = 20000;

	assert_int_equal(capture_create(&w, make_file(path)), 0);
	for (unsigned int i = 0; i < n; i++) {
		struct iolat_request e = request(&seed, now += 20000 + lcg(&seed) % 10000);

		e.sector = lcg(&seed) % 100000000 * 8;
		e.device_ns = 80000 + lcg(&seed) % 50000;
		e.bytes = 4096;
		assert_int_equal(capture_add(w, &e, sizeof(e)), 0);
	}
	assert_int_equal(capture_flush(w), 0);
	assert_true(capture_bytes(w) <= 24 * n);
	assert_int_equal(capture_close(w, now), 0);
}

/* --- several files ------------------------------------------------------------------ */

static uint64_t lost_of(const void *event)
{
	return ((const struct iolat_counters *)event)->lost;
}

static uint64_t kernel_of(const void *event)
{
	return ((const struct iolat_disk_facts *)event)->kernel_ios;
}

/* Counts go on where the file before has ended; what is told again is left out, and the end but of the last. */
static void test_parts_are_one_stream(void **state)
{
	struct iolat_counters counters = {.head = {IOLAT_EV_COUNTERS, sizeof(counters)}, .lost = 3};
	struct iolat_disk_facts facts = {.head = {IOLAT_EV_DISK_FACTS, sizeof(facts)}, .disk = 7, .kernel_ios = 10};
	const struct iolat_run run = {.head = {IOLAT_EV_RUN, sizeof(run)}};
	const struct iolat_end end = {.head = {IOLAT_EV_END, sizeof(end)}};
	struct parts p;

	parts_init(&p, false);
	assert_ptr_equal(parts_take(&p, &run, sizeof(run)), &run);
	assert_int_equal(lost_of(parts_take(&p, &counters, sizeof(counters))), 3);
	assert_int_equal(kernel_of(parts_take(&p, &facts, sizeof(facts))), 10);
	assert_null(parts_take(&p, &end, sizeof(end)));
	parts_next(&p, true);
	assert_null(parts_take(&p, &run, sizeof(run)));
	counters.lost = 1;
	facts.kernel_ios = 5;
	for (int i = 0; i < 2; i++) { /* each time all that was counted in the file */
		assert_int_equal(lost_of(parts_take(&p, &counters, sizeof(counters))), 4);
		assert_int_equal(kernel_of(parts_take(&p, &facts, sizeof(facts))), 15);
	}
	facts.incomparable = 1;
	assert_int_equal(kernel_of(parts_take(&p, &facts, sizeof(facts))), 0);
	assert_ptr_equal(parts_take(&p, &end, sizeof(end)), &end);
	parts_free(&p);
}

static void test_parts_know_each_other(void **state)
{
	const struct iolat_run one = {.host = "a", .first_ns = 5}, first = {.host = "a", .first_ns = 5, .part = 1};
	struct iolat_run next = {.host = "a", .first_ns = 5, .part = 2};

	assert_true(parts_follow(&first, &next));
	assert_false(parts_follow(&next, &first));
	assert_false(parts_follow(&one, &next));
	next.first_ns = 6;
	assert_false(parts_follow(&first, &next));
	next = (struct iolat_run){.host = "b", .first_ns = 5, .part = 2};
	assert_false(parts_follow(&first, &next));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_written_is_read),
		cmocka_unit_test(test_a_killed_run_is_read_to_its_last_block),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_the_decoder_stands_noise),
		cmocka_unit_test(test_other_files_are_refused_by_name),
		cmocka_unit_test(test_shorter_events_get_zeros),
		cmocka_unit_test(test_a_request_takes_few_bytes),
		cmocka_unit_test(test_parts_are_one_stream),
		cmocka_unit_test(test_parts_know_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
