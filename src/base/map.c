/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open addressing with linear probing over two arrays, keys and values. Deleting leaves a mark
 * where a probe must go on, and rehashing, sized by the live entries, drops the marks: weeks of
 * entries that come and go do not grow it. Used by attrib and stats for everything found by id.
 */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIN_CAPACITY 16

static const char gone_mark;
#define MAP_GONE ((void *)&gone_mark)

static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

uint64_t map_hash(const void *key, size_t len)
{
	const unsigned char *p = key;
	uint64_t h = len * 0x9e3779b97f4a7c15ULL;
	uint64_t word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = mix(h ^ word) + 0x9e3779b97f4a7c15ULL;
	}
	if (!len)
		return h;
	word = 0;
	memcpy(&word, p, len);
	return mix(h ^ word);
}

static unsigned char *key_at(const struct map *m, size_t slot)
{
	return m->keys + slot * m->key_len;
}

void map_init(struct map *m, size_t key_len)
{
	*m = (struct map){.key_len = key_len};
}

void map_free(struct map *m)
{
	free(m->keys);
	free(m->values);
	map_init(m, m->key_len);
}

/* The slot of the key, or `capacity` when it is not there; *room, if asked for, is then where it
 * can go: the first deleted slot on its way, else the empty one that ended the search. */
static size_t find_slot(const struct map *m, const void *key, size_t *room)
{
	size_t mask = m->capacity - 1;
	size_t slot, free_slot = m->capacity;

	if (!m->capacity)
		return 0;
	for (slot = map_hash(key, m->key_len) & mask; m->values[slot]; slot = (slot + 1) & mask) {
		if (m->values[slot] == MAP_GONE) {
			if (free_slot == m->capacity)
				free_slot = slot;
		} else if (!memcmp(key_at(m, slot), key, m->key_len)) {
			return slot;
		}
	}
	if (room)
		*room = free_slot == m->capacity ? slot : free_slot;
	return m->capacity;
}

void *map_get(const struct map *m, const void *key)
{
	size_t slot = find_slot(m, key, NULL);

	return slot < m->capacity ? m->values[slot] : NULL;
}

/* Stores a key that is known not to be there, in a map that has room. */
static void insert(struct map *m, const void *key, void *value)
{
	size_t slot = 0;

	find_slot(m, key, &slot);
	if (!m->values[slot])
		m->used++;
	memcpy(key_at(m, slot), key, m->key_len);
	m->values[slot] = value;
	m->count++;
}

static int rehash(struct map *m, size_t capacity)
{
	struct map bigger = {.key_len = m->key_len, .capacity = capacity};
	const void *key;
	void *value;

	bigger.keys = calloc(capacity, m->key_len);
	bigger.values = calloc(capacity, sizeof(*bigger.values));
	if (!bigger.keys || !bigger.values) {
		map_free(&bigger);
		return -ENOMEM;
	}
	for (size_t i = 0; (value = map_next(m, &i, &key));)
		insert(&bigger, key, value);
	map_free(m);
	*m = bigger;
	return 0;
}

/* Room for one more at no more than three quarters full, deleted slots counted. */
static int make_room(struct map *m)
{
	size_t capacity = MIN_CAPACITY;

	if (m->used < m->capacity / 4 * 3)
		return 0;
	while (capacity / 2 <= m->count) {
		if (__builtin_mul_overflow(capacity, 2, &capacity))
			return -ENOMEM;
	}
	return rehash(m, capacity);
}

int map_put(struct map *m, const void *key, void *value)
{
	size_t slot = find_slot(m, key, NULL);
	int err;

	if (slot < m->capacity) {
		m->values[slot] = value;
		return 0;
	}
	err = make_room(m);
	if (err)
		return err;
	insert(m, key, value);
	return 0;
}

/* A mark is needed only while something follows it; takes back the ones before it, too. */
static void drop_marks(struct map *m, size_t slot)
{
	size_t mask = m->capacity - 1;

	if (m->values[(slot + 1) & mask])
		return;
	for (; m->values[slot] == MAP_GONE; slot = (slot - 1) & mask) {
		m->values[slot] = NULL;
		m->used--;
	}
}

void *map_del(struct map *m, const void *key)
{
	size_t slot = find_slot(m, key, NULL);
	void *value;

	if (slot == m->capacity)
		return NULL;
	value = m->values[slot];
	m->values[slot] = MAP_GONE;
	m->count--;
	drop_marks(m, slot);
	return value;
}

void map_clear(struct map *m)
{
	if (m->capacity)
		memset(m->values, 0, m->capacity * sizeof(*m->values));
	m->count = 0;
	m->used = 0;
}

void *map_next(const struct map *m, size_t *i, const void **key)
{
	while (*i < m->capacity) {
		size_t slot = (*i)++;

		if (!m->values[slot] || m->values[slot] == MAP_GONE)
			continue;
		if (key)
			*key = key_at(m, slot);
		return m->values[slot];
	}
	return NULL;
}
