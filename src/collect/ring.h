/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reading end of one BPF ring buffer. Unlike libbpf's it can look at a record before
 * taking it (records of several rings are brought into order) and maps the data once.
 */
#ifndef IOLAT_COLLECT_RING_H
#define IOLAT_COLLECT_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
	const unsigned char *data;
	size_t size;			/* of the data, a power of two */
	unsigned long *consumer;	/* shared: how far we are, for the kernel */
	const unsigned long *producer;	/* shared: how far the kernel is */
	unsigned long at;		/* the next record */
	unsigned long mark;		/* records from here on are not shown yet */
	unsigned char *whole;		/* a record that lies around the end, in one piece */
	size_t room;			/* in it */
};

/* Maps a ring of that size; `r` is zeroed or was closed. 0 or -errno. */
int ring_open(struct ring *r, int map_fd, size_t size);
void ring_close(struct ring *r);

/* Makes what has come by now readable; returns the bytes that are. */
size_t ring_mark(struct ring *r);

/* The next record before the mark, valid until ring_take(); NULL: none that is whole. */
const void *ring_peek(struct ring *r, size_t *size);
void ring_take(struct ring *r, size_t size); /* the record that ring_peek() gave, of that size */

/* Gives the room of what was taken back to the kernel; ring_take() does so only now and then. */
void ring_release(struct ring *r);

#endif
