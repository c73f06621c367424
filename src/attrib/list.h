/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doubly linked lists with the links inside the members. A list is a ring that
 * starts at a head of its own; the oldest member stands first.
 */
#ifndef IOLAT_ATTRIB_LIST_H
#define IOLAT_ATTRIB_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *prev, *next;
};

/* The struct that a link stands in. */
#define list_entry(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void list_init(struct list *l)
{
	l->prev = l->next = l;
}

static inline bool list_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_add(struct list *head, struct list *link)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

/* Takes a link out of its list; harmless when it is in none but initialised. */
static inline void list_del(struct list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	list_init(link);
}

#endif
