/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `via`: what stands for the submitter where no user task does. The rules are pure text;
 * the texts are interned, so that equal ones are one pointer for the whole run.
 */
#ifndef IOLAT_ATTRIB_VIA_H
#define IOLAT_ATTRIB_VIA_H

#include "base/map.h"

#define VIA_LEN	  48   /* a prefix and the longest name of a work queue */
#define VIA_LIMIT 4096 /* different texts; further ones are the general one */

struct via_text {
	char s[VIA_LEN];
};

struct via_text via_of_queue(const char *queue); /* a work queue's name */
struct via_text via_of_comm(const char *comm);	 /* a kernel thread's; NULL: not known */
struct via_text via_of_device(const char *name); /* of the device that made a copy */

struct vias {
	struct map texts;
};

void vias_init(struct vias *v);
void vias_free(struct vias *v);

/* The one pointer for a text, good until vias_free; NULL when out of memory. */
const char *vias_intern(struct vias *v, const struct via_text *text);

#endif
