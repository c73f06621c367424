/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of containers, pods and jobs, from the files that runtimes leave on the host; no
 * daemon is asked. Whatever a file says counts only if the id inside of it is the one that
 * was looked for.
 */
#ifndef IOLAT_COLLECT_NAMES_H
#define IOLAT_COLLECT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "attrib/cgpath.h"
#include "collect/hostfs.h"

/* Raw text; "" for what is not known. */
struct names {
	char runtime[24];     /* of a container whose path does not tell: the engine that knows its id */
	char id[CGPATH_ID];   /* of the container, where the path has none */
	char name[640];	      /* "web", "namespace/pod/container", "family/container" */
	char image[512];
	char pod_namespace[128];
	char pod_name[256];
	char pod_uid[40];
	char job[64];	      /* a Slurm job's number, where the path has a SLUID */
	char source[1600];    /* the file, from the host's root */
};

/* Engines that run, found among all processes; looked for anew when that is old. */
#define NAMES_DAEMONS 8
struct names_daemons {
	uint64_t looked_ns;	/* CLOCK_MONOTONIC, 0: never */
	uint32_t pids[NAMES_DAEMONS];
	size_t n;
};

struct names_host {
	struct hostfs fs;
	bool pids;	/* its /proc shows the pids that the kernel side sees */
	struct names_daemons *daemons;	/* Docker's, kept here; NULL: looked for each time */
};

/* One kind of source: a row in names.c. */
struct name_query {
	const struct names_host *host;
	const struct cgpath *of;
	uint32_t pid;	/* a process in it, 0: none known */
};
typedef bool name_source(const struct name_query *q, struct names *out);

name_source name_docker, name_containerd, name_nerdctl, name_crio, name_podman, name_pod_log, name_pod,
	name_proxmox, name_nomad, name_slurm;

/* What `path` is, and what the files below the host's root call it. `pid` may be 0. False when a name
 * could be hoped for and there was none (yet). */
bool names_resolve(const struct names_host *host, const char *path, uint32_t pid, struct cgpath *what,
		   struct names *out);

/* Names as Kubernetes' parts make them: "namespace/pod/container". */
void names_join(struct names *n, const char *container);

#endif
