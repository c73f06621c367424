/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What writer and reader remember of a recording so far, each by seeing the same events: the next one is mostly like
 * one before.
 */
#ifndef IOLAT_CAPTURE_HISTORY_H
#define IOLAT_CAPTURE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "iolat/wire.h"

/* Kept in turn: the oldest makes room. */
#define SUBJECTS   4096u
#define SLOTS	   1024u
#define SLOT_WORDS 64u /* of an event that is kept in one */
#define THREADS	   1024u

/* Requests of one owner, disk, operation, ... */
struct subject {
	struct iolat_request_file fixed; /* what all of them have alike, the rest zero; head.size tells whether with a file */
	uint64_t next_sector;		 /* behind the last one */
	uint64_t inode;
	uint32_t bytes; /* of the last one, as the next two */
	uint16_t merged;
};

/* Another event, the last one of its kind, and where there is one of its subject. */
struct slot {
	uint32_t n; /* 32-bit words, 0: free */
	uint32_t words[SLOT_WORDS];
};

struct history {
	struct subject subjects[SUBJECTS];
	struct slot slots[SLOTS];
	uint64_t submitted[THREADS]; /* a thread's last request, by the low bits of its number */
	uint64_t last_ns;	     /* the time of the event before */
	uint32_t n_subjects, n_slots; /* ever */
};

static inline bool history_is_request(const void *event, size_t size)
{
	const struct iolat_head *head = event;

	return head->kind == IOLAT_EV_REQUEST &&
	       (size == sizeof(struct iolat_request) || size == sizeof(struct iolat_request_file));
}

/* Whether an event that is no request is kept in a slot. */
static inline bool history_has_slot(size_t size)
{
	return size % 4 == 0 && size >= 12 && size <= 4 * SLOT_WORDS;
}

/* Events with a time of CLOCK_MONOTONIC, which is about the last one's, behind the first 32-bit field. */
static inline bool history_is_timed(uint16_t kind)
{
	switch (kind) {
	case IOLAT_EV_SHARE:
	case IOLAT_EV_TASK:
	case IOLAT_EV_DISK:
	case IOLAT_EV_WAIT:
	case IOLAT_EV_OTHER:
	case IOLAT_EV_LOOK:
	case IOLAT_EV_CALLED:
	case IOLAT_EV_GPU:
	case IOLAT_EV_GPU_PROCESS:
		return true;
	}
	return false;
}

/* Words of an event that its times are in and that are not compared, a bit each: one time, and of waits two. */
static inline uint64_t history_time_words(const struct iolat_head *head, size_t size)
{
	if (!history_is_timed(head->kind) || size < 24)
		return 0;
	return head->kind == IOLAT_EV_WAIT ? 0x3c : 0xc;
}

static inline uint64_t *history_submitted(struct history *h, uint32_t tid)
{
	return &h->submitted[tid % THREADS];
}

static inline void history_note_request(struct history *h, const struct iolat_request *rq)
{
	h->last_ns = rq->end_ns;
	*history_submitted(h, rq->tid) = rq->end_ns - rq->queue_ns - rq->device_ns;
}

/* Puts an event that history_has_slot() into one. */
static inline void history_note(struct history *h, struct slot *s, const void *event, size_t size)
{
	s->n = (uint32_t)(size / 4);
	memcpy(s->words, event, size);
	if (history_time_words(event, size))
		memcpy(&h->last_ns, s->words + 2, sizeof(h->last_ns));
}

#endif
