/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a cgroup's path alone says of it: container runtime, id, Kubernetes pod, job, or a
 * unit of systemd. Pure text; names come from files (collect/names.h). A shape that is in
 * no row of the table (shapes.c) stays what it is, "cg:PATH".
 */
#ifndef IOLAT_ATTRIB_CGPATH_H
#define IOLAT_ATTRIB_CGPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGPATH_ID    128 /* room for an id; longer ones are no ids */
#define CGPATH_LABEL 600

/* Whose files know the name. */
enum cgpath_engine {
	ENGINE_NONE, /* nobody's */
	ENGINE_ANY,  /* the path does not tell */
	ENGINE_DOCKER,
	ENGINE_CONTAINERD,
	ENGINE_CRIO,
	ENGINE_PODMAN,
	ENGINE_PROXMOX,
	ENGINE_KUBELET,
	ENGINE_NOMAD,
	ENGINE_SLURM,
};

struct cgpath {
	const char *runtime;   /* of the innermost shape: "docker", "slurm", "systemd", "none", ... */
	const char *container; /* runtime of the container that `id` is of; NULL: in no container */
	enum cgpath_engine engine; /* of that container or pod */
	enum cgpath_engine job_engine;
	bool helper;		   /* not the payload: a monitor, a logger, a step daemon */
	bool by_shape;		   /* nothing but "/NAME/NAME" says so: ask the files before you believe it */
	char id[CGPATH_ID];	   /* of the container, "": none */
	char pod_uid[40];	   /* "": in no pod */
	char job[64];		   /* "": in no job */
	char step[32];
	char task[CGPATH_ID];	  /* namespace, task or other text that is part of the name, "": none */
	char name[2 * CGPATH_ID]; /* where the path itself is the name, "": not */
	char label[CGPATH_LABEL]; /* short, for people: "docker:0123456789ab", nested "inner@outer" */
	uint32_t uid;		  /* the user whose slice it is in, ~0: none */
};

/* Takes any text; `path` as /proc/PID/cgroup or a path below a tree's mount point has it. */
void cgpath_parse(const char *path, struct cgpath *out);

/* Whether a runtime's name means a helper process beside its container, not the payload. */
bool cgpath_is_helper(const char *runtime);

/*
 * The path in a whole /proc/PID/cgroup that says most about a task: on a host with v1
 * controllers the deepest of those that managers use, as some of them leave blkio coarser;
 * else the one of v2. Copied to out (size bytes); false when there is none.
 */
bool cgpath_of_task(const char *text, char *out, size_t size);

#endif
