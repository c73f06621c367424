/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last event of each kind and subject in a block: the next one is mostly alike. Writer and reader keep the
 * same slots by seeing the same events.
 */
#ifndef IOLAT_CAPTURE_SLOT_H
#define IOLAT_CAPTURE_SLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "iolat/wire.h"

#define SLOTS	   256u
#define SLOT_WORDS 64u /* of an event that has one */

struct slot {
	uint32_t n; /* words, 0: free */
	uint32_t words[SLOT_WORDS];
};

/* Its place, or SLOTS: such an event has none. By kind and the word behind the head: a thread, a disk.
 * Plain requests have a coding of their own. */
static inline uint32_t slot_of(const void *event, size_t size, size_t request_size)
{
	const struct iolat_head *head = event;
	uint32_t word;

	if ((head->kind == IOLAT_EV_REQUEST && size == request_size) || size % 4 || size < 12 || size > 4 * SLOT_WORDS)
		return SLOTS;
	memcpy(&word, (const char *)event + sizeof(*head), sizeof(word));
	return (head->kind * 37u + word) % SLOTS;
}

static inline void slot_fill(struct slot *s, const void *event, size_t size)
{
	s->n = (uint32_t)(size / 4);
	memcpy(s->words, event, size);
}

/* Whether an event differs from the slot's in its fields alone. */
static inline bool slot_fits(const struct slot *s, const void *event, size_t size)
{
	return s->n == size / 4 && !memcmp(s->words, event, sizeof(struct iolat_head));
}

#endif
