/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a selection that the kernel side does not judge: processes by name or
 * owner, with their descendants, and containers, pods and jobs. It works on what events
 * have told alone, so it holds for a recording as for a live run.
 *
 * A process is a member when its comm matches (at its start, or after an exec or a
 * rename), its uid is listed, or its parent was a member when it was forked. Once a
 * member, always one. Kinds are AND-ed, the entries of a kind OR-ed.
 */
#ifndef IOLAT_ATTRIB_SELECT_H
#define IOLAT_ATTRIB_SELECT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct container;
struct pod;
struct job;

struct select_words { /* owned */
	char **at;
	size_t n;
};

struct selection {
	regex_t *names;		/* POSIX extended; any match in the comm */
	size_t n_names;
	uint32_t *uids;
	size_t n_uids;
	struct select_words containers; /* a name, or the first digits of an id */
	struct select_words pods;	/* [NAMESPACE/]POD, or a uid */
	struct select_words jobs;
};

/* Bits of a process's membership. */
enum { SELECT_NAME = 1 << 0, SELECT_USER = 1 << 1 };

/* The bits that comm and uid earn by themselves (comm NULL: not known). */
unsigned int select_match(const struct selection *s, const char *comm, uint32_t uid);

/* Whether the bits satisfy every kind that the selection has. */
bool select_wants(const struct selection *s, unsigned int bits);

/* Whether there is any selection by container, pod or job, and whether it takes what is in these
 * (NULL: in none). A helper beside a container is not the container. */
bool select_has_places(const struct selection *s);
bool select_wants_place(const struct selection *s, const struct container *c, const struct pod *p,
			const struct job *j);

int select_add_word(struct select_words *w, const char *word); /* 0 or -ENOMEM */

/* Compiles and adds; 0, -ENOMEM, or -EINVAL with the reason in `why` (size bytes). */
int select_add_name(struct selection *s, const char *regex, char *why, size_t size);
int select_add_uid(struct selection *s, uint32_t uid);
void select_free(struct selection *s);

#endif
