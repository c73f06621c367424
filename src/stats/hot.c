// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the cache in front of the look-ups; all else is inline, since it stands
 * in every request's way.
 */
#include "stats/hot.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(sizeof(struct hot_entry) == 64, "an entry is a cache line");

int hot_init(struct hot *h)
{
	size_t size = HOT_ENTRIES * sizeof(*h->entries);

	h->entries = aligned_alloc(sizeof(*h->entries), size);
	if (!h->entries)
		return -ENOMEM;
	for (size_t i = 0; i < HOT_ENTRIES; i++)
		h->entries[i] = (struct hot_entry){.key.epoch = 0};
	return 0;
}

void hot_free(struct hot *h)
{
	free(h->entries);
}
