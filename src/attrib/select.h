/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a selection that the kernel side does not judge: of a live run processes by name or
 * owner, with their descendants, and containers, pods and jobs; of a report all of it. It works on what
 * events have told alone, so it holds for a recording as for a live run.
 *
 * A process is a member when its comm matches (at its start, or after an exec or a
 * rename), its uid or pid is listed, or its parent was a member when it was forked. Once a
 * member, always one. Kinds are AND-ed, the entries of a kind OR-ed.
 */
#ifndef IOLAT_ATTRIB_SELECT_H
#define IOLAT_ATTRIB_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

struct container;
struct pod;
struct job;
struct regex;

struct select_words { /* owned */
	char **at;
	size_t n;
};

#define SELECT_NO_UID UINT32_MAX

struct selection {
	struct regex **names;	/* any match in the comm */
	size_t n_names;
	uint32_t *uids;		/* SELECT_NO_UID: one that is not known yet, or a process's that is not */
	size_t n_uids;
	struct select_words containers; /* a name, or the first digits of an id */
	struct select_words pods;	/* [NAMESPACE/]POD, or a uid */
	struct select_words jobs;
	/* reports only */
	uint32_t *pids;
	size_t n_pids;
	bool no_children;		/* of pids */
	struct select_words cgroups;	/* paths, what is below belongs to them */
	struct select_words devices;	/* names of disks and partitions */
	unsigned int op_mask;		/* bit an enum iolat_op; 0: all */
	uint64_t min_latency_ns;
	const struct selection *also;	/* what holds besides (a recording's own), or NULL */
};

/* Bits of a process's membership; those of `also` stand above. */
enum { SELECT_NAME = 1 << 0, SELECT_USER = 1 << 1, SELECT_PID = 1 << 2, SELECT_OWN_KINDS = 3 };

/* Whether it selects any processes by themselves. */
bool select_has_processes(const struct selection *s);

/* The bits that a listed pid earns, and those that are not inherited. */
unsigned int select_match_pid(const struct selection *s, uint32_t pid);
unsigned int select_not_inherited(const struct selection *s);

/* The bits that comm and uid earn by themselves (comm NULL: not known). */
unsigned int select_match(const struct selection *s, const char *comm, uint32_t uid);

/* Whether the bits satisfy every kind that the selection has. */
bool select_wants(const struct selection *s, unsigned int bits);

/* Whether there is any selection by container, pod or job, and whether it takes what is in these
 * (NULL: in none). A helper beside a container is not the container. */
bool select_has_places(const struct selection *s);
bool select_wants_place(const struct selection *s, const struct container *c, const struct pod *p,
			const struct job *j);

/* Whether what a cgroup of that path (NULL: none, or not known) does is taken. */
bool select_has_cgroups(const struct selection *s);
bool select_wants_cgroup(const struct selection *s, const char *path);

/* Whether an I/O is taken by its disk ("" : none), partition (0: whole disk), operation and latency. */
struct select_io {
	const char *disk;
	unsigned int part, op;
	uint64_t latency_ns;
};
bool select_has_ios(const struct selection *s);
bool select_wants_io(const struct selection *s, const struct select_io *io);
bool select_is_device(const char *word, const char *disk, unsigned int part);

int select_add_word(struct select_words *w, const char *word); /* 0 or -ENOMEM */

/* Compiles and adds; 0, -ENOMEM, or -EINVAL with the reason in `why` (size bytes). */
int select_add_name(struct selection *s, const char *regex, char *why, size_t size);
int select_add_uid(struct selection *s, uint32_t uid);
int select_add_pid(struct selection *s, uint32_t pid);
/* What a recording was selected by. 0, -ENOMEM, or -EBADMSG: what no recorder writes. */
int select_event(struct selection *s, const struct iolat_select *e);

void select_free(struct selection *s);

#endif
