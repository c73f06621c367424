// SPDX-License-Identifier: GPL-2.0
/* The encoder's way back, with every number in doubt. */
#include "capture/decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/format.h"
#include "capture/history.h"

#define MAX_EVENT 65535u

struct input {
	const unsigned char *at, *end;
};

struct decoder {
	struct input columns[CAPTURE_COLUMNS];
	bool bad; /* a number was not there */
	struct history history;
	uint64_t event[(MAX_EVENT + 8) / 8]; /* aligned */
};

struct decoder *decoder_new(void)
{
	return calloc(1, sizeof(struct decoder));
}

void decoder_free(struct decoder *d)
{
	free(d);
}

static uint64_t take_from(struct decoder *d, struct input *in)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		v |= (uint64_t)(*in->at & 0x7f) << shift;
		if (!(*in->at++ & 0x80))
			return v;
	}
	d->bad = true;
	return 0;
}

static uint64_t take(struct decoder *d, enum capture_column column)
{
	return take_from(d, &d->columns[column]);
}

static uint64_t take_signed(struct decoder *d, enum capture_column column)
{
	uint64_t v = take(d, column);

	return v >> 1 ^ -(v & 1);
}

/* At most `most` bytes into d->event; how many, 0: not so. */
static size_t take_bytes(struct decoder *d, size_t most)
{
	struct input *in = &d->columns[COLUMN_BYTES];
	uint64_t n = take_from(d, in);

	if (d->bad || n < sizeof(struct iolat_head) || n > most || n > (size_t)(in->end - in->at))
		return 0;
	memcpy(d->event, in->at, n);
	in->at += n;
	return n;
}

/* --- items -------------------------------------------------------------------------- */

static bool take_subject(struct decoder *d)
{
	struct history *h = &d->history;
	size_t n = take_bytes(d, sizeof(struct iolat_request_file));
	struct subject *s = &h->subjects[h->n_subjects % SUBJECTS];
	const struct iolat_head *head = (const void *)d->event;

	if (!history_is_request(d->event, n) || head->size != n)
		return false;
	*s = (struct subject){0};
	memcpy(&s->fixed, d->event, n);
	h->n_subjects++;
	return true;
}

static size_t take_request(struct decoder *d, uint64_t index, bool same)
{
	struct history *h = &d->history;
	struct subject *s = &h->subjects[index % SUBJECTS];
	struct iolat_request_file file = s->fixed;
	struct iolat_request *rq = &file.request;

	if (index >= SUBJECTS || index >= h->n_subjects)
		return 0;
	rq->end_ns = h->last_ns + take_signed(d, COLUMN_TIMES);
	rq->queue_ns = take(d, COLUMN_QUEUE);
	rq->device_ns = take(d, COLUMN_DEVICE);
	rq->sector = s->next_sector + take_signed(d, COLUMN_SECTORS);
	if (!same) {
		s->bytes = (uint32_t)take(d, COLUMN_SIZES);
		s->merged = (uint16_t)take(d, COLUMN_SIZES);
	}
	rq->bytes = s->bytes;
	rq->merged = s->merged;
	s->next_sector = rq->sector + rq->bytes / 512;
	history_note_request(h, rq);
	if (rq->head.size == sizeof(file))
		s->inode = file.inode = s->inode + take_signed(d, COLUMN_WORDS);
	memcpy(d->event, &file, sizeof(file));
	return rq->head.size;
}

static size_t take_verbatim(struct decoder *d)
{
	struct history *h = &d->history;
	size_t n = take_bytes(d, MAX_EVENT);

	if (n && !history_is_request(d->event, n) && history_has_slot(n))
		history_note(h, &h->slots[h->n_slots++ % SLOTS], d->event, n);
	return n;
}

static void put_time(struct slot *s, uint32_t word, uint64_t time)
{
	memcpy(s->words + word, &time, sizeof(time));
}

static size_t take_alike(struct decoder *d, uint64_t index)
{
	struct history *h = &d->history;
	struct slot *s = &h->slots[index % SLOTS];
	uint64_t times, differ = take(d, COLUMN_MASKS);

	if (index >= SLOTS || !s->n)
		return 0;
	times = history_time_words((const void *)s->words, 4 * s->n);
	if (differ & (times | 1) || (s->n < 64 && differ >> s->n))
		return 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (differ >> i & 1)
			s->words[i] += (uint32_t)take_signed(d, COLUMN_WORDS);
	if (times)
		put_time(s, 2, h->last_ns + take_signed(d, COLUMN_TIMES));
	if (times >> 4)
		put_time(s, 4, *history_submitted(h, s->words[1]) + take_signed(d, COLUMN_WAIT_TIMES));
	memcpy(d->event, s->words, 4 * s->n);
	history_note(h, s, d->event, 4 * s->n);
	return 4 * s->n;
}

/* Fields that were added at the end of a struct since are zero. */
static void lengthen(struct decoder *d, size_t *size)
{
	static const size_t sizes[IOLAT_EV_MAX] = {
#define X(KIND, name) [IOLAT_EV_##KIND] = sizeof(struct iolat_##name),
		IOLAT_EVENTS(X)
#undef X
	};
	struct iolat_head *head = (struct iolat_head *)d->event;
	size_t now = head->kind < IOLAT_EV_MAX ? sizes[head->kind] : 0;

	if (head->size != *size || *size >= now)
		return;
	memset((char *)d->event + *size, 0, now - *size);
	*size = now;
	head->size = (uint16_t)now;
}

/* The next event, in d->event; its size, or 0: there is none. */
static size_t take_item(struct decoder *d)
{
	uint64_t tag = take(d, COLUMN_TAGS), index;

	if (!tag)
		return take_verbatim(d);
	if (tag == 1)
		tag = take_subject(d) ? take(d, COLUMN_TAGS) : 0;
	index = (tag - 2) / 3;
	if (tag < 2)
		return 0;
	if ((tag - 2) % 3 < 2)
		return take_request(d, index, (tag - 2) % 3);
	return take_alike(d, index);
}

/* --- blocks ------------------------------------------------------------------------- */

static bool divide(struct decoder *d, const unsigned char *raw, size_t len)
{
	struct input in = {raw, raw + len};
	uint64_t lengths[CAPTURE_COLUMNS];

	d->bad = false;
	for (size_t i = 0; i < CAPTURE_COLUMNS; i++)
		lengths[i] = take_from(d, &in);
	for (size_t i = 0; !d->bad && i < CAPTURE_COLUMNS; i++) {
		if (lengths[i] > (size_t)(in.end - in.at))
			return false;
		d->columns[i] = (struct input){in.at, in.at + lengths[i]};
		in.at += lengths[i];
	}
	return !d->bad;
}

int decoder_block(struct decoder *d, const unsigned char *raw, size_t len,
		  int (*event)(void *ctx, const void *data, size_t size), void *ctx)
{
	const struct input *tags = &d->columns[COLUMN_TAGS];
	size_t size;
	int err = divide(d, raw, len) ? 0 : -EBADMSG;

	while (!err && tags->at < tags->end) {
		size = take_item(d);
		if (!size || d->bad)
			return -EBADMSG;
		lengthen(d, &size);
		err = event(ctx, d->event, size);
	}
	return err;
}
