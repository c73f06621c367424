// SPDX-License-Identifier: GPL-2.0
/* What a turn of reading takes from the rings: facts before what needs them, and no more than it may, whatever comes. */
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/intake.h"
#include "feed.h"

#define RING_SIZE (1u << 20)

/* A ring as the kernel lays it out, in a file. */
struct fake_ring {
	int fd;
	unsigned char *at; /* the consumer's page, the producer's, the data */
	unsigned long end;
};

struct fixture {
	struct fake_ring facts, requests;
	struct intake intake;
	size_t n_facts, n_requests;
	bool endless; /* each fact that is read makes another one */
};

static size_t page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void make_ring(struct fake_ring *r)
{
	size_t size = 2 * page() + RING_SIZE;

	r->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(r->fd >= 0);
	assert_int_equal(ftruncate(r->fd, (off_t)size), 0);
	r->at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	assert_true(r->at != MAP_FAILED);
}

static void free_ring(struct fake_ring *r)
{
	munmap(r->at, 2 * page() + RING_SIZE);
	close(r->fd);
}

static void put(struct fake_ring *r, const void *event, size_t size)
{
	unsigned char *data = r->at + 2 * page();
	uint32_t head[2] = {(uint32_t)size, 0};

	assert_int_equal(size % 8, 0);
	for (size_t i = 0; i < size + 8; i++)
		data[(r->end + i) % RING_SIZE] = i < 8 ? ((unsigned char *)head)[i] : ((const unsigned char *)event)[i - 8];
	r->end += size + 8;
	*(unsigned long *)(r->at + page()) = r->end;
}

static void put_fact(struct fixture *f)
{
	struct iolat_task e = a_task(IOLAT_TASK_NEW, 100, 5, "storm");

	put(&f->facts, &e, sizeof(e));
}

/* One that has just ended. */
static void put_request(struct fixture *f)
{
	struct iolat_request e = a_request();

	e.end_ns = monotonic_ns();
	put(&f->requests, &e, sizeof(e));
}

static int take(void *ctx, const void *data, size_t size)
{
	const struct iolat_head *head = data;
	struct fixture *f = ctx;

	if (head->kind == IOLAT_EV_REQUEST) {
		f->n_requests++;
		return 0;
	}
	f->n_facts++;
	if (f->endless)
		put_fact(f);
	return 0;
}

static struct fixture *start(void)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	make_ring(&f->facts);
	make_ring(&f->requests);
	assert_int_equal(intake_open(&f->intake, f->facts.fd, RING_SIZE, 1), 0);
	assert_int_equal(intake_add(&f->intake, f->requests.fd, RING_SIZE), 0);
	return f;
}

static void finish(struct fixture *f)
{
	intake_close(&f->intake);
	free_ring(&f->facts);
	free_ring(&f->requests);
	test_free(f);
}

static int turn(struct fixture *f, size_t most)
{
	return intake_drain(&f->intake, &(struct sink){take, f}, most);
}

static void test_facts_count_in_a_turn(void **state)
{
	struct fixture *f = start();

	for (int i = 0; i < 1000; i++)
		put_fact(f);
	put_request(f);
	assert_int_equal(turn(f, 400), 1);
	assert_int_equal(f->n_facts, 400);
	assert_int_equal(turn(f, 400), 1);
	assert_int_equal(f->n_requests, 0); /* it may need those to come */
	assert_int_equal(turn(f, 400), 0);
	assert_int_equal(f->n_facts, 1000);
	assert_int_equal(f->n_requests, 1);
	finish(f);
}

static void test_requests_count_in_a_turn(void **state)
{
	struct fixture *f = start();

	put_fact(f);
	for (int i = 0; i < 1000; i++)
		put_request(f);
	assert_int_equal(turn(f, 400), 1);
	assert_int_equal(f->n_facts + f->n_requests, 400);
	assert_int_equal(turn(f, SIZE_MAX), 0);
	assert_int_equal(f->n_requests, 1000);
	finish(f);
}

/* Facts that come without end hold up neither the turn nor the requests. */
static void test_facts_without_end(void **state)
{
	struct fixture *f = start();

	f->endless = true;
	for (int i = 0; i < 1000; i++)
		put_fact(f);
	put_request(f);
	for (size_t i = 1; i <= 3; i++) {
		assert_true(turn(f, 400) >= 0);
		assert_true(f->n_facts + f->n_requests <= 400 * i);
	}
	assert_int_equal(f->n_requests, 1);
	finish(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts_count_in_a_turn),
		cmocka_unit_test(test_requests_count_in_a_turn),
		cmocka_unit_test(test_facts_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
