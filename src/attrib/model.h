/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of the traced host: processes and threads, cgroups, disks, work queues.
 * TASK, CGROUP, DISK, DISK_FACTS and NAME events build it; requests ask it whose they
 * are. Every table is bounded.
 */
#ifndef IOLAT_ATTRIB_MODEL_H
#define IOLAT_ATTRIB_MODEL_H

#include "attrib/cgroup.h"
#include "attrib/files.h"
#include "attrib/lru.h"
#include "attrib/proc.h"
#include "attrib/via.h"
#include "attrib/worker.h"

enum model_limits {
	MODEL_DISKS = 4096,
	MODEL_NAMES = 4096,
	MODEL_BELOW = 256, /* devices that one disk stands on */
};

/* A disk with its count of references: the table's own and the rows'. */
struct known_disk {
	struct lru_node node;
	struct disk pub;
	unsigned int refs;
};

struct model {
	struct proc_table procs;
	struct cgroup_table cgroups;
	struct lru disks;
	struct lru names; /* work queues by their id in events */
	struct vias vias;
	struct workers workers;
	struct files files;
	uint64_t generation; /* see model_generation() */
};

void model_init(struct model *m, const struct selection *s, bool want_threads);
void model_free(struct model *m);

/* 0 or -ENOMEM. */
int model_disk(struct model *m, const struct iolat_disk *e);
int model_disk_facts(struct model *m, const struct iolat_disk_facts *e);
int model_disk_below(struct model *m, const struct iolat_disk_below *e);
int model_name(struct model *m, const struct iolat_name *e);

/* What an event names, made when it is new; NULL: out of memory. */
struct known_disk *model_get_disk(struct model *m, uint32_t number);

void known_disk_unref(struct known_disk *d);

/* Whether the selection takes an I/O by what it is, whoever's it is. */
struct model_io {
	uint32_t disk;
	unsigned int part, op;
	uint64_t latency_ns; /* UINT64_MAX: not to be asked for */
};
bool model_wants_io(struct model *m, const struct model_io *io);

/* Whether a disk is known that the word, as of --device, may mean. */
bool model_has_device(const struct model *m, const char *word);

/* `via` of a request: by the queue that submitted it, else by the kernel thread (its process
 * or NULL); of a copy: the device above. *via is NULL for a copy that nobody names. 0 or -ENOMEM.
 */
struct via_source {
	uint32_t queue; /* iolat_name.id or 0 */
	bool copy;
	const struct proc *thread;
};
int model_via(struct model *m, const struct via_source *from, const char **via);

/* Grows whenever an earlier answer may come out differently; for caches of answers. */
static inline uint64_t model_generation(const struct model *m)
{
	return m->generation + m->procs.generation + m->cgroups.generation;
}

#endif
