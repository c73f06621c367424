/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that run when user space asks them to: the kernel walks its tasks or one of our maps and
 * what the program says of each is read like a file. Works on the tracer's object.
 */
#ifndef IOLAT_COLLECT_READER_H
#define IOLAT_COLLECT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iolat/wire.h"

struct bpf_link;
struct bpf_object;
struct sink;

#define READERS_MAX 8

struct readers {
	struct bpf_link *links[READERS_MAX];
};

/* Whether a program is one of them and is to be loaded. */
bool reader_wanted(const char *program, bool waits);

/* Ties the loaded ones to what they walk; one that cannot be tied is left out. */
void readers_open(struct readers *r, struct bpf_object *obj);
void readers_close(struct readers *r);

/* Has who sleeps already noted, once. 0 or -errno. */
int readers_note_sleepers(const struct readers *r);

/* Has the disk whose folder in sysfs is open as `folder` searched for requests that its driver has had since before
 * tracing began; they are in flight from then on. 0 or -errno. */
int readers_find_earlier(const struct readers *r, const struct bpf_object *obj, int folder);

/* Has the in-flight tables walked: INFLIGHT events are in the ring of facts then. 0, -errno, or -ENOTSUP when
 * this kernel does not walk maps. */
int readers_inflight(const struct readers *r);

/* Who sleeps at the moment `now`, as open WAIT events, from the map `fd`: *count of *out, to be freed. 0 or
 * -errno. */
int reader_sleeps(int fd, uint64_t now, struct iolat_wait **out, size_t *count);

/* Reads a walk to its end and passes on its events of `size` bytes each. 0 or -errno. */
int reader_events(const struct bpf_link *link, size_t size, const struct sink *sink);

#endif
