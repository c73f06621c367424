// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of one subject (owner, disk, op) differ in times and sector only, and those
 * are close to the ones before: that is all that is written of them.
 */
#include "capture/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/format.h"
#include "capture/slot.h"

#define MAX_VARINT    10
#define MAX_EVENT     65535u
#define ITEM_OVERHEAD ((SLOT_WORDS + 8) * MAX_VARINT + sizeof(struct iolat_request))

/* What an item is by its first number. */
enum { ITEM_VERBATIM, ITEM_ALIKE, FIRST_SUBJECT };

struct subject {
	struct iolat_request fixed; /* what all its requests have alike, the rest zero */
	uint64_t next_sector;
	uint32_t index;
};

/* --- numbers ----------------------------------------------------------------------- */

static unsigned char *put(unsigned char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = v | 0x80;
	*to++ = v;
	return to;
}

static unsigned char *put_signed(unsigned char *to, int64_t v)
{
	return put(to, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

struct input {
	const unsigned char *at, *end;
	int bad;
};

static uint64_t take(struct input *in)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		v |= (uint64_t)(*in->at & 0x7f) << shift;
		if (!(*in->at++ & 0x80))
			return v;
	}
	in->bad = 1;
	return 0;
}

static int64_t take_signed(struct input *in)
{
	uint64_t v = take(in);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

static int take_bytes(struct input *in, void *to, size_t n)
{
	if ((size_t)(in->end - in->at) < n)
		return -EBADMSG;
	memcpy(to, in->at, n);
	in->at += n;
	return 0;
}

/* --- subjects ---------------------------------------------------------------------- */

static struct iolat_request fixed_part(const struct iolat_request *e)
{
	struct iolat_request f = *e;

	f.head.size = sizeof(f);
	f.end_ns = 0;
	f.queue_ns = 0;
	f.device_ns = 0;
	f.sector = 0;
	f.bytes = 0;
	f.merged = 0;
	return f;
}

static struct subject *find_subject(struct encoder *e, const struct iolat_request *rq, int *is_new)
{
	struct iolat_request fixed = fixed_part(rq);
	struct subject *s = map_get(&e->by_key, &fixed);

	*is_new = !s;
	if (s)
		return s;
	s = &e->subjects[e->n_subjects];
	*s = (struct subject){.fixed = fixed, .index = e->n_subjects};
	if (map_put(&e->by_key, &fixed, s))
		return NULL;
	e->n_subjects++;
	return s;
}

int encoder_init(struct encoder *e)
{
	*e = (struct encoder){.room = CAPTURE_RAW_TARGET + MAX_EVENT + ITEM_OVERHEAD};
	map_init(&e->by_key, sizeof(struct iolat_request));
	e->raw = malloc(e->room);
	e->subjects = malloc(CAPTURE_SUBJECTS * sizeof(*e->subjects));
	e->slots = calloc(SLOTS, sizeof(*e->slots));
	if (e->raw && e->subjects && e->slots)
		return 0;
	encoder_free(e);
	return -ENOMEM;
}

void encoder_free(struct encoder *e)
{
	free(e->raw);
	free(e->subjects);
	free(e->slots);
	map_free(&e->by_key);
	e->raw = NULL;
	e->subjects = NULL;
	e->slots = NULL;
}

void encoder_reset(struct encoder *e)
{
	map_clear(&e->by_key);
	memset(e->slots, 0, SLOTS * sizeof(*e->slots));
	e->len = 0;
	e->n_subjects = 0;
	e->last_end_ns = 0;
}

int encoder_full(const struct encoder *e)
{
	return e->len >= CAPTURE_RAW_TARGET || e->n_subjects == CAPTURE_SUBJECTS;
}

static int add_request(struct encoder *e, const struct iolat_request *rq)
{
	unsigned char *to = e->raw + e->len;
	int is_new;
	struct subject *s = find_subject(e, rq, &is_new);

	if (!s)
		return -ENOMEM;
	to = put(to, s->index + FIRST_SUBJECT);
	if (is_new) {
		memcpy(to, &s->fixed, sizeof(s->fixed));
		to += sizeof(s->fixed);
	}
	to = put_signed(to, (int64_t)(rq->end_ns - e->last_end_ns));
	to = put(to, rq->queue_ns);
	to = put(to, rq->device_ns);
	to = put_signed(to, (int64_t)(rq->sector - s->next_sector));
	to = put(to, rq->bytes);
	to = put(to, rq->merged);
	e->last_end_ns = rq->end_ns;
	s->next_sector = rq->sector + rq->bytes / 512;
	e->len = to - e->raw;
	return 0;
}

/* A request that a newer writer made longer keeps its extra fields this way, too. */
static int add_verbatim(struct encoder *e, const void *event, size_t size)
{
	unsigned char *to = e->raw + e->len;

	to = put(to, ITEM_VERBATIM);
	to = put(to, size);
	memcpy(to, event, size);
	e->len = to + size - e->raw;
	return 0;
}

static int add_alike(struct encoder *e, uint32_t index, const void *event)
{
	unsigned char *to = put(put(e->raw + e->len, ITEM_ALIKE), index);
	const struct slot *s = &e->slots[index];
	uint32_t words[SLOT_WORDS];
	uint64_t differ = 0;

	memcpy(words, event, 4 * s->n);
	for (uint32_t i = 0; i < s->n; i++)
		differ |= (uint64_t)(words[i] != s->words[i]) << i;
	to = put(to, differ);
	for (uint32_t i = 0; i < s->n; i++)
		if (differ >> i & 1)
			to = put_signed(to, (int32_t)(words[i] - s->words[i]));
	e->len = to - e->raw;
	return 0;
}

int encoder_add(struct encoder *e, const void *event, size_t size)
{
	const struct iolat_head *head = event;
	uint32_t slot;
	int err;

	if (size > MAX_EVENT)
		return -EMSGSIZE;
	if (head->kind == IOLAT_EV_REQUEST && size == sizeof(struct iolat_request))
		return add_request(e, event);
	slot = slot_of(event, size, sizeof(struct iolat_request));
	if (slot == SLOTS)
		return add_verbatim(e, event, size);
	err = slot_fits(&e->slots[slot], event, size) ? add_alike(e, slot, event) : add_verbatim(e, event, size);
	slot_fill(&e->slots[slot], event, size);
	return err;
}

/* --- back -------------------------------------------------------------------------- */

struct decoder {
	struct input in;
	size_t request_size;
	struct slot *slots;
	struct subject *subjects;
	uint32_t n_subjects;
	uint64_t last_end_ns;
	uint64_t event[(MAX_EVENT + 8) / 8]; /* aligned */
};

static struct subject *take_subject(struct decoder *d, uint64_t index)
{
	struct subject *s;

	if (index < d->n_subjects)
		return &d->subjects[index];
	if (index > d->n_subjects || index >= CAPTURE_SUBJECTS)
		return NULL;
	s = &d->subjects[d->n_subjects];
	*s = (struct subject){0};
	if (take_bytes(&d->in, &s->fixed, d->request_size))
		return NULL;
	s->fixed.head.size = sizeof(s->fixed);
	d->n_subjects++;
	return s;
}

static int take_request(struct decoder *d, uint64_t index, size_t *size)
{
	struct subject *s = take_subject(d, index);
	struct iolat_request rq;

	if (!s)
		return -EBADMSG;
	rq = s->fixed;
	rq.end_ns = d->last_end_ns + (uint64_t)take_signed(&d->in);
	rq.queue_ns = take(&d->in);
	rq.device_ns = take(&d->in);
	rq.sector = s->next_sector + (uint64_t)take_signed(&d->in);
	rq.bytes = take(&d->in);
	rq.merged = take(&d->in);
	d->last_end_ns = rq.end_ns;
	s->next_sector = rq.sector + rq.bytes / 512;
	*size = sizeof(rq);
	memcpy(d->event, &rq, sizeof(rq));
	return 0;
}

static int take_verbatim(struct decoder *d, size_t *size)
{
	uint64_t n = take(&d->in);

	if (d->in.bad || n < sizeof(struct iolat_head) || n > MAX_EVENT)
		return -EBADMSG;
	*size = n;
	return take_bytes(&d->in, d->event, n);
}

static int take_alike(struct decoder *d, size_t *size)
{
	uint64_t index = take(&d->in), differ = take(&d->in);
	struct slot *s = index < SLOTS ? &d->slots[index] : NULL;

	if (!s || !s->n || (s->n < 64 && differ >> s->n))
		return -EBADMSG;
	for (uint32_t i = 0; i < s->n; i++)
		if (differ >> i & 1)
			s->words[i] += (uint32_t)take_signed(&d->in);
	*size = 4 * s->n;
	memcpy(d->event, s->words, *size);
	return 0;
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

static int take_item(struct decoder *d, size_t *size)
{
	uint64_t tag = take(&d->in);
	int err = -EBADMSG;
	uint32_t slot;

	if (!d->in.bad && tag == ITEM_ALIKE)
		err = take_alike(d, size);
	else if (!d->in.bad)
		err = tag ? take_request(d, tag - FIRST_SUBJECT, size) : take_verbatim(d, size);
	if (err || d->in.bad)
		return -EBADMSG;
	slot = tag ? SLOTS : slot_of(d->event, *size, d->request_size);
	if (slot < SLOTS)
		slot_fill(&d->slots[slot], d->event, *size);
	lengthen(d, size);
	return 0;
}

int capture_decode(const unsigned char *raw, size_t len, size_t request_size,
		   int (*event)(void *ctx, const void *data, size_t size), void *ctx)
{
	struct decoder *d = malloc(sizeof(*d));
	size_t size;
	int err = 0;

	if (!d)
		return -ENOMEM;
	*d = (struct decoder){.in = {.at = raw, .end = raw + len}, .request_size = request_size};
	d->subjects = malloc(CAPTURE_SUBJECTS * sizeof(*d->subjects));
	d->slots = calloc(SLOTS, sizeof(*d->slots));
	if (!d->subjects || !d->slots)
		err = -ENOMEM;
	while (!err && d->in.at < d->in.end) {
		err = take_item(d, &size);
		err = err ?: event(ctx, d->event, size);
	}
	free(d->subjects);
	free(d->slots);
	free(d);
	return err;
}
