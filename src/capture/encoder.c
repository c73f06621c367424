// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of one subject (owner, disk, op) differ in times and sector only, and those are close to the ones before:
 * that is all that is written of them. Other events are mostly like the last of their kind.
 */
#include "capture/encoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/history.h"

#define MAX_VARINT  10
#define MAX_EVENT   65535u
#define COLUMN_ROOM (CAPTURE_RAW_TARGET + MAX_EVENT + (SLOT_WORDS + 8) * MAX_VARINT)

static size_t write_number(unsigned char *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (unsigned char)(v | 0x80);
	to[n++] = (unsigned char)v;
	return n;
}

static void put(struct encoder *e, enum capture_column column, uint64_t v)
{
	struct column *c = &e->columns[column];

	c->len += write_number(c->bytes + c->len, v);
}

static void put_signed(struct encoder *e, enum capture_column column, int64_t v)
{
	put(e, column, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void put_bytes(struct encoder *e, const void *from, size_t n)
{
	struct column *c = &e->columns[COLUMN_BYTES];

	put(e, COLUMN_BYTES, n);
	memcpy(c->bytes + c->len, from, n);
	c->len += n;
}

int encoder_init(struct encoder *e)
{
	unsigned char *bytes = malloc(CAPTURE_COLUMNS * COLUMN_ROOM);

	*e = (struct encoder){.history = calloc(1, sizeof(*e->history))};
	for (size_t i = 0; bytes && i < CAPTURE_COLUMNS; i++)
		e->columns[i].bytes = bytes + i * COLUMN_ROOM;
	if (bytes && e->history)
		return 0;
	free(bytes);
	encoder_free(e);
	return -ENOMEM;
}

void encoder_free(struct encoder *e)
{
	free(e->columns[0].bytes);
	free(e->history);
	*e = (struct encoder){0};
}

void encoder_next(struct encoder *e)
{
	for (size_t i = 0; i < CAPTURE_COLUMNS; i++)
		e->columns[i].len = 0;
}

size_t encoder_len(const struct encoder *e)
{
	size_t len = 0;

	for (size_t i = 0; i < CAPTURE_COLUMNS; i++)
		len += e->columns[i].len;
	return len;
}

size_t encoder_lengths(const struct encoder *e, unsigned char to[ENCODER_LENGTHS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < CAPTURE_COLUMNS; i++)
		n += write_number(to + n, e->columns[i].len);
	return n;
}

static uint32_t place_of(uint32_t a, uint32_t b)
{
	return (a * 2654435761u ^ b * 2246822519u) >> 16 & (ENCODER_PLACES - 1);
}

/* --- requests ---------------------------------------------------------------------- */

/* The request as a subject has it. */
static void fixed_part(struct iolat_request_file *f, const struct iolat_request *rq, size_t size)
{
	memset((char *)f + size, 0, sizeof(*f) - size);
	memcpy(f, rq, size);
	f->request.end_ns = 0;
	f->request.queue_ns = 0;
	f->request.device_ns = 0;
	f->request.sector = 0;
	f->request.bytes = 0;
	f->request.merged = 0;
	f->inode = 0;
}

static uint32_t find_subject(struct encoder *e, const struct iolat_request *rq, size_t size)
{
	uint32_t place = place_of(rq->tid ^ (uint32_t)rq->cgroup << 8, rq->disk << 12 ^ rq->flags << 4 ^ rq->op);
	struct history *h = e->history;
	struct iolat_request_file fixed;
	uint32_t index = e->subject_at[place];

	fixed_part(&fixed, rq, size);
	if (index && !memcmp(&h->subjects[index - 1].fixed, &fixed, sizeof(fixed)))
		return index - 1;
	index = h->n_subjects++ % SUBJECTS;
	h->subjects[index] = (struct subject){.fixed = fixed};
	e->subject_at[place] = (uint16_t)(index + 1);
	put(e, COLUMN_TAGS, 1);
	put_bytes(e, &fixed, size);
	return index;
}

static void add_request(struct encoder *e, const struct iolat_request *rq, size_t size)
{
	const struct iolat_request_file *file = (const void *)rq;
	uint32_t index = find_subject(e, rq, size);
	struct history *h = e->history;
	struct subject *s = &h->subjects[index];
	bool same = rq->bytes == s->bytes && rq->merged == s->merged;

	put(e, COLUMN_TAGS, 2 + 3 * index + same);
	put_signed(e, COLUMN_TIMES, (int64_t)(rq->end_ns - h->last_ns));
	put(e, COLUMN_QUEUE, rq->queue_ns);
	put(e, COLUMN_DEVICE, rq->device_ns);
	put_signed(e, COLUMN_SECTORS, (int64_t)(rq->sector - s->next_sector));
	if (!same) {
		put(e, COLUMN_SIZES, rq->bytes);
		put(e, COLUMN_SIZES, rq->merged);
	}
	s->next_sector = rq->sector + rq->bytes / 512;
	s->bytes = rq->bytes;
	s->merged = rq->merged;
	history_note_request(h, rq);
	if (size < sizeof(*file))
		return;
	put_signed(e, COLUMN_WORDS, (int64_t)(file->inode - s->inode));
	s->inode = file->inode;
}

/* --- others ------------------------------------------------------------------------- */

/* Kinds of which each thread, disk, ... says its own again and again: what stands behind the head tells which. */
static uint32_t key_of(const struct iolat_head *head, const uint32_t *words)
{
	switch (head->kind) {
	case IOLAT_EV_TASK:
	case IOLAT_EV_WAIT:
	case IOLAT_EV_OTHER:
	case IOLAT_EV_DISK_FACTS:
	case IOLAT_EV_CALLED:
	case IOLAT_EV_GPU:
		return words[1];
	}
	return 0;
}

static void add_alike(struct encoder *e, uint32_t index, const uint32_t *words, uint64_t times)
{
	struct history *h = e->history;
	const struct slot *s = &h->slots[index];
	uint64_t differ = 0, time;

	put(e, COLUMN_TAGS, 4 + 3 * index);
	if (times) {
		memcpy(&time, words + 2, sizeof(time));
		put_signed(e, COLUMN_TIMES, (int64_t)(time - h->last_ns));
	}
	if (times >> 4) {
		memcpy(&time, words + 4, sizeof(time));
		put_signed(e, COLUMN_WAIT_TIMES, (int64_t)(time - *history_submitted(h, words[1])));
	}
	for (uint32_t i = 0; i < s->n && i < SLOT_WORDS; i++)
		differ |= (uint64_t)(words[i] != s->words[i]) << i;
	differ &= ~times;
	put(e, COLUMN_MASKS, differ);
	for (uint32_t i = 0; i < s->n; i++)
		if (differ >> i & 1)
			put_signed(e, COLUMN_WORDS, (int32_t)(words[i] - s->words[i]));
}

static void add_other(struct encoder *e, const void *event, size_t size)
{
	uint32_t words[SLOT_WORDS];
	struct history *h = e->history;
	uint16_t *place;
	struct slot *s;

	memcpy(words, event, size);
	place = &e->slot_at[place_of(words[0], key_of(event, words))];
	s = *place ? &h->slots[*place - 1] : NULL;
	if (s && s->words[0] == words[0] && key_of(event, s->words) == key_of(event, words)) {
		add_alike(e, *place - 1, words, history_time_words(event, size));
	} else {
		*place = (uint16_t)(h->n_slots++ % SLOTS + 1);
		s = &h->slots[*place - 1];
		put(e, COLUMN_TAGS, 0);
		put_bytes(e, event, size);
	}
	history_note(h, s, event, size);
}

int encoder_add(struct encoder *e, const void *event, size_t size)
{
	if (size > MAX_EVENT)
		return -EMSGSIZE;
	if (history_is_request(event, size)) {
		add_request(e, event, size);
	} else if (history_has_slot(size)) {
		add_other(e, event, size);
	} else {
		put(e, COLUMN_TAGS, 0);
		put_bytes(e, event, size);
	}
	return 0;
}
