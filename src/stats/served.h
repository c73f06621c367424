/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who hurts whom: while selected requests waited on a disk, whose requests did it serve? Time is cut into slices
 * of a millisecond; in each, the time waited is shared out among those served in it, by how long each was.
 * The shares of a disk, "nobody" included, sum up to the time waited there.
 */
#ifndef IOLAT_STATS_SERVED_H
#define IOLAT_STATS_SERVED_H

#include "attrib/model.h"

enum served_limits {
	SERVED_DISKS = 32,
	SERVED_PIECE = 64,	/* slices that are allocated together */
	SERVED_PIECES = 64,
	SERVED_SLICES = SERVED_PIECE * (SERVED_PIECES - 1), /* kept open for requests still to come */
	SERVED_IN_SLICE = 6,	/* owners told apart in a slice */
	SERVED_OWNERS = 256,	/* of a disk; the last one is the rest */
	SERVED_PROCESSES = 128, /* of a disk; later ones count for their cgroups */
};

/* Whose I/O it is: a process, else a kernel submitter, else (neither) the processes of a cgroup. */
struct served_owner {
	uint64_t process;	/* serial */
	uint64_t cgroup;
	const char *via;
	struct proc *proc;	/* referenced, or NULL */
	uint64_t now, before;	/* the selected ones' time waited for it, ns */
};

struct served_slice {
	uint64_t waited_ns;	/* by selected requests */
	uint64_t self_ns;	/* of service for them */
	struct {
		uint16_t owner;
		uint64_t ns;
	} others[SERVED_IN_SLICE];
};

struct served_disk {
	struct lru_node node;
	uint32_t number;
	struct known_disk *disk;	/* referenced */
	struct served_slice *pieces[SERVED_PIECES]; /* a ring; NULL: nothing in it */
	uint64_t first;			/* number of the oldest open slice; 0: none yet */
	uint64_t self_now, self_before;	/* waited for selected requests themselves */
	uint64_t idle_now, idle_before;	/* while the disk served nobody */
	struct served_owner owners[SERVED_OWNERS];
	size_t n_owners;
};

struct served {
	struct model *model;
	struct lru disks;
};

void served_init(struct served *v, struct model *m);
void served_free(struct served *v);

int served_self(struct served *v, const struct iolat_request *e);	/* 0 or -ENOMEM */
int served_other(struct served *v, const struct iolat_other *e);	/* 0 or -ENOMEM */

void served_close(struct served *v, uint64_t until_ns);	/* shares out what is older */
void served_turn(struct served *v);			/* a new interval starts */

const struct served_disk *served_next(const struct served *v, const struct served_disk *last); /* as usages_next */

/* Of the interval or the whole run. */
uint64_t served_by(const struct served_owner *o, bool whole);
uint64_t served_waited(const struct served_disk *d, bool whole);

#endif
