/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash map from fixed-size keys to pointers: open addressing, grows by itself,
 * keys are copied in. Values belong to the caller.
 */
#ifndef IOLAT_BASE_MAP_H
#define IOLAT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

struct map {
	size_t key_len;
	size_t count;
	size_t capacity;	/* slots, a power of two, or 0 */
	unsigned char *keys;
	void **values;		/* NULL: empty, MAP_GONE: deleted */
	size_t used;		/* slots that are not empty, deleted ones too */
};

void map_init(struct map *m, size_t key_len);
void map_free(struct map *m);				/* not the values */

void *map_get(const struct map *m, const void *key);	/* NULL: not there */
int map_put(struct map *m, const void *key, void *value); /* adds or replaces; value not NULL; 0 or -ENOMEM */
void *map_del(struct map *m, const void *key);		/* the value it had, or NULL */
void map_clear(struct map *m);				/* keeps the memory */

/* for (size_t i = 0; (v = map_next(m, &i, NULL)); ) ...; deleting the current entry is allowed. */
void *map_next(const struct map *m, size_t *i, const void **key);

/* The hash the map uses; for caches beside it. */
uint64_t map_hash(const void *key, size_t len);

#endif
