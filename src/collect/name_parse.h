/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the runtimes' files say, apart from where they are: text in, names out. Anything
 * may stand in the text; each takes it only if it is about the id that is asked for.
 */
#ifndef IOLAT_COLLECT_NAME_PARSE_H
#define IOLAT_COLLECT_NAME_PARSE_H

#include "collect/jsonfile.h"
#include "collect/names.h"

/* Docker's config.v2.json of that container; ... of the container of a Nomad task. */
bool name_parse_docker(const char *text, size_t len, const char *id, struct names *out);
bool name_parse_docker_nomad(const char *text, size_t len, const char *alloc, const char *task,
			     struct names *out);

/* The OCI config.json that containerd's CRI plugin or nerdctl annotated; ... that CRI-O did. */
bool name_parse_containerd(const char *text, size_t len, const char *id, struct names *out);
bool name_parse_crio(const char *text, size_t len, const char *id, struct names *out);

/* The list of all containers of containers/storage (podman). */
bool name_parse_storage(const char *text, size_t len, const char *id, struct names *out);

/* The kubelet's "POD_NAMESPACE_CONTAINER-ID.log" and "NAMESPACE_POD_UID". */
bool name_parse_log(const char *file, const char *id, struct names *out);
bool name_parse_pod(const char *folder, const char *uid, struct names *out);

/* A process's environment, of `len` bytes. Only the keys of the job are looked at. */
bool name_parse_slurm(const char *text, size_t len, const struct cgpath *of, struct names *out);
bool name_parse_nomad(const char *text, size_t len, const struct cgpath *of, struct names *out);

/* name_docker.c: the container of a Nomad task. */
name_source name_docker_nomad;

#endif
