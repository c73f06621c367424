// SPDX-License-Identifier: GPL-2.0
/*
 * The layout is the kernel's (kernel/bpf/ringbuf.c): a page with the consumer's position, a
 * page with the producer's, the data. A record is a header of eight bytes, then its bytes,
 * rounded up to eight.
 */
#include "collect/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RELEASE_EVERY 4096u /* bytes: the position's cache line is the producers', too */

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static int map_positions(struct ring *r, int fd)
{
	size_t page = page_size();
	void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *producer;

	if (consumer == MAP_FAILED)
		return -errno;
	r->consumer = consumer;
	producer = mmap(NULL, page + r->size, PROT_READ, MAP_SHARED, fd, page);
	if (producer == MAP_FAILED)
		return -errno;
	r->producer = producer;
	r->data = (unsigned char *)producer + page;
	return 0;
}

int ring_open(struct ring *r, int map_fd, size_t size)
{
	int err;

	*r = (struct ring){.size = size};
	err = map_positions(r, map_fd);
	if (err)
		ring_close(r);
	else
		r->at = r->mark = *r->consumer;
	return err;
}

void ring_close(struct ring *r)
{
	if (r->consumer)
		munmap(r->consumer, page_size());
	if (r->producer)
		munmap((void *)r->producer, page_size() + r->size);
	free(r->whole);
	*r = (struct ring){0};
}

size_t ring_mark(struct ring *r)
{
	r->mark = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	return r->mark - r->at;
}

static size_t footprint(size_t size)
{
	return (BPF_RINGBUF_HDR_SZ + size + 7) & ~(size_t)7;
}

void ring_release(struct ring *r)
{
	__atomic_store_n(r->consumer, r->at, __ATOMIC_RELEASE);
}

void ring_take(struct ring *r, size_t size)
{
	unsigned long before = r->at;

	r->at += footprint(size);
	if (before / RELEASE_EVERY != r->at / RELEASE_EVERY)
		ring_release(r);
}

/* A record's bytes in one piece; NULL: out of memory. */
static const void *in_one_piece(struct ring *r, size_t size)
{
	size_t from = (r->at + BPF_RINGBUF_HDR_SZ) & (r->size - 1), first = r->size - from;

	if (size <= first)
		return r->data + from;
	if (size > r->room) {
		unsigned char *more = realloc(r->whole, size);

		if (!more)
			return NULL;
		r->whole = more;
		r->room = size;
	}
	memcpy(r->whole, r->data + from, first);
	memcpy(r->whole + first, r->data, size - first);
	return r->whole;
}

const void *ring_peek(struct ring *r, size_t *size)
{
	while (r->at != r->mark) {
		const unsigned int *head = (const void *)(r->data + (r->at & (r->size - 1)));
		unsigned int len = __atomic_load_n(head, __ATOMIC_ACQUIRE);

		if (len & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*size = len & ~BPF_RINGBUF_DISCARD_BIT;
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			return in_one_piece(r, *size);
		ring_take(r, *size);
	}
	return NULL;
}
